// Where a session comes from and what was branched off it.
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { SessionSummary } from "../../../kernel/api/records/records.ts";

const FARTHEST = 32;
const MAX_CHILDREN = 50;

export async function lineageOf(journal: Journal, session: SessionSummary) {
  const point = await journal.reads.branchedFrom(session.session_id);
  const ancestors: { session_id: string; title: string }[] = [];
  for (let at = session.parent_session_id; at !== null && ancestors.length < FARTHEST;) {
    const parent = await journal.reads.session(at);
    if (!parent) break;
    ancestors.push({ session_id: parent.session_id, title: parent.title });
    at = parent.parent_session_id;
  }
  const { sessions: children } = await journal.reads.sessionSummaries({
    parent: session.session_id,
    limit: MAX_CHILDREN,
    offset: 0,
  });
  return {
    parent_session_id: session.parent_session_id,
    branched_from: point
      ? { session_id: point.sessionId, run_id: point.runId, seq: point.seq }
      : null,
    ancestors, // the nearest first
    children: children.map(({ session_id, title }) => ({ session_id, title })),
  };
}
