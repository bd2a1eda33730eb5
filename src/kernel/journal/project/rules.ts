// Rules that people set beforehand. They come from a person's commands and answers and never from a workspace; a
// subagent reads the same ones, because it belongs to the same session.
import type { Rule } from "../../events/catalogue/permissions.ts";
import type { Reads } from "../journal.ts";
import type { ProjectedLog } from "./projections.ts";
import type { Sql, Statement } from "../sql.ts";
import { json, nullable, rowsOf, text } from "../rows.ts";

const SESSION = `
  SELECT s.profile, s.permissions, p.body FROM sessions s LEFT JOIN projects p USING (project_id)
  WHERE s.session_id = ?`;

const SESSION_RULES = rowsOf("sessions", {
  profile: text,
  permissions: json<Rule[]>(),
  body: nullable(json<{ permissions?: Rule[] }>()), // of its project
});
const GRANTED = rowsOf("grants", { rule: json<Rule>() });

export function rules(sql: Sql): Pick<Reads, "rules"> {
  return {
    async rules(sessionId, profile) {
      const session = await SESSION_RULES.get(sql, SESSION, sessionId);
      if (!session) return [];
      const whose = profile ?? session.profile;
      const granted = await GRANTED.all(sql, "SELECT rule FROM grants WHERE profile = ?", whose);
      return [
        ...session.permissions,
        ...(session.body?.permissions ?? []),
        ...granted.map(({ rule }) => rule),
      ];
    },
  };
}

const GRANT = `
  INSERT INTO grants (request_id, profile, rule)
  SELECT r.request_id, CASE l.profile WHEN '' THEN s.profile ELSE l.profile END,
    COALESCE(?, r.always)
  FROM requests r JOIN logs l USING (log_key) JOIN sessions s ON s.session_key = r.session_key
  WHERE r.request_id = ? AND r.log_key = ? AND r.always IS NOT NULL AND r.answer IS NULL
  ON CONFLICT (request_id) DO UPDATE SET profile = excluded.profile, rule = excluded.rule`;

/** A person answers "always": the offered rule that they chose is allowed for the profile that asked. */
export function grant(log: ProjectedLog, requestId: string, chosen?: Rule): Statement {
  return [GRANT, chosen === undefined ? null : JSON.stringify(chosen), requestId, log.log_key];
}
