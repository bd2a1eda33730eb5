// Sends the session list and pending requests to every tab as they change. Only sessions with new events are read,
// once for all tabs, so the work grows with neither tabs nor sessions.
import type { Journal } from "../../../journal/journal.ts";
import type { FeedBoard } from "../../../api/records/feed.ts";
import type { RequestRecord } from "../../../api/records/records.ts";
import { systemLogSeq, listedSessions } from "./list-changes.ts";
import { coalesced } from "../coalesce.ts";
import { packMessages } from "../sockets.ts";
import type { Subscriber } from "../tail.ts";

export type SessionListJournal = Pick<Journal, "watch" | "reads">;
export type SessionList = {
  /** Tells all of it, then what changes. Settles when the first part is told. */
  join(subscriber: Pick<Subscriber, "write">, gone: AbortSignal): Promise<void>;
};
export type SessionListTiming = {
  readonly gatherMs: number; // changes within this time are told together
  readonly quietMs: number; // how often a session is told in which nothing but its numbers moved
};

const TIMING: SessionListTiming = { gatherMs: 150, quietMs: 2_000 };
const LISTED = 200; // sessions a tab is told at first; older ones it asks for

type Member = { readonly write: (chunk: Buffer) => void; early: Buffer[] | undefined };

export function openSessionList(
  journal: SessionListJournal,
  failed: (error: unknown) => void,
  timing: SessionListTiming = TIMING,
): SessionList {
  const members = new Set<Member>();
  let stop: (() => void) | undefined;
  const broadcast = (frame: FeedBoard) => {
    const chunk = packMessages([JSON.stringify(frame)]);
    for (const { write, early } of members) {
      if (early) early.push(chunk);
      else write(chunk);
    }
  };
  return {
    async join(subscriber, gone) {
      const member: Member = { write: (chunk) => void subscriber.write(chunk), early: [] };
      members.add(member);
      stop ??= follow(journal, { broadcast, failed, timing });
      gone.addEventListener("abort", () => {
        members.delete(member);
        if (members.size > 0) return;
        stop?.();
        stop = undefined; // whoever comes next is told all of it
      });
      member.write(packMessages([JSON.stringify(await fullSessionList(journal))]));
      for (const chunk of member.early ?? []) member.write(chunk); // what changed while it was read
      member.early = undefined;
    },
  };
}

type Following = {
  readonly broadcast: (frame: FeedBoard) => void;
  readonly failed: (error: unknown) => void;
  readonly timing: SessionListTiming;
};

function follow(journal: SessionListJournal, { broadcast, failed, timing }: Following): () => void {
  const emitted = listedSessions(journal, timing.quietMs);
  const flush = coalesced(timing.gatherMs, failed, async () => {
    const frame = await emitted.changes();
    if (frame) broadcast(frame);
  });
  const unwatch = journal.watch((wake) => {
    emitted.note(wake);
    flush.soon();
  });
  const late = setInterval(() => emitted.waits() && flush.soon(), timing.quietMs).unref();
  return () => {
    unwatch();
    clearInterval(late);
    flush.stop();
  };
}

async function fullSessionList(journal: SessionListJournal): Promise<FeedBoard> {
  const sessions = await journal.reads.sessions({ limit: LISTED, offset: 0 });
  const pending: Record<string, RequestRecord[]> = {};
  for (const request of await journal.reads.pending({})) {
    (pending[request.session_id] ??= []).push(request);
  }
  const house = await systemLogSeq(journal);
  return { feed: "board", whole: true, sessions: [...sessions], gone: [], pending, house };
}
