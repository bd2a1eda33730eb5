// Shared by the contract suites: a store that any number of journals can connect to (each as another process would),
// and an oracle that reads a journal without trusting its code.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as d from "../../../../test/support/drafts.ts";
import type { Outcome, StartRun } from "../../events/commands.ts";
import type { ImportedFrom } from "../../events/recording-file.ts";
import type { Draft, RunEvent } from "../../events/events.ts";
import type { Claim, Journal, Page } from "../journal.ts";
import { storeIn } from "../../../../test/support/peer.ts";
import { insightStore } from "../../../features/insights/store/store.ts";

const insightsOf = storeIn(
  import.meta.resolve("../../../features/insights/store/store.ts"),
  insightStore,
);

export interface Store extends AsyncDisposable {
  connect(): Promise<Journal>;
}
export type OpenStore = () => Promise<Store>;

export const DEFAULTS = { model: "demo/demo", workspace: "/w" };
export const LONG_MS = 600_000;
/** Where an imported session comes from. */
export const FROM: ImportedFrom = {
  kind: "session",
  session_id: "there",
  run_id: null,
  recording: "a".repeat(64),
  digest: "b".repeat(64),
  bytes: 10,
  events: 2,
  exported_at: 1,
  exported_by: "me",
  policy: "share",
};

export async function start(journal: Journal, command: Partial<StartRun> = {}): Promise<string> {
  const wanted = { session_id: "s1", message: "hello", ...command };
  const { run_id, status } = await journal.commands.startRun(wanted, DEFAULTS);
  assert.equal(status, "accepted");
  assert.ok(run_id);
  return run_id;
}

type Claiming = {
  runnerId?: string;
  leaseMs?: number;
  lost?: string[];
  childrenOnly?: boolean;
  volumes?: string[];
};

export function claimNext(journal: Journal, options: Claiming = {}): Promise<Claim | undefined> {
  const defaults = {
    runnerId: "runner_a",
    leaseMs: LONG_MS,
    lost: [],
    childrenOnly: false,
    volumes: [],
  };
  return journal.claimNext({ ...defaults, ...options });
}

export async function claimed(journal: Journal, options: Claiming = {}): Promise<Claim> {
  const claim = await claimNext(journal, options);
  assert.ok(claim, "there is a run to claim");
  return claim;
}

/** A journal with one claimed run in session s1. */
export async function withRun(store: Store) {
  const journal = await store.connect();
  const runId = await start(journal);
  return { journal, runId, claim: await claimed(journal) };
}

export async function write(journal: Journal, claim: Claim, ...drafts: Draft[]): Promise<number> {
  const result = await journal.append(claim, drafts);
  assert.ok(result.ok, JSON.stringify(result));
  return result.seq;
}

/** Waits for the clock to advance, so that the next append is later than all others. */
export function later(): void {
  for (const now = Date.now(); Date.now() === now;);
}

type ReadPage = (after: number) => Promise<Page | undefined>;

async function bodies(read: ReadPage): Promise<string[]> {
  const found: string[] = [];
  for (let page = await read(0); page && page.rows.length > 0; page = await read(found.length)) {
    found.push(...page.rows.map(([, , body]) => body));
  }
  return found;
}

const parsed = (body: string) => JSON.parse(body) as RunEvent;

export async function runEvents(journal: Journal, logId: string): Promise<RunEvent[]> {
  return (await bodies((after) => journal.readRun(logId, after, 7))).map(parsed);
}

export async function sessionEvents(journal: Journal, sessionId = "s1"): Promise<RunEvent[]> {
  return (await bodies((after) => journal.readSession(sessionId, after, 7))).map(parsed);
}

export async function typesOf(journal: Journal, logId: string): Promise<string[]> {
  return (await runEvents(journal, logId)).map(({ type }) => type);
}

export function eventIdOf({ event_id }: Outcome): string {
  assert.ok(event_id);
  return event_id;
}

/** The payloads of a log's events of one type. */
export async function payloadsOf(journal: Journal, logId: string, type: string) {
  const events = await runEvents(journal, logId);
  return events.flatMap((event) =>
    event.type === type ? [event.payload as Record<string, unknown>] : [],
  );
}

export function statuses(outcomes: readonly (Outcome | undefined)[]): string[] {
  return outcomes.map((outcome) => outcome?.status ?? "none").toSorted();
}

export async function end(journal: Journal, claim: Claim): Promise<void> {
  const seq = (await journal.reads.run(claim.runId))?.seq ?? 0;
  await write(journal, claim, d.done(seq + 1));
}

/** A run of session s1 from its start to its end, with what it did in between. */
export async function exchange(journal: Journal, message: string, ...did: Draft[]) {
  const runId = await start(journal, { message });
  const claim = await claimed(journal);
  assert.equal(claim.runId, runId);
  const answer = d.said("m1", `re: ${message}`);
  await write(journal, claim, d.started(), d.turnStarted(1), ...did, answer);
  await end(journal, claim);
  return runId;
}

/** Rules E1 to E7 for everything in a session, checked from the bytes up. */
export async function checkSession(journal: Journal, sessionId: string): Promise<void> {
  const across = await bodies((after) => journal.readSession(sessionId, after, 50));
  for (const [index, body] of across.entries()) {
    assert.equal(parsed(body).session_seq, index + 1, "[E4] session_seq has no gaps");
  }
  const byLog = Map.groupBy(across, (body) => parsed(body).run_id);
  for (const [logId, log] of byLog) {
    checkLog(logId, log);
    assert.deepEqual(await bodies((after) => journal.readRun(logId, after, 50)), log);
  }
  const runs = (await journal.reads.runsOf(sessionId)).map(({ run_id }) => run_id);
  assert.deepEqual([...byLog.keys()].toSorted(), [sessionId, ...runs].toSorted());
}

function checkLog(logId: string, log: readonly string[]): void {
  let previous = { hash: "0".repeat(64), created_at: 0 };
  for (const [index, body] of log.entries()) {
    const event = parsed(body);
    const at = `${logId}:${index + 1}`;
    assert.deepEqual([event.seq, event.event_id], [index + 1, at], "[E2]");
    assert.equal(event.prev_hash, previous.hash, `[E6] ${at} follows its predecessor`);
    const core = body.slice(0, body.lastIndexOf(',"hash":'));
    assert.equal(event.hash, createHash("sha256").update(core).digest("hex"), `[E6] ${at}`);
    assert.ok(event.created_at >= previous.created_at, `[E5] ${at}`);
    assert.equal(event.terminal, event.type === "done", `[E7] ${at}`);
    if (event.terminal) assert.equal(index, log.length - 1, `[E7] something follows ${at}`);
    previous = event;
  }
}

/** Everything that follows from events, for comparing before and after a rebuild. */
export async function lists(journal: Journal) {
  const sessions = await journal.reads.sessions({ limit: 200, offset: 0 });
  const ids = sessions.map(({ session_id }) => session_id);
  const each = <Value>(read: (id: string) => Promise<Value>) => Promise.all(ids.map(read));
  const runs = await each((id) => journal.reads.runsOf(id));
  const runIds = runs.flat().map(({ run_id }) => run_id);
  return {
    sessions,
    runs,
    pending: await journal.reads.pending({}),
    inbox: await journal.reads.inbox(),
    rules: await each((id) => journal.reads.rules(id)),
    changes: await each((sessionId) => journal.reads.changes({ sessionId })),
    branches: await each((id) => journal.reads.branchedFrom(id)),
    spent: await Promise.all(runIds.map((id) => journal.reads.spent(id))),
    summaries: await journal.reads.sessionSummaries({ limit: 200, offset: 0 }),
    used: await journal.reads.usageSince(0),
    insights: await insightsOf(journal).insightSlots({ from: 0, to: 9e9 }),
    tools: await insightsOf(journal).insightTools({ from: 0, to: 9e9, limit: 50 }),
  };
}
