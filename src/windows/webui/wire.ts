// How the browser's streams look on the wire, and what their ids mean. An id is `<stream>:<number>`;
// numbers are positions in the session, so they never go backwards, whatever is restarted.
import type { Journal } from "../../kernel/journal/journal.ts";
import { streamEnd } from "./wire/run-end.ts";
import { webuiSeq, type WebuiFrame } from "./wire/frames.ts";
import { windowId } from "../../kernel/dialect/window-id.ts";
import type { EventOf, RunEvent } from "../../kernel/events/events.ts";
import type { Streams } from "../../kernel/server/feed/sse.ts";

const BEAT_MS = 5_000;

/** Its clients give up on a stream that is silent for longer than a few of these. */
export function beating(streams: Streams): Streams {
  return { ...streams, heartbeatMs: Math.min(BEAT_MS, streams.heartbeatMs) };
}
export const beat = () => ": heartbeat\n\n";

export function named(event: string, data: object, id?: string): string {
  const first = id === undefined ? "" : `id: ${id}\n`;
  return `${first}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function frameText(stream: string, frame: WebuiFrame, event: RunEvent): string {
  return named(frame.event, frame.data, windowId(stream, webuiSeq(frame, event)));
}

/** What is left to say to a window that has seen the first of a run's two last frames. */
export function lastFrame(stream: string, done: EventOf<"done">): string {
  return frameText(stream, streamEnd(done), done);
}

/** A run's `done`, when it has one. */
export async function endOf(
  journal: Pick<Journal, "readRun">,
  run: { readonly run_id: string; readonly seq: number; readonly ended_at: number | null },
): Promise<EventOf<"done"> | undefined> {
  if (run.ended_at === null) return undefined;
  const row = (await journal.readRun(run.run_id, run.seq - 1, 1))?.rows[0];
  const event = row && (JSON.parse(row[2]) as RunEvent);
  return event?.type === "done" ? event : undefined;
}

export type Cursor = { readonly stream: string | undefined; readonly seq: number };

export function parseCursor(text: string): Cursor | undefined {
  const { stream, seq } = /^(?:(?<stream>.{1,200}):)?(?<seq>\d{1,15})$/.exec(text)?.groups ?? {};
  return seq === undefined ? undefined : { stream, seq: Number(seq) };
}

type Asked = {
  readonly query: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};

/** Where a client says it stands. An EventSource repeats its first address, with a newer header. */
export function cursorsIn({ query, headers }: Asked): string[] {
  return [
    param(query, "after_event_id"),
    param(query, "after_seq"),
    single(headers["last-event-id"]),
  ].filter((text) => text !== undefined && text !== "") as string[];
}

export function param(query: unknown, name: string): string | undefined {
  const given = query as Readonly<Record<string, string | string[] | undefined>> | null;
  return given && Object.hasOwn(given, name) ? single(given[name]) : undefined;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
