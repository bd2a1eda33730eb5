// The session after the open one in the list, wrapping around. Pure.
import type { SessionRecord } from "../../kernel/client/records.ts";
import type { ListRow } from "./sessions/list.ts";

type Step = {
  readonly current: string | null;
  readonly step: 1 | -1;
  readonly among?: (session: SessionRecord) => boolean;
};

/** Null if there is no other. */
export function nextSession(
  rows: readonly ListRow[],
  { current, step, among }: Step,
): string | null {
  const sessions = rows.flatMap((row) => (row.kind === "session" ? [row.session] : []));
  const from = sessions.findIndex(({ session_id }) => session_id === current);
  const start = from < 0 && step < 0 ? 0 : from;
  for (let offset = 1; offset <= sessions.length; offset += 1) {
    const at = (start + step * offset + sessions.length * 2) % sessions.length;
    const session = sessions[at];
    if (!session || session.session_id === current) continue;
    if (!among || among(session)) return session.session_id;
  }
  return null;
}
