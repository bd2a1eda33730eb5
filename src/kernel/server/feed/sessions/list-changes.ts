// What tabs know of each session, and what has changed since. A session that streams text changes with every token;
// lists show none of that, so such changes are sent only now and then.
import type { Wake } from "../../../journal/journal.ts";
import type { FeedBoard } from "../../../api/records/feed.ts";
import type { RequestRecord, SessionRecord } from "../../../api/records/records.ts";
import { SYSTEM_LOG } from "../../../events/system-events.ts";
import type { SessionListJournal } from "./list.ts";

/** How we know of it. Only what its own log says can make a session go or come back. */
type Heard = "own" | "run" | "listed";
type Emitted = { readonly change: Change; readonly at: number };
type Change = {
  readonly record: SessionRecord;
  readonly pending: readonly RequestRecord[];
  readonly gone: boolean;
};

const RECENT = 20; // looked at when a wake-up does not say which session it is about

export function listedSessions(journal: SessionListJournal, quietMs: number) {
  const emitted = new Map<string, Emitted>();
  const heard = new Map<string, Heard>();
  const later = new Set<string>(); // only their numbers moved
  let unnamed = false;
  const checkSystemLog = systemLogChange(journal);

  /** Undefined: there is nothing to say, or nothing that cannot wait. */
  function news(change: Change): Change | undefined {
    const sessionId = change.record.session_id;
    const before = emitted.get(sessionId);
    const same = before !== undefined && looks(before.change) === looks(change);
    later.delete(sessionId);
    if (same && before.change.record.seq === change.record.seq) return undefined;
    const now = performance.now();
    if (same && now - before.at < quietMs) return void later.add(sessionId);
    emitted.set(sessionId, { change, at: now });
    return change;
  }

  /** Everything is read before any of it counts as emitted: what cannot be read now is read another time. */
  async function read(work: Map<string, Heard>, around: boolean) {
    const systemLogChanged = work.delete(SYSTEM_LOG) || around;
    const newest = around ? await journal.reads.sessions({ limit: RECENT, offset: 0 }) : [];
    for (const { session_id: id, seq } of newest)
      if (emitted.get(id)?.change.record.seq !== seq && !work.has(id)) work.set(id, "listed");
    const seen: Change[] = [];
    for (const [sessionId, how] of work) {
      const before = emitted.get(sessionId)?.change;
      const change = await look(journal, sessionId, { how, before });
      if (change) seen.push(change);
    }
    return { seen, moved: systemLogChanged ? await checkSystemLog() : undefined };
  }

  /** What its own log says is not forgotten for what a run of it says. */
  const hear = (sessionId: string, how: Heard) => {
    if (heard.get(sessionId) !== "own") heard.set(sessionId, how);
  };
  const note = (wake: Wake | "all") => {
    if (wake === "all") unnamed = true;
    else hear(wake.sessionId, wake.logId === wake.sessionId ? "own" : "run");
  };

  return {
    note,
    /** True while something was left for later. */
    waits: () => unnamed || later.size + heard.size > 0,
    async changes(): Promise<FeedBoard | undefined> {
      const due = [...later].filter((id) => isDue(emitted.get(id), quietMs) && !heard.has(id));
      for (const id of due) heard.set(id, "run");
      const [work, around] = [[...heard], unnamed];
      heard.clear();
      unnamed = false;
      try {
        const { seen, moved } = await read(new Map(work), around);
        const found = seen.flatMap((change) => news(change) ?? []);
        if (found.length === 0 && moved === undefined) return undefined;
        return { ...frameOf(found), ...(moved !== undefined && { house: moved }) };
      } catch (error) {
        for (const [sessionId, how] of work) hear(sessionId, how);
        unnamed ||= around;
        throw error;
      }
    },
  };
}

async function look(
  journal: SessionListJournal,
  sessionId: string,
  { how, before }: { readonly how: Heard; readonly before: Change | undefined },
): Promise<Change | undefined> {
  const record = await journal.reads.session(sessionId);
  if (!record) return undefined;
  // Lists leave deleted sessions out; one whose runs are still being stopped must not come back by that.
  const doubtful = how === "own" || (how === "run" && before?.gone !== false);
  const gone = doubtful && (await journal.reads.sessionSummary(sessionId))?.deleted === true;
  const pending = record.pending > 0 && !gone ? await journal.reads.pending({ sessionId }) : [];
  return { record, pending, gone };
}

/** How long its log is, where that is news. */
function systemLogChange(journal: SessionListJournal): () => Promise<number | undefined> {
  let known: number | undefined;
  return async () => {
    const seq = await systemLogSeq(journal);
    if (seq === known) return undefined;
    known = seq;
    return seq;
  };
}

export async function systemLogSeq(journal: Pick<SessionListJournal, "reads">): Promise<number> {
  return (await journal.reads.session(SYSTEM_LOG))?.seq ?? 0;
}

function isDue(emitted: Emitted | undefined, quietMs: number): boolean {
  return emitted !== undefined && performance.now() - emitted.at >= quietMs;
}

function frameOf(changes: readonly Change[]): FeedBoard {
  const gone = changes.filter((change) => change.gone).map(({ record }) => record.session_id);
  const sessions = changes.filter((change) => !change.gone).map(({ record }) => record);
  const pending = changes.map(({ record, pending: waiting }) => [record.session_id, [...waiting]]);
  return { feed: "board", whole: false, sessions, gone, pending: Object.fromEntries(pending) };
}

/** All that lists show. Its numbers move with every token. */
function looks({ record: { seq: _seq, updated_at: _at, ...rest }, pending, gone }: Change): string {
  return JSON.stringify([rest, pending.map(({ request_id }) => request_id), gone]);
}
