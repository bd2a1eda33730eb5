// The two sources of a stream: the log of one run, or a session across its runs. Stored bytes are framed and
// forwarded, never parsed and encoded again.
import type { JournalReads, StoredRow } from "../../journal/journal.ts";
import { frameOf } from "../../events/frame.ts";
import type { Source } from "./tail.ts";

export function runSource(journal: JournalReads, runId: string): Source {
  return {
    key: `run ${runId}`,
    wokenBy: { logId: runId },
    read: (after, limit) => journal.readRun(runId, after, limit),
    replay: (after, limit) => journal.readFrames(runId, after, limit),
    head: async () => (await journal.reads.run(runId))?.seq ?? 0,
    position: ([seq]) => seq,
    enter: (after) => ({ from: after, framing: ([seq, , body]) => [frameOf(runId, seq, body)] }),
    pack: packText,
    ends: isTerminalRow,
  };
}

export function sessionSource(journal: JournalReads, sessionId: string): Source {
  const frame = ([, sessionSeq, body]: StoredRow) => `id: ${sessionSeq}\ndata: ${body}\n\n`;
  return {
    key: `session ${sessionId}`,
    wokenBy: { sessionId },
    read: (after, limit) => journal.readSession(sessionId, after, limit),
    async replay(after, limit) {
      const page = await journal.readSession(sessionId, after, limit);
      if (!page) return undefined;
      const bytes = Buffer.from(page.rows.map(frame).join(""));
      const count = page.rows.length;
      return { bytes, count, to: after + count, head: page.head, ended: false };
    },
    head: async () => (await journal.reads.session(sessionId))?.seq ?? 0,
    position: ([, sessionSeq]) => sessionSeq,
    enter: (after) => ({ from: after, framing: (row) => [frame(row)] }),
    pack: packText,
    ends: () => false, // a session can always go on
  };
}

/** For streams of text, where frames may stand together in a chunk. */
export function packText(texts: readonly string[]): Buffer {
  return Buffer.from(texts.join(""));
}

// `terminal` stands directly before `payload` in the stored bytes, and ids hold no quotes, so the
// first `,"payload":` is the envelope's own.
export function isTerminalRow([, , body]: StoredRow): boolean {
  const payload = body.indexOf(',"payload":');
  return body.startsWith('"terminal":true', payload - '"terminal":true'.length);
}
