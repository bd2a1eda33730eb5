// A runner that is told to go with SIGTERM: what it has begun it ends, the rest is another one's, and nothing is
// done twice or counts as a crash.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun, type Server } from "../../support/http.ts";
import { openServer } from "../../support/pair.ts";
import { startWork } from "../../support/processes.ts";
import { newTestHome, startProgram } from "../../support/program.ts";
import {
  answerOf,
  answerQuestion,
  approve,
  countTo,
  eventsOf,
  isRunning,
  processesWith,
  runInfo,
  textOf,
} from "../../support/runs.ts";
import { until } from "../../support/until.ts";

type Runners = { runners: { pid: number; id: string; runs: string[] }[] };

async function runnersOf(server: Server) {
  return (await call<Runners>(server, "GET", "/api/status")).body.data.runners;
}

/** Two runners, one of which has the run. */
async function handingOver(settings: Record<string, unknown>, prompt: string) {
  await using stack = new AsyncDisposableStack();
  const place = newTestHome({ lease_ms: 60_000, ...settings });
  stack.defer(() => place[Symbol.dispose]());
  const server = stack.use(await openServer(place));
  const both = [stack.use(await startWork(place)), stack.use(await startWork(place))];
  const { run_id } = await startRun(server, prompt);
  const { id, pid } = await until(
    async () => (await runnersOf(server)).find(({ runs }) => runs.includes(run_id)),
    "it to be taken on",
  );
  const one = both.find((each) => each.pid === pid);
  assert.ok(one);
  const kept = stack.move();
  const parts = { place, server, one, run_id, first: id };
  return { ...parts, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const said = (server: Server, runId: string, text: string) =>
  readEvents(server, `/api/runs/${runId}/events`, { until: ({ data }) => data.includes(text) });

/** Waits until the run's first turn has said this many pieces. */
async function deltas(server: Server, runId: string, count: number) {
  let seen = 0;
  await readEvents(server, `/api/runs/${runId}/events`, {
    until: ({ data }) => data.includes('"message_id":"m1.1","delta"') && ++seen === count,
  });
}

/** Who wrote each event, from the events that say who has the run. */
function writers(events: readonly RunEvent[]): (string | null)[] {
  let writer: string | null = null;
  return events.map((event) => {
    if (event.type === "run.started" || event.type === "recovery") writer = event.payload.runner_id;
    return writer;
  });
}

async function handedOver(server: Server, runId: string, first: string) {
  const { events } = await followRun(() => server, runId);
  const recoveries = eventsOf(events, "recovery").map(({ payload }) => payload);
  assert.equal(recoveries.length, 1);
  assert.deepEqual([recoveries[0]?.handed_over, recoveries[0]?.previous_runner_id], [true, first]);
  assert.equal(eventsOf(events, "turn.superseded").length, 0);
  assert.equal(eventsOf(events, "done")[0]?.payload.status, "completed");
  return events;
}

test("[R18] SIGTERM in the middle of a turn: its text is one runner's, the next turn the other's", async () => {
  await using all = await handingOver(
    { resume: "never" }, // a crash would end it
    "pace 25\ncount 150\ntodo a\ncount 20",
  );
  const { server, one, run_id, first } = all;
  await said(server, run_id, '"message_id":"m1.1","delta"');
  one.signal("SIGTERM");
  const events = await handedOver(server, run_id, first);
  assert.equal(await one.ended, 0, one.output());

  assert.deepEqual(answerOf(events), [countTo(150), countTo(20)]);
  const by = writers(events);
  const whoSaid = (id: string) =>
    new Set(
      by.filter((_, at) => {
        const event = events[at];
        return event?.type === "token.delta" && event.payload.message_id === id;
      }),
    );
  assert.deepEqual([...whoSaid("m1.1")], [first]);
  assert.equal(whoSaid("m2.1").size, 1);
  assert.ok(!whoSaid("m2.1").has(first));
  const starts = eventsOf(events, "tool.started");
  assert.deepEqual(
    starts.map(({ payload }) => payload.attempt),
    [1],
  );
});

test("[R18, X3] SIGTERM during a call: it comes to its end, once, and the other runner goes on", async () => {
  await using place = await handingOver(
    {},
    "pace 0\nexec echo began >> ledger; until [ -e go ]; do sleep 0.05; done; echo ended >> ledger\nsay after",
  );
  const { server, one, run_id, first } = place;
  const at = (name: string) => join(place.place.workspace, name);
  await approve(server, run_id);
  await until(() => textOf(at("ledger")) !== "", "the call to begin");
  one.signal("SIGTERM");
  // Nothing new is taken on by it: this one is the other's.
  const next = await startRun(server, "say other");
  const other = (await followRun(() => server, next.run_id)).events;
  assert.notEqual(eventsOf(other, "run.started")[0]?.payload.runner_id, first);
  assert.ok(isRunning(one.pid), "it waits for the call");
  writeFileSync(at("go"), "");

  const events = await handedOver(server, run_id, first);
  assert.equal(await one.ended, 0, one.output());
  assert.equal(textOf(at("ledger")), "began\nended\n");
  assert.equal(eventsOf(events, "tool.started").length, 1);
  const [done] = eventsOf(events, "tool.done");
  assert.equal(done?.payload.status, "completed");
  const [recovery] = eventsOf(events, "recovery");
  assert.ok((done?.seq ?? 0) < (recovery?.seq ?? 0), "before it was handed over");
});

test("[R18, R18a, X8] a run that waits for a person is handed over at once, and its answer counts", async () => {
  await using all = await handingOver({ resume: "ask" }, "clarify Which?\nsay thanks");
  const { server, one, run_id, first } = all;
  await until(async () => (await runInfo(server, run_id)).pending_clarify_id, "the question");
  one.signal("SIGTERM");
  assert.equal(await one.ended, 0, one.output());
  await answerQuestion(server, run_id, "this");
  const events = await handedOver(server, run_id, first);
  assert.equal(eventsOf(events, "clarify.requested").length, 1);
});

test("[R18, R12] background commands end before another runner goes on", async () => {
  const nap = `sleep 61.${process.pid}3`;
  await using all = await handingOver(
    {},
    `pace 6\nbackground ${nap}\ncount 150\ntodo a\nsay after`,
  );
  const { server, one, run_id, first } = all;
  await approve(server, run_id);
  await said(server, run_id, '"message_id":"m2.1","delta"');
  assert.notDeepEqual(processesWith(nap), []);
  one.signal("SIGTERM");
  const events = await handedOver(server, run_id, first);
  assert.deepEqual(processesWith(nap), []);
  const [exited] = eventsOf(events, "process.exited");
  const [recovery] = eventsOf(events, "recovery");
  assert.ok(exited && recovery && exited.seq < recovery.seq);
});

for (const [how, settings, again] of [
  ["the deadline", { drain_ms: 100 }, undefined],
  ["SIGINT", {}, "SIGINT"],
  ["a second SIGTERM", {}, "SIGTERM"],
] as const) {
  test(`[R18b] ${how} ends the patience of a runner that drains: it lets go at once`, async () => {
    await using all = await handingOver(settings, "pace 1000\ncount 100");
    const { server, one, run_id } = all;
    await said(server, run_id, '"message_id":"m1.1","delta"');
    one.signal("SIGTERM");
    if (again) {
      await deltas(server, run_id, 4); // seconds later: at first it would be the same wish
      one.signal(again);
    }
    await said(server, run_id, '"type":"recovery"');
    assert.equal(await one.ended, 0, one.output());
    const { frames } = await said(server, run_id, '"message_id":"m1.2","delta"');
    const events = frames.map(({ data }) => JSON.parse(data) as RunEvent);
    assert.equal(eventsOf(events, "recovery")[0]?.payload.handed_over, undefined);
    assert.equal(eventsOf(events, "turn.superseded").length, 1);
  });
}

test("[R18b] up on Ctrl+C stops at once, in the middle of a turn; on SIGTERM it lets the runner drain", async () => {
  for (const [signal, turns] of [
    ["SIGINT", "running"],
    ["SIGTERM", "completed"],
  ] as const) {
    using place = newTestHome();
    const pace = signal === "SIGINT" ? 1_000 : 10;
    await using program = await startProgram(place);
    const { run_id } = await startRun(program, `pace ${pace}\ncount 100`);
    await said(program, run_id, '"message_id":"m1.1","delta"');
    const { runners } = await program.status();
    program.child.kill(signal);
    await until(() => program.child.exitCode !== null, "up to end");
    assert.equal(program.child.exitCode, 0, program.output());
    assert.ok(!runners.some(({ pid }) => isRunning(pid)));
    await using server = await openServer(place);
    assert.equal((await runInfo(server, run_id)).status, turns);
  }
});

test("[J5i] a runner that has as much as it takes leaves the rest to another", async () => {
  using place = newTestHome({ max_runs: 1 });
  await using server = await openServer(place);
  await using one = await startWork(place);
  const go = join(place.workspace, "go");
  const waiting = "pace 0\nexec until [ -e go ]; do sleep 0.05; done\nsay done";
  const held = await startRun(server, waiting);
  await approve(server, held.run_id);
  const more = await startRun(server, waiting);
  await until(async () => (await runnersOf(server)).some(({ runs }) => runs.length > 0), "a run");
  assert.equal((await runInfo(server, more.run_id)).status, "queued");
  await using two = await startWork(place);
  await approve(server, more.run_id);
  const runs = (await runnersOf(server)).map(({ pid, runs: all }) => [pid, all]);
  assert.deepEqual(
    new Map(runs as [number, string[]][]),
    new Map([
      [one.pid, [held.run_id]],
      [two.pid, [more.run_id]],
    ]),
  );
  assert.ok(!existsSync(go));
  writeFileSync(go, "");
  for (const { run_id } of [held, more]) {
    const { events } = await followRun(() => server, run_id);
    assert.equal(eventsOf(events, "done")[0]?.payload.status, "completed");
  }
});
