// How often runs of a profile read a skill: each time its main file was given to a model.
import type { PayloadOf } from "../../../kernel/events/events.ts";
import type { Projections } from "../../../kernel/journal/project/projections.ts";

const USED = `INSERT INTO skill_uses (profile, name, uses, last_at)
  SELECT profile, CAST(? AS TEXT), 1, ? FROM logs WHERE log_key = ?
  ON CONFLICT (profile, name) DO UPDATE SET uses = skill_uses.uses + 1, last_at = excluded.last_at`;

export const projectSkills: Projections = {
  "tool.done": (log, p: PayloadOf<"tool.done">, { at }) => {
    if (p.name !== "skill" || !p.ok || typeof p.result !== "object" || p.result === null) return [];
    const { name, path } = p.result as { name?: unknown; path?: unknown };
    if (typeof name !== "string" || path !== "SKILL.md") return [];
    return [[USED, name, at, log.log_key]];
  },
};
