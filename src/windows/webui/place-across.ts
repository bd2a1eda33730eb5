// Where a stream over a whole session resumes. If the exact position is unknown (a foreign cursor, or too many events
// since), the stream starts with a snapshot of the session instead of a guess.
import type { Journal } from "../../kernel/journal/journal.ts";
import type { SessionRecord } from "../../kernel/api/records/records.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { providerOf } from "./sources.ts";
import { transcript } from "./transcript.ts";
import { lastFrame, named, parseCursor } from "./wire.ts";

const MAX_ROWS = 4_096;
const MAX_BYTES = 4 * 1_048_576;
const PAGE = 200;

export type ReplayStatus =
  | "ok"
  | "cursor_invalid"
  | "cursor_run_missing"
  | "cursor_session_mismatch"
  | "cursor_event_missing"
  | "replay_limit_rows"
  | "replay_limit_bytes";

export type StreamCursor = { readonly after: number; readonly hello: string };

export async function placeAcross(
  journal: Journal,
  session: SessionRecord,
  cursors: readonly string[],
): Promise<StreamCursor> {
  const found = await Promise.all(cursors.map((text) => resolve(journal, session, text)));
  const best = found
    .filter((place) => place.status === "ok")
    .toSorted((a, b) => b.after - a.after)[0];
  const place = best ?? found[0] ?? { status: "ok", after: 0, hello: "" };
  const status = place.status === "ok" ? await fits(journal, session, place.after) : place.status;
  if (status === "ok") return { after: place.after, hello: place.hello };
  return snapshot(journal, session.session_id, status);
}

type Resolved = { readonly status: ReplayStatus; readonly after: number; readonly hello: string };
const unusable = (status: ReplayStatus): Resolved => ({ status, after: 0, hello: "" });

async function resolve(
  journal: Journal,
  { session_id, seq: head }: SessionRecord,
  text: string,
): Promise<Resolved> {
  const cursor = parseCursor(text);
  if (!cursor) return unusable("cursor_invalid");
  const { stream = session_id, seq } = cursor;
  if (seq === 0) return { status: "ok", after: 0, hello: "" };
  const run = stream === session_id ? undefined : await journal.reads.run(stream);
  if (stream !== session_id && !run) return unusable("cursor_run_missing");
  if (run && run.session_id !== session_id) return unusable("cursor_session_mismatch");
  if (seq > head + 1) return unusable("cursor_event_missing");
  const [before, at] = await Promise.all([
    eventAt(journal, session_id, seq - 1),
    eventAt(journal, session_id, seq),
  ]);
  const bare = cursor.stream === undefined && at !== undefined;
  if (at && (bare || at.run_id === stream)) {
    // Of a run's end two frames are told; this is the first of them.
    const half = at.type === "done" && !bare && run?.parent_run_id === null;
    return { status: "ok", after: seq, hello: half ? lastFrame(stream, at) : "" };
  }
  const second = before?.type === "done" && before.run_id === stream;
  return second ? { status: "ok", after: seq - 1, hello: "" } : unusable("cursor_event_missing");
}

async function eventAt(journal: Journal, sessionId: string, seq: number) {
  if (seq < 1) return undefined;
  const row = (await journal.readSession(sessionId, seq - 1, 1))?.rows[0];
  return row && row[1] === seq ? (JSON.parse(row[2]) as RunEvent) : undefined;
}

/** Whether all that came since may be told event by event. */
async function fits(
  journal: Journal,
  { session_id, seq: head }: SessionRecord,
  after: number,
): Promise<ReplayStatus> {
  if (head - after > MAX_ROWS) return "replay_limit_rows";
  let bytes = 0;
  for (let at = after; at < head;) {
    const rows = (await journal.readSession(session_id, at, PAGE))?.rows ?? [];
    for (const [, , body] of rows) bytes += Buffer.byteLength(body);
    if (bytes > MAX_BYTES) return "replay_limit_bytes";
    const last = rows.at(-1);
    if (!last) break;
    at = last[1];
  }
  return "ok";
}

/** Its id is the newest event's, so that whoever comes back goes on from there. */
async function snapshot(
  journal: Journal,
  sessionId: string,
  status: ReplayStatus,
): Promise<StreamCursor> {
  const session = await journal.reads.session(sessionId);
  const until = session?.seq ?? 0;
  const newest = await eventAt(journal, sessionId, until);
  const seen = newest?.type === "done" ? until + 1 : until;
  const id = `${newest?.run_id ?? sessionId}:${seen}`;
  const said = await transcript(journal, { sessionId, until });
  const shown = session && {
    session_id: sessionId,
    title: session.title,
    model: session.model,
    model_provider: providerOf(session.model),
    workspace: session.workspace,
    profile: session.profile,
    project_id: session.project_id,
    parent_session_id: session.parent_session_id,
    goal: session.goal,
    yolo: session.yolo,
    active_stream_id: session.active_run_id,
    pending_count: session.pending,
    created_at: session.created_at,
    updated_at: session.updated_at,
    ...(!said._messages_truncated && { message_count: said.messages.length }),
    ...said,
  };
  return { after: until, hello: named("session_snapshot", { session: shown, status }, id) };
}
