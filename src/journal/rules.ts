// What people allowed and forbade beforehand. Rules come from a person's commands and answers and
// never from a workspace; a run below another reads the same ones, because it is of the same session.
import type { Rule } from "../protocol/catalogue/permissions.ts";
import type { Database } from "./database.ts";
import type { Reads } from "./journal.ts";
import type { ProjectedLog } from "./projections.ts";

export function rules(db: Database): Pick<Reads, "rules"> {
  return {
    async rules(sessionId, profile) {
      return db.read(() => rulesOf(db, sessionId, profile));
    },
  };
}

function rulesOf(db: Database, sessionId: string, profile?: string): readonly Rule[] {
  const session = db.get(
    `SELECT s.profile, s.permissions, p.body FROM sessions s LEFT JOIN projects p USING (project_id)
     WHERE s.session_id = ?`,
    sessionId,
  );
  if (!session) return [];
  const project = session["body"] as string | null;
  const whose = profile ?? (session["profile"] as string);
  const granted = db.all("SELECT rule FROM grants WHERE profile = ?", whose);
  return [
    ...(JSON.parse(session["permissions"] as string) as Rule[]),
    ...(project === null
      ? []
      : ((JSON.parse(project) as { permissions?: Rule[] }).permissions ?? [])),
    ...granted.map(({ rule }) => JSON.parse(rule as string) as Rule),
  ];
}

/** A person answered "always": what the request offered is allowed to the profile that asked. */
export function projectGrant(db: Database, log: ProjectedLog, requestId: string): void {
  db.run(
    `INSERT OR REPLACE INTO grants (request_id, profile, rule)
     SELECT r.request_id, CASE l.profile WHEN '' THEN s.profile ELSE l.profile END, r.always
     FROM requests r JOIN logs l USING (log_key) JOIN sessions s ON s.session_key = r.session_key
     WHERE r.request_id = ? AND r.log_key = ? AND r.always IS NOT NULL`,
    requestId,
    log.log_key,
  );
}
