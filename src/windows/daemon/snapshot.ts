// A session so far, in one message. Bounded: of a very long one the oldest of what is only said
// (text, thinking, heartbeats, usage) is left out first, then the oldest of what was done; never what
// still waits for a person. A client that has these too asks with its `lastEventId`.
import { setImmediate } from "node:timers/promises";
import type { Journal } from "../../kernel/journal/journal.ts";
import type { DaemonEnvelope } from "./wire/events.ts";
import { daemonDialect } from "./wire/daemon.ts";
import { encode } from "../../kernel/dialect/dialect.ts";
import { isoTime } from "../../kernel/dialect/iso-time.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { pageSize } from "../../kernel/server/feed/pages.ts";

type Snapshot = {
  readonly lastEventId: number;
  readonly events: readonly string[];
  /** Something was left out: there is more than fits. */
  readonly truncated: boolean;
};

export const MAX_SNAPSHOT_CHARS = 4_194_304;

/** Events after `after`. What is committed later is told live: nothing lies between. */
export async function snapshotOf(
  journal: Pick<Journal, "readSession">,
  { sessionId, after, maxChars }: { sessionId: string; after: number; maxChars: number },
): Promise<Snapshot> {
  const state = daemonDialect.begin();
  const kept = keeping(maxChars, (requestId) => Object.hasOwn(state.requests, requestId));
  const size = pageSize();
  let position = 0;
  for (let head = Number.POSITIVE_INFINITY; position < head;) {
    const page = await journal.readSession(sessionId, position, size.limit);
    if (!page || page.rows.length === 0) break;
    head = Math.min(head, page.head); // an active session would be chased for ever
    for (const [, sessionSeq, body] of page.rows) {
      position = sessionSeq;
      const event = JSON.parse(body) as RunEvent;
      for (const frame of encode(daemonDialect, event, state, { replay: true })) {
        if (sessionSeq > after) kept.add(frame);
      }
    }
    const chars = page.rows.reduce((sum, [, , body]) => sum + body.length, 0);
    size.learn({ count: page.rows.length, chars });
    await setImmediate(); // a long session must not hold up the others
  }
  const events = kept.texts(isoTime(Date.now() / 1000));
  return { lastEventId: position, events, truncated: kept.isTruncated() };
}

const LOOSE: ReadonlySet<string> = new Set([
  "stream.text",
  "stream.thinking",
  "stream.heartbeat",
  "stream.usage",
  "stream.compaction",
  "stream.gate",
]);

type Kept = { readonly text: string; readonly loose: boolean; readonly asks: string | null };

/** Each frame is looked at once per kind of eviction, so a long session costs no more per event. */
function keeping(maxChars: number, waits: (requestId: string) => boolean) {
  const all: (Kept | undefined)[] = [];
  let chars = 0;
  let truncated = false;
  const next = { loose: 0, other: 0 };

  function evict(kind: "loose" | "other"): boolean {
    while (next[kind] < all.length) {
      const at = next[kind]++;
      const kept = all[at];
      if (!kept || kept.loose !== (kind === "loose")) continue;
      if (kept.asks !== null && waits(kept.asks)) continue;
      all[at] = undefined;
      truncated = true;
      chars -= kept.text.length;
      return true;
    }
    return false;
  }

  return {
    add(frame: DaemonEnvelope): void {
      const { method, params } = frame.event;
      const text = JSON.stringify(frame);
      const asks = method === "permission.request" ? String(params["requestId" as never]) : null;
      all.push({ text, loose: LOOSE.has(method), asks });
      chars += text.length;
      while (chars > maxChars && (evict("loose") || evict("other")));
    },
    isTruncated: () => truncated,
    /** What waits is told as of now: its own dashboard takes a request for expired after two minutes. */
    texts: (now: string) =>
      all.flatMap((kept) => {
        if (!kept) return [];
        if (kept.asks === null || !waits(kept.asks)) return [kept.text];
        return [JSON.stringify({ ...(JSON.parse(kept.text) as DaemonEnvelope), receivedAt: now })];
      }),
  };
}
