// One socket's view of one session: it is told what is owed, then what comes. A reply is owed until a
// device has read it; which message it answers is decided by the journal's records.
import type { ChannelMessage, Journal } from "../../kernel/journal/journal.ts";
import { StorageFullError } from "../../kernel/journal/sqlite/database.ts";
import { ApiError } from "../../kernel/events/errors.ts";
import { terminalDialect, type TerminalReply } from "./wire/terminal.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import type { Socket } from "../../kernel/server/feed/sockets.ts";
import { packText } from "../../kernel/server/feed/sources.ts";
import type { Source, Subscriber } from "../../kernel/server/feed/tail.ts";
import { findRun, windowSource } from "../../kernel/server/feed/window.ts";
import { postTo, type Post } from "./post.ts";
import { repliesTo, requestNow, type Point } from "./reads.ts";

export type Following = {
  /** Tells what is owed, then goes on with what comes. */
  begin(): Promise<void>;
  /** A message was taken here: its reply may be there already. */
  took(message: ChannelMessage): Promise<void>;
  /** Why a message must not be taken now; undefined when it may. `meant`: as the message says. */
  refusal(meant: string | null | undefined): Promise<Refusal | undefined>;
  /** The request that was asked here and waits, if any. */
  asked(): string | null;
  leave(): void;
};

/** `request_id`: what is asked by it. */
export type Refusal = { readonly error: string; readonly request_id?: string | undefined };

type View = {
  readonly journal: Journal;
  readonly sessionId: string;
  readonly post: Post;
  /** Once the device has read everything that was sent so far. */
  readonly onceRead: (work: () => Promise<void>) => void;
  /** Messages that had their reply here, and are not marked yet. */
  readonly settled: Set<string>;
};
/** Work of one socket, one piece after the other: an acknowledgement precedes its reply. */
export type InTurn = (work: () => Promise<void>) => Promise<void>;

export function follow(
  { journal, streams, logError }: Pick<AppDeps, "journal" | "streams" | "logError">,
  sessionId: string,
  { socket, inTurn }: { socket: Socket; inTurn: InTurn },
): Following {
  const post = postTo(socket);
  const view: View = {
    journal,
    sessionId,
    post,
    settled: new Set(),
    // Not waited for: while a message is being taken, nothing of the device's is read.
    onceRead(work) {
      const read = socket.reached().then((reached) => (reached ? work() : undefined));
      read.catch((error: unknown) => {
        // Whoever has left meanwhile, or is being left, is told once more: nothing is lost.
        if (!post.closed) logError(error);
      });
    },
  };
  const subscriber: Subscriber = {
    write(chunk) {
      for (const line of chunk.toString("utf8").split("\n")) {
        if (line !== "") void inTurn(() => emit(view, JSON.parse(line) as Point));
      }
      return !post.closed;
    },
    drained: () => socket.subscriber.drained(),
    // Who has left must not take the others' socket along.
    end: () => void (post.closed || socket.subscriber.end()),
    get closed() {
      return post.closed;
    },
  };
  return {
    async begin() {
      const { source, head } = await pointsOf(view);
      await emitOwed(view);
      await streams.tails.subscribe(source, head, subscriber);
    },
    took: (message) => emitAfter(view, message),
    refusal: (meant) => refusal(view, meant),
    asked: () => post.asked?.reply.request_id ?? null,
    leave: () => post.leave(),
  };
}

/** What the session's replies are from now on, as lines for the subscriber above. */
async function pointsOf({ journal, sessionId }: View): Promise<{ source: Source; head: number }> {
  const session = await journal.reads.session(sessionId);
  const head = session?.seq ?? 0;
  const active = session?.active_run_id ?? null;
  const open = active === null ? undefined : await findRun(journal, active);
  // A run that has not ended is folded from its beginning, or its dialect would not know it.
  const from = Math.min(open?.begin ?? head, head);
  const source = windowSource(journal, {
    dialect: terminalDialect,
    sessionId,
    text: (reply: TerminalReply, { session_seq: seq }) => `${JSON.stringify({ seq, reply })}\n`,
    pack: packText,
  });
  return { source: { ...source, enter: (after) => ({ ...source.enter(after), from }) }, head };
}

/** To whoever has just connected: every reply that is owed, and whatever waits. */
async function emitOwed(view: View): Promise<void> {
  const { journal, sessionId, post } = view;
  const owed = await owedIn(view);
  for (const [index, message] of owed.entries()) {
    const newer = owed.slice(index + 1).some(({ run_id }) => run_id === message.run_id);
    if (!newer) await emitNewest(view, message, owed);
  }
  const request = await requestNow(journal, sessionId);
  if (!request || post.asked?.reply.request_id === request.reply.request_id) return;
  post.send(owed[0]?.message_id ?? request.reply.message_id, request);
}

async function emitNewest(view: View, message: ChannelMessage, owed: readonly ChannelMessage[]) {
  const ofRun = owed.filter(({ run_id }) => run_id === message.run_id);
  try {
    await settle(view, ofRun, (await repliesTo(view.journal, message)).now);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { message_id, run_id } = message;
    const reply = { ...UNREADABLE, message_id, run_id, text: error.message };
    if (view.post.send(message_id, { seq: Infinity, reply })) markReplied(view, message);
  }
}
const UNREADABLE = { type: "message", role: "assistant", finish_reason: "error" } as const;

/** As it happens. */
async function emit(view: View, point: Point): Promise<void> {
  const { post } = view;
  const { run_id, request_id } = point.reply;
  if (request_id !== undefined && !(await isPending(view, request_id))) return;
  const owed = await owedIn(view);
  const ofRun = owed.filter((message) => message.run_id === run_id);
  if (ofRun.length > 0) await settle(view, ofRun, point);
  else await emitUnowed(view, point, owed);
  if (request_id === undefined) post.forget(run_id);
}

/** No message waits for it: another socket of this peer was faster, or another window asked for it. */
async function emitUnowed(view: View, point: Point, owed: readonly ChannelMessage[]) {
  const { journal, sessionId, post } = view;
  const { run_id, message_id, request_id } = point.reply;
  const own = await journal.reads.channelMessage(sessionId, message_id);
  // Ids of other windows may look the same.
  const known = post.lastOf(run_id) ?? (own?.run_id === run_id ? message_id : undefined);
  if (known !== undefined) post.send(known, point);
  // Not asked for here, but the device's own messages wait behind it.
  else if (request_id !== undefined) post.send(owed[0]?.message_id ?? message_id, point);
}

async function emitAfter(view: View, message: ChannelMessage): Promise<void> {
  view.post.asked = undefined;
  if (message.after_seq === 0) return; // a new run: nothing can be there yet
  const { now } = await repliesTo(view.journal, message);
  const owed = await owedIn(view);
  const ofRun = owed.filter(({ run_id }) => run_id === message.run_id);
  await settle(view, ofRun, now);
}

/**
 * Messages of one run, oldest first. The last is owed whatever comes, until the run has ended; those before
 * it were answers, or answered: they had their reply, or get it now.
 */
async function settle(view: View, messages: readonly ChannelMessage[], point: Point | undefined) {
  const newest = messages.at(-1);
  for (const message of messages) {
    const due = message === newest ? point : (await repliesTo(view.journal, message)).first;
    if (!due || !view.post.send(message.message_id, due)) continue;
    const over = message !== newest || due.reply.request_id === undefined;
    if (over) markReplied(view, message);
  }
}

/** A socket nobody reads from any more takes bytes for a while: until the device has them, they are owed. */
function markReplied({ journal, onceRead, settled }: View, message: ChannelMessage): void {
  settled.add(message.message_id);
  onceRead(async () => {
    try {
      await journal.commands.markReplied(message);
    } catch (error) {
      if (!(error instanceof StorageFullError)) throw error; // told once more, on another socket
    } finally {
      settled.delete(message.message_id);
    }
  });
}

async function owedIn({ journal, sessionId, settled }: View): Promise<ChannelMessage[]> {
  const owed = await journal.reads.unreplied(sessionId);
  return owed.filter(({ message_id }) => !settled.has(message_id));
}

async function isPending({ journal, sessionId }: View, requestId: string): Promise<boolean> {
  const pending = await journal.reads.pending({ sessionId });
  return pending.some(({ request_id }) => request_id === requestId);
}

/** Words are an answer only to what they are meant for, or was asked on this socket, while it waits. */
async function refusal(
  { journal, sessionId, post }: View,
  meant: string | null | undefined,
): Promise<Refusal | undefined> {
  const shown = post.asked?.reply.request_id;
  const asked = meant === undefined ? shown : (meant ?? undefined);
  const pending = await journal.reads.pending({ sessionId });
  if (asked !== undefined && pending.every(({ request_id }) => request_id !== asked)) {
    if (asked === shown) post.asked = undefined;
    return { error: ANSWERED };
  }
  // Not the oldest that is open: that may be of a run which nobody goes on with.
  const request = pending.length === 0 ? undefined : await requestNow(journal, sessionId);
  if (!request || request.reply.request_id === asked) return undefined; // or its run is being stopped
  post.asked = request;
  const { text, request_id } = request.reply;
  return { error: `${UNSEEN}\n\n${text}`, request_id };
}

const ANSWERED =
  "What was asked has been answered elsewhere meanwhile. This was not taken: send it again if it is something new.";
const UNSEEN = "Something waits for an answer. This was not taken: answer first.";
