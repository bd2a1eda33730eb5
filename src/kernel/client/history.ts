// The history of a session in one HTTP body, in the feed's lines (server: feed-history.ts). It is only faster: if it
// fails, the feed delivers the same from the same cursor.
import { REDUCER_VERSION } from "../events/version.ts";
import type { FeedLine } from "./feed-socket.ts";

/**
 * Ends where the body ends; throws where it breaks or the signal says so. At first what is needed to draw: with a
 * fold ahead the events after it. `to`: the events up to it, which it was made of.
 */
export type ReadHistory = (
  sessionId: string,
  signal: AbortSignal,
  to?: number,
) => AsyncIterable<readonly FeedLine[]>;

/** `ask` fetches a path of the server. */
export function historyOver(
  ask: (path: string, signal: AbortSignal) => Promise<Response>,
): ReadHistory {
  return async function* read(sessionId, signal, to) {
    const part = to === undefined ? `fold=${REDUCER_VERSION}` : `to=${to}`;
    const path = `/api/sessions/${encodeURIComponent(sessionId)}/past?${part}`;
    const { ok, body } = await ask(path, signal);
    if (ok && body) yield* linesIn(body);
  };
}

const AT_ONCE = 500; // lines: a browser may hand over megabytes in one piece

/** As they come: to parse ten megabytes at once would hold up the page. */
async function* linesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly FeedLine[]> {
  const reader = body.getReader(); // not every browser can iterate over a stream
  const decoder = new TextDecoder();
  let begun = ""; // a line whose end is still to come
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const [rest = "", ...others] = decoder.decode(value, { stream: true }).split("\n");
    const lines = [begun + rest, ...others];
    begun = lines.pop() ?? "";
    for (let at = 0; at < lines.length; at += AT_ONCE) {
      yield lines.slice(at, at + AT_ONCE).map((line) => JSON.parse(line) as FeedLine);
    }
  }
}

/** Read from now on, whenever somebody asks for it. */
export function readAhead<Batch>(source: AsyncIterable<Batch>): AsyncIterable<Batch> {
  const read: Batch[] = [];
  let [wake, over] = [() => {}, false];
  const all = (async () => {
    try {
      for await (const batch of source) {
        read.push(batch);
        wake();
      }
    } finally {
      over = true;
      wake();
    }
  })();
  all.catch(() => undefined); // whoever asks is told
  return (async function* taken() {
    for (;;) {
      yield* read.splice(0);
      if (read.length > 0) continue;
      if (over) return all;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  })();
}
