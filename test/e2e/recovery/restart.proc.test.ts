// The restart gate of the run contract, both halves, with real processes and real kills.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { applyEvent, emptyRun } from "../../../src/kernel/state/run/state.ts";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { toArray } from "../../../src/kernel/state/vector.ts";
import { call, readEvents, startRun, type Server } from "../../support/http.ts";
import { followRun } from "../../support/follow.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome, startProgram, type TestHome, type Program } from "../../support/program.ts";
import { processesWith } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

type RunInfo = {
  status: string;
  pending_approval_id: string;
  pending_clarify_id: string;
  seq: number;
};
const info = async (server: Server, runId: string) =>
  (await call<RunInfo>(server, "GET", `/api/runs/${runId}`)).body.data;
const count = (upTo: number) =>
  Array.from({ length: upTo }, (_, index) => `${index + 1} `)
    .join("")
    .trim();
const answerOf = (events: RunEvent[]) =>
  toArray(events.reduce(applyEvent, emptyRun(events[0]?.run_id ?? "")).items)
    .filter((item) => item.kind === "text" && !item.superseded)
    .map((item) => (item.kind === "text" ? item.text.trim() : ""));

async function restarted(program: Program, before: { serve?: number; work?: number }) {
  await until(async () => {
    const status = await program.status();
    const serve = before.serve === undefined || (status.serve && status.serve.pid !== before.serve);
    const work = before.work === undefined || status.runners.some(({ pid }) => pid !== before.work);
    return serve && work;
  }, "the killed process to be back");
}

test("[V5, H2, C4] killing serve mid-run: the run goes on, the cursor replays, cancel works after", async () => {
  using place = newTestHome();
  await using program = await startProgram(place);
  const { run_id } = await startRun(program, "pace 10\ncount 2000");
  const seen = await readEvents(program, `/api/runs/${run_id}/events`, { take: 40 });
  const [pid] = await program.kill("serve");
  const atKill = seen.frames.length;
  await restarted(program, { serve: pid as number });

  const after = seen.frames.at(-1)?.id;
  const rest = await readEvents(program, `/api/runs/${run_id}/events`, { after, take: 60 });
  const cancelled = await call(program, "POST", `/api/runs/${run_id}/cancel`, {});
  const end = await followRun(() => program, run_id);

  assert.equal(cancelled.status, 202);
  assert.equal(
    rest.frames[0]?.id,
    `${run_id}:${atKill + 1}`,
    "no hole and no repeat at the cursor",
  );
  assert.deepEqual(
    end.events.map(({ seq }) => seq),
    end.events.map((_, index) => index + 1),
  );
  assert.deepEqual(
    [...seen.frames, ...rest.frames].map(({ data }) => data),
    end.frames.slice(0, seen.frames.length + rest.frames.length).map(({ data }) => data),
    "what was seen before the kill is the same bytes after it",
  );
  assert.equal(
    end.events.filter(({ type }) => type === "recovery").length,
    0,
    "the runner did not notice",
  );
  const done = end.events.at(-1);
  assert.ok(done?.type === "done" && done.payload.status === "cancelled");
  assert.match(answerOf(end.events)[0] ?? "", /^1 2 3 /, "partial text is kept");
});

test("[D1, R1, R2] killing work mid-answer: the same run completes, history unchanged", async () => {
  using place = newTestHome();
  await using program = await startProgram(place);
  const { run_id } = await startRun(program, "pace 5\ncount 120");
  const seen = await readEvents(program, `/api/runs/${run_id}/events`, { take: 40 });
  await program.kill("work");

  const end = await followRun(() => program, run_id);

  assert.deepEqual(
    end.frames.slice(0, 40).map(({ data }) => data),
    seen.frames.map(({ data }) => data),
  );
  const types = end.events.map(({ type }) => type);
  assert.equal(types.filter((type) => type === "recovery").length, 1);
  assert.equal(types.filter((type) => type === "turn.superseded").length, 1);
  assert.deepEqual(answerOf(end.events), [count(120)]);
  assert.equal(types.filter((type) => type === "done").length, 1);
});

test("[X3, R3, R4] killing work mid-tool: never run twice, asked about, and the run goes on", async () => {
  using place = newTestHome();
  await using program = await startProgram(place);
  const ledger = join(place.workspace, "ledger");
  const script = `pace 0\nexec echo ran >> ledger; sleep 30\nsay after`;
  const { run_id } = await startRun(program, script);
  const approval = await until(async () => (await info(program, run_id)).pending_approval_id);
  await call(program, "POST", `/api/runs/${run_id}/approvals/${approval}`, { choice: "once" });
  await until(() => read(ledger) !== "", "the tool's effect");
  await program.kill("work");

  const request = await until(async () => (await info(program, run_id)).pending_clarify_id);
  const listed = await call<{ pending: { kind: string; choices: string[] }[] }>(
    program,
    "GET",
    "/api/pending",
  );
  assert.deepEqual(
    listed.body.data.pending.map(({ kind, choices }) => ({ kind, choices })),
    [{ kind: "unknown_outcome", choices: ["check", "retry", "mark_done", "skip"] }],
  );
  const bad = await call(program, "POST", `/api/runs/${run_id}/clarifications/${request}`, {
    response: "maybe",
  });
  assert.equal(bad.status, 400);
  await call(program, "POST", `/api/runs/${run_id}/clarifications/${request}`, {
    response: "mark_done",
  });
  const end = await followRun(() => program, run_id);

  assert.equal(read(ledger), "ran\n");
  assert.deepEqual(answerOf(end.events), ["after"]);
  assert.equal((await info(program, run_id)).status, "completed");
});

for (const [choice, runs] of [
  ["skip", 1],
  ["retry", 2],
  ["check", 1],
] as const) {
  test(`[R4a] an unknown outcome answered with ${choice} runs the tool ${runs} time(s) in all`, async () => {
    using place = newTestHome();
    await using program = await openPair(place, { apart: ["work"] });
    const ledger = join(place.workspace, "ledger");
    const sleep = `[ $(wc -l < ledger) -gt 1 ] || sleep 30`;
    const { run_id } = await startRun(
      program,
      `pace 0\nexec echo ran >> ledger; ${sleep}\nsay after`,
    );
    const approval = await until(async () => (await info(program, run_id)).pending_approval_id);
    await call(program, "POST", `/api/runs/${run_id}/approvals/${approval}`, { choice: "once" });
    await until(() => read(ledger) !== "", "the tool's effect");
    await program.kill("work");
    const request = await until(async () => (await info(program, run_id)).pending_clarify_id);
    await call(program, "POST", `/api/runs/${run_id}/clarifications/${request}`, {
      response: choice,
    });
    await followRun(() => program, run_id);

    assert.equal(read(ledger), "ran\n".repeat(runs));
  });
}

test("[D1, X6] killing everything mid-answer: the next start finishes the same run", async () => {
  using place = newTestHome();
  const before = await killedMidAnswer(place);
  await using program = await startProgram(place);

  const end = await followRun(() => program, before.runId);

  assert.deepEqual(
    end.frames.slice(0, before.frames.length).map(({ data }) => data),
    before.frames.map(({ data }) => data),
  );
  assert.deepEqual(answerOf(end.events), [count(150)]);
});

async function killedMidAnswer(place: TestHome) {
  await using program = await startProgram(place);
  const { run_id: runId } = await startRun(program, "pace 5\ncount 150");
  const { frames } = await readEvents(program, `/api/runs/${runId}/events`, { take: 50 });
  await program.kill("all");
  return { runId, frames };
}

test("[X8] a pending approval survives killing every process and resumes the parked call itself", async () => {
  using place = newTestHome();
  const asked = await parkedOnApproval(place);
  await using program = await startProgram(place);
  await until(async () => (await info(program, asked.runId)).seq > asked.seq, "the recovery");
  assert.equal(read(join(place.workspace, "ledger")), "", "nothing runs without its answer");

  const path = `/api/runs/${asked.runId}/approvals/${asked.approval}`;
  const [first, second] = await Promise.all([
    call(program, "POST", path, { choice: "once" }),
    call(program, "POST", path, { choice: "deny" }),
  ]);
  const end = await followRun(() => program, asked.runId);

  const outcomes = [first, second].map(({ body }) => String(body.data["status"])).toSorted();
  assert.deepEqual(outcomes, ["accepted", "conflict"], "one winner, and the loser is told");
  const allowed = first.body.data["status"] === "accepted";
  assert.equal(read(join(place.workspace, "ledger")), allowed ? "ran\n" : "");
  const calls = end.events.filter(({ type }) => type === "tool.intent");
  assert.equal(calls.length, 1, "the parked call itself went on; the model was not asked again");
});

async function parkedOnApproval(place: TestHome) {
  await using program = await startProgram(place);
  const { run_id: runId } = await startRun(program, "pace 0\nexec echo ran >> ledger\nsay after");
  const approval = await until(async () => (await info(program, runId)).pending_approval_id);
  const { seq } = await info(program, runId);
  await program.kill("all");
  return { runId, approval, seq };
}

test("[X7, C4] cancel during a tool ends its whole tree, with one cancelled event", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const nap = `sleep 60.${process.pid}3`;
  const { run_id } = await startRun(program, `pace 0\nexec (trap '' TERM; ${nap} & wait)`);
  const approval = await until(async () => (await info(program, run_id)).pending_approval_id);
  await call(program, "POST", `/api/runs/${run_id}/approvals/${approval}`, { choice: "once" });
  await until(() => processesWith(nap).length > 0, "the command");

  const twice = await Promise.all([
    call(program, "POST", `/api/runs/${run_id}/cancel`, {}),
    call(program, "POST", `/api/runs/${run_id}/cancel`, {}),
  ]);
  const end = await followRun(() => program, run_id);
  const late = await call(program, "POST", `/api/runs/${run_id}/cancel`, {});

  assert.deepEqual(twice.map(({ body }) => String(body.data["status"])).toSorted(), [
    "accepted",
    "duplicate",
  ]);
  assert.equal(late.body.data["status"], "not_active");
  await until(() => processesWith(nap).length === 0, "the process to be gone");
  const done = end.events.filter(({ terminal }) => terminal);
  assert.equal(done.length, 1);
  assert.ok(done[0]?.type === "done" && done[0].payload.status === "cancelled");
});

test("[C3a, C3b] messages queue behind the active run in order, and a steer joins it", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const first = await startRun(program, "pace 10\ncount 60\ntodo a\nsay first");
  const path = `/api/runs/${first.run_id}/messages`;
  const queued = await call<{ run_id: string }>(program, "POST", path, {
    message: "say second",
    message_id: "q1",
  });
  const again = await call<{ run_id: string }>(program, "POST", path, {
    message: "say second",
    message_id: "q1",
  });
  const steer = await call(program, "POST", path, { message: "please hurry", mode: "steer" });
  const end = await followRun(() => program, first.run_id);
  const next = await followRun(() => program, queued.body.data.run_id);
  const late = await call(program, "POST", path, { message: "too late" });

  assert.equal(again.body.data.run_id, queued.body.data.run_id);
  assert.equal(steer.status, 202);
  assert.match(answerOf(end.events).join("\n"), /Noted: please hurry/);
  assert.deepEqual(answerOf(next.events), ["second"]);
  assert.ok((next.events[0]?.session_seq ?? 0) < (end.events.at(-1)?.session_seq ?? 0));
  assert.equal(late.body.data["status"], "not_active");
});

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
