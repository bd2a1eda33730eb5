// The past of a session in one HTTP body, with the lines the feed would tell (feed-past.ts in the server).
// It is only the faster way: whatever goes wrong with it, the feed goes on from where it came.
import { REDUCER_VERSION } from "../protocol/version.ts";
import type { FeedLine } from "./feed-socket.ts";

/** Ends where the body ends; throws where it breaks or the signal says so. */
export type ReadPast = (
  sessionId: string,
  signal: AbortSignal,
) => AsyncIterable<readonly FeedLine[]>;

export type PastOptions = {
  /** Fetches a path of the server. */
  readonly ask: (path: string, signal: AbortSignal) => Promise<Response>;
  /** Waited for once everything is here that is needed to draw. */
  readonly drawn?: () => Promise<void>;
};

export function pastOver({ ask, drawn = async () => {} }: PastOptions): ReadPast {
  return async function* read(sessionId, signal) {
    const path = `/api/sessions/${encodeURIComponent(sessionId)}/past?fold=${REDUCER_VERSION}`;
    const { ok, body } = await ask(path, signal);
    if (!ok || !body) return;
    for await (const lines of linesIn(body)) {
      yield lines;
      if (lines.some((line) => "feed" in line && line.feed === "caught_up")) await drawn();
    }
  };
}

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
    if (lines.length > 0) yield lines.map((line) => JSON.parse(line) as FeedLine);
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
