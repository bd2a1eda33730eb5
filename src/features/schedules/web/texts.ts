// A schedule as the texts of its form, and back.
import type { CronFields } from "../client.ts";
import type { CronJobRecord } from "../records.ts";
import { hereZone } from "./labels.ts";

export type CronTexts = {
  readonly name: string;
  readonly prompt: string;
  readonly schedule: string;
  readonly time_zone: string;
  readonly skills: string; // separated by commas
  readonly deliver: string;
  readonly session: string;
  readonly model: string;
  readonly profile: string;
  readonly workspace: string;
  readonly tokens: string;
  readonly limits: CronJobRecord["budget"]; // the others of its budget are kept
  readonly catch_up: CronJobRecord["catch_up"];
  readonly overlap: CronJobRecord["overlap"];
  readonly grace_s: string;
  readonly allow_risky: boolean;
};

export function textsOf(job: CronJobRecord | null): CronTexts {
  return {
    name: job?.name ?? "",
    prompt: job?.prompt ?? "",
    schedule: job?.schedule ?? "",
    time_zone: job?.time_zone ?? hereZone(),
    skills: job?.skills.join(", ") ?? "",
    deliver: job?.deliver ?? "local",
    session: job?.session ?? "new",
    model: job?.model ?? "",
    profile: job?.profile ?? "",
    workspace: job?.workspace ?? "",
    tokens: job?.budget?.tokens?.toString() ?? "",
    limits: job?.budget ?? null,
    catch_up: job?.catch_up ?? "last",
    overlap: job?.overlap ?? "skip",
    grace_s: String(job?.grace_s ?? 60),
    allow_risky: job?.allow_risky ?? false,
  };
}

/** An empty field means the default. */
export function fieldsOf(texts: CronTexts): CronFields & { name: string } {
  const { catch_up, overlap, allow_risky } = texts;
  const or = (text: string, otherwise: string) => text.trim() || otherwise;
  const orNull = (text: string) => text.trim() || null;
  const prompt = texts.prompt.trim();
  return {
    name: or(texts.name, prompt.split("\n")[0]?.slice(0, 80) || "Schedule"),
    prompt,
    schedule: texts.schedule.trim(),
    time_zone: or(texts.time_zone, "UTC"),
    skills: texts.skills
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
    deliver: or(texts.deliver, "local"),
    session: or(texts.session, "new"),
    model: orNull(texts.model),
    profile: orNull(texts.profile),
    workspace: orNull(texts.workspace),
    budget: budgetOf(texts),
    catch_up,
    overlap,
    grace_s: Math.max(0, Math.round(Number(texts.grace_s)) || 0),
    allow_risky,
  };
}

function budgetOf({ tokens, limits }: CronTexts): NonNullable<CronFields["budget"]> | null {
  const budget = { ...limits, tokens: Number(tokens) > 0 ? Math.round(Number(tokens)) : null };
  return Object.values(budget).every((limit) => limit === null) ? null : budget;
}
