// Commands and appends of two runners on two connections, in any order and concurrently: every invariant holds at the
// end, and rebuilt lists equal the stored ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as d from "../../../../test/support/drafts.ts";
import type { Outcome } from "../../events/commands.ts";
import type { Claim, Journal } from "../journal.ts";
import * as s from "./store.contract.ts";

const KINDS = [
  "start",
  "claim",
  "steal",
  "write",
  "ask",
  "end",
  "endBlindly",
  "answer",
  "deny",
  "cancel",
  "steer",
  "queue",
  "goal",
  "release",
  "edit",
  "move",
  "undo",
  "retry",
  "rerun",
  "branch",
  "compress",
  "settings",
  "change",
  "rollback",
  "delete",
  "bringBack",
  "say",
] as const;
type Op = { kind: (typeof KINDS)[number]; by: number; at: number };
type World = { journals: readonly Journal[]; claims: Claim[]; runs: string[] };

const pick = <Value>(values: readonly Value[], at: number): Value | undefined =>
  values[at % Math.max(1, values.length)];

function refused(error: unknown): void {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "invalid_request")
    throw error;
}

async function act(world: World, { kind, by, at }: Op): Promise<unknown> {
  const journal = pick(world.journals, by) as Journal;
  const claim = pick(world.claims, at);
  const runId = pick(world.runs, at) ?? "nobody";
  const seqOf = async (id: string) => (await journal.reads.run(id))?.seq ?? 0;
  const claimAs = async (lost: string[]) => {
    const found = await s.claimNext(journal, { runnerId: `runner_${by % 2}`, lost });
    if (found) world.claims.push(found);
  };
  const sessionId = `s${at % 2}`;
  const other = pick(world.runs, at + 1) ?? "nobody";
  const remember = (outcome: Outcome | undefined) => {
    if (outcome?.status === "accepted" && outcome.run_id) world.runs.push(outcome.run_id);
  };
  const answer = (choice: "once" | "deny") =>
    journal.commands.respondApproval(
      { runId, approvalId: `ap_${runId}` },
      { choice, by: "person" },
    );

  const acts: Record<Op["kind"], () => Promise<unknown>> = {
    start: async () => world.runs.push(await s.start(journal, { session_id: `s${at % 2}` })),
    claim: () => claimAs([]),
    steal: () => claimAs([`runner_${(by + 1) % 2}`]),
    write: async () => claim && journal.append(claim, [d.token("m1", "a"), d.token("m2", "b")]),
    ask: async () => claim && journal.append(claim, [d.approvalAsked(claim.runId)]),
    end: async () => {
      if (!claim) return;
      const expectSeq = await seqOf(claim.runId);
      await journal.append(claim, [d.done(expectSeq + 1)], { expectSeq });
    },
    endBlindly: async () => claim && journal.append(claim, [d.token("m1", "c"), d.done(1)]),
    answer: () => answer("once"),
    deny: () => answer("deny"),
    cancel: () => journal.commands.cancelRun(runId, {}),
    steer: () => journal.commands.queueMessage(runId, { message: "hey", mode: "steer" }),
    queue: async () => {
      const queued = await journal.commands.queueMessage(runId, {
        message: "later",
        mode: "queue",
      });
      if (queued?.accepted && queued.run_id) world.runs.push(queued.run_id);
    },
    goal: () =>
      journal.commands.updateGoal(`s${at % 2}`, { action: "set", text: `goal ${at % 3}` }),
    release: async () => claim && journal.release(claim),
    edit: async () => {
      const [said] = await s.payloadsOf(journal, runId, "message.user");
      const messageId = String(said?.["message_id"]);
      await journal.commands.editMessage(
        { runId, messageId },
        { text: at % 3 === 0 ? null : `t${at}` },
      );
    },
    move: () =>
      journal.commands.moveQueued(runId, { before: at % 2 === 0 ? null : other }).catch(refused),
    undo: () => journal.commands.undo(sessionId, { files: at % 2 === 0 }),
    retry: async () => remember(await journal.commands.retry(sessionId, {})),
    rerun: async () =>
      remember(await journal.commands.rerun(runId, { message: "else", files: true })),
    branch: () => journal.commands.branch(sessionId, { files: true }),
    compress: async () => remember(await journal.commands.compress(sessionId, {})),
    settings: () =>
      journal.commands.updateSession(sessionId, { yolo: at % 2 === 0, profile: `p${at % 3}` }),
    change: async () =>
      claim && journal.append(claim, [d.changed("c1", "a", `${at}`), d.used(1, 2)]),
    rollback: async () => remember(await journal.commands.rollback(sessionId, {})),
    delete: () => journal.commands.updateSession(sessionId, { deleted: true }),
    bringBack: () => journal.commands.updateSession(sessionId, { deleted: false }),
    say: async () => {
      const said = { session_id: sessionId, message_id: `k${at % 12}`, source: "terminal" };
      const text = at % 3 === 0 ? "yes" : "go on";
      const { message } = await journal.commands.takeChannelMessage({ ...said, text }, s.DEFAULTS);
      world.runs.push(message.run_id);
    },
  };
  return acts[kind]();
}

/** A deleted session has no active run, and no message of a device was accepted twice. */
async function checkWindows(journal: Journal, sessionId: string): Promise<void> {
  const summary = await journal.reads.sessionSummary(sessionId);
  if (!summary) return;
  await s.checkSession(journal, sessionId);
  const open = (await journal.reads.runsOf(sessionId)).filter(
    (run) => run.ended_at === null && run.parent_run_id === null && run.status !== "cancelling",
  );
  if (summary.deleted) assert.deepEqual(open, []);
  const events = await s.sessionEvents(journal, sessionId);
  const said = events.flatMap((event) =>
    event.type === "message.user" && /^k\d+$/.test(event.payload.message_id)
      ? [event.payload.message_id]
      : [],
  );
  assert.equal(new Set(said).size, said.length);
  const answers = events.filter(
    (event) => event.type === "approval.resolved" && event.payload.by === "terminal",
  );
  for (const message of await journal.reads.unreplied(sessionId)) {
    assert.ok(message.after_seq <= summary.seq);
    assert.ok(message.after_seq > 0 || said.includes(message.message_id));
    const run = await journal.reads.run(message.run_id);
    assert.deepEqual([run?.session_id, run?.parent_run_id], [sessionId, null]);
  }
  const places = (await journal.reads.unreplied(sessionId)).map(({ after_seq }) => after_seq);
  for (const { session_seq } of answers) {
    assert.ok(places.includes(session_seq + 1), "an answer and the status it left");
  }
}

const op = fc.record({ kind: fc.constantFrom(...KINDS), by: fc.nat(1), at: fc.nat(50) });
const batches = fc.array(fc.array(op, { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 14,
});

export function interleavingsContract(name: string, open: s.OpenStore): void {
  test(`${name} [E2, E4, E7, J1, J2, J4, J7, X6] any interleaving keeps every invariant`, async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (plan) => {
        await using store = await open();
        const journals = [await store.connect(), await store.connect()];
        const world: World = { journals, claims: [], runs: [] };
        for (const kind of ["start", "claim"] as const) await act(world, { kind, by: 0, at: 0 });
        for (const batch of plan) await Promise.all(batch.map((each) => act(world, each)));

        const [journal] = journals as [Journal];
        for (const sessionId of ["s0", "s1"]) await checkWindows(journal, sessionId);
        const before = await s.lists(journal);
        for (const { session_id } of before.sessions) await s.checkSession(journal, session_id);
        for (const run of before.runs.flat()) {
          const ends = (await s.typesOf(journal, run.run_id)).filter((type) => type === "done");
          assert.equal(ends.length, run.ended_at === null ? 0 : 1);
        }
        assert.deepEqual(await journal.upkeep.verify(), []);
        await journal.upkeep.rebuild();
        assert.deepEqual(await s.lists(journal), before);
      }),
      { numRuns: 40 },
    );
  });
}
