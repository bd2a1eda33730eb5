// A session as the feed tells it: stored bytes, one event a line, many lines a message. A browser pays for
// every message; a past of thousands of events comes in a hundred.
import type { JournalReads, StoredRow } from "../../journal/journal.ts";
import { packMessages } from "./sockets.ts";
import type { Source } from "./tail.ts";

/** `tap`: sees every row that happens while somebody follows, once and in order. Must not throw. */
export function feedSource(
  journal: JournalReads,
  sessionId: string,
  tap: (row: StoredRow) => void,
): Source {
  return {
    key: `feed ${sessionId}`,
    wokenBy: { sessionId },
    read: (after, limit) => journal.readSession(sessionId, after, limit),
    async replay(after, limit) {
      const page = await journal.readSession(sessionId, after, limit);
      if (!page) return undefined;
      const { rows, head } = page;
      const bytes = rows.length === 0 ? NOTHING : packLines(rows.map(([, , body]) => body));
      return { bytes, count: rows.length, to: after + rows.length, head, ended: false };
    },
    head: async () => (await journal.reads.session(sessionId))?.seq ?? 0,
    position: ([, sessionSeq]) => sessionSeq,
    enter: (after) => ({
      from: after,
      framing: (row) => {
        tap(row);
        return [row[2]];
      },
    }),
    pack: packLines,
    ends: () => false, // a session can always go on
  };
}

const NOTHING = Buffer.alloc(0);

/** Events as one message. Which of them is the last is remembered: a chunk is told by its bytes alone. */
function packLines(bodies: readonly string[]): Buffer {
  const chunk = packMessages([bodies.join("\n")]);
  lastIn.set(chunk, sessionSeqOf(bodies.at(-1) ?? ""));
  return chunk;
}

const lastIn = new WeakMap<Buffer, number>();
export const lastSeqIn = (chunk: Buffer): number => lastIn.get(chunk) ?? 0;

// Ids hold no quotes, so the first `,"session_seq":` of the stored bytes is the envelope's own.
const BEFORE = ',"session_seq":';
function sessionSeqOf(body: string): number {
  return Number.parseInt(body.slice(body.indexOf(BEFORE) + BEFORE.length), 10);
}
