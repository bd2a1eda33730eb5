// The reply to a device's message, read back from the journal: what its run ended with, or waits for.
// Nothing is kept between two questions: any server gives the same answer, also after a restart (W7).
import type { ChannelMessage, JournalReads } from "../../kernel/journal/journal.ts";
import { encode } from "../../kernel/dialect/dialect.ts";
import { terminalDialect, waitingIn, type TerminalReply } from "./wire/terminal.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { pageSize } from "../../kernel/server/feed/pages.ts";
import { findRun } from "../../kernel/server/feed/window.ts";

/** A reply, and the event (session_seq) from which on it is one. */
export type Point = { readonly seq: number; readonly reply: TerminalReply };

export type Replies = {
  /** What there was to say when the message was taken, or the first thing after. */
  readonly first: Point | undefined;
  /** What there is to say now; undefined while the run is at work. */
  readonly now: Point | undefined;
  readonly ended: boolean;
};

const NONE: Replies = { first: undefined, now: undefined, ended: false };

export async function repliesTo(
  journal: JournalReads,
  { session_id, run_id, after_seq }: Pick<ChannelMessage, "session_id" | "run_id" | "after_seq">,
): Promise<Replies> {
  const run = await findRun(journal, run_id);
  if (!run) return NONE;
  let first: Point | undefined;
  const state = terminalDialect.begin();
  for await (const event of eventsAfter(journal, session_id, run.begin)) {
    const { session_seq: seq } = event;
    if (seq > after_seq) first ??= waitingIn(state, run_id);
    const reply = encode(terminalDialect, event, state, { replay: true }).find(isIn(run_id));
    if (reply && seq >= after_seq) first ??= { seq, reply };
    if (reply && reply.request_id === undefined) return { first, now: { seq, reply }, ended: true };
  }
  const now = waitingIn(state, run_id);
  return { first: first ?? now, now, ended: false };
}

/** What the session waits for, whoever started it. */
export async function requestNow(
  journal: JournalReads,
  sessionId: string,
): Promise<Point | undefined> {
  const session = await journal.reads.session(sessionId);
  if (!session || session.pending === 0 || session.active_run_id === null) return undefined;
  const asked = { session_id: sessionId, run_id: session.active_run_id, after_seq: 0 };
  const { now, ended } = await repliesTo(journal, asked);
  return ended ? undefined : now;
}

/**
 * What a duplicate is told: the end of the run, the reply it had, or what there is to say now. It has a
 * `request_id` only while that waits.
 */
export async function cachedReply(
  journal: JournalReads,
  message: ChannelMessage,
): Promise<TerminalReply | undefined> {
  const { first, now, ended } = await repliesTo(journal, message);
  // Answered before its run ended: somebody went on from there, and gets what comes now.
  const point = !ended && message.replied_at !== null ? first : now;
  if (!point || point.reply.request_id === now?.reply.request_id) return point?.reply;
  const { request_id: _answered, ...emitted } = point.reply;
  return emitted;
}

const isIn = (runId: string) => (reply: TerminalReply) => reply.run_id === runId;

async function* eventsAfter(
  journal: JournalReads,
  sessionId: string,
  after: number,
): AsyncGenerator<RunEvent> {
  const size = pageSize();
  for (let position = after; ;) {
    const page = await journal.readSession(sessionId, position, size.limit);
    if (!page || page.rows.length === 0) return;
    for (const [, , body] of page.rows) yield JSON.parse(body) as RunEvent;
    position += page.rows.length;
    if (position >= page.head) return;
    const chars = page.rows.reduce((sum, [, , body]) => sum + body.length, 0);
    size.learn({ count: page.rows.length, chars });
  }
}
