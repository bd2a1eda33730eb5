// The two things a window can follow: one run's log, or a whole session across its runs. Stored
// bytes are framed and forwarded; nothing is parsed and written again.
import type { Reads, StoredRow } from "../journal/journal.ts";
import type { Source } from "./tail.ts";

export function runSource(journal: Reads, runId: string): Source {
  return {
    key: `run ${runId}`,
    wokenBy: { logId: runId },
    read: (after, limit) => journal.readRun(runId, after, limit),
    head: async () => (await journal.run(runId))?.seq ?? 0,
    position: ([seq]) => seq,
    frame: ([seq, , body]) => `id: ${runId}:${seq}\ndata: ${body}\n\n`,
    ends: isTerminal,
  };
}

export function sessionSource(journal: Reads, sessionId: string): Source {
  return {
    key: `session ${sessionId}`,
    wokenBy: { sessionId },
    read: (after, limit) => journal.readSession(sessionId, after, limit),
    head: async () => (await journal.session(sessionId))?.seq ?? 0,
    position: ([, sessionSeq]) => sessionSeq,
    frame: ([, sessionSeq, body]) => `id: ${sessionSeq}\ndata: ${body}\n\n`,
    ends: () => false, // a session can always go on
  };
}

// `terminal` stands directly before `payload` in the stored bytes, and ids hold no quotes, so the
// first `,"payload":` is the envelope's own.
function isTerminal([, , body]: StoredRow): boolean {
  const payload = body.indexOf(',"payload":');
  return body.startsWith('"terminal":true', payload - '"terminal":true'.length);
}
