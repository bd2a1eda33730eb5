// Crashes in the middle of real work: while thinking, between parallel calls, while subagents work.
// The same run goes on; what was completed is not done again; what is unknown is asked about.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun } from "../../support/http.ts";
import {
  finish,
  reasoningChunk,
  startModelServer,
  textChunk,
  waitFor,
} from "../../support/models/model-server.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { answerQuestion, eventsOf, textOf } from "../../support/runs.ts";
import { startAgent } from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";

const MODEL = "scripted/agent";

test("[R2a, R2b, D1] killed while thinking: the thought stays, marked, and the step is asked for again", async () => {
  const never = Promise.withResolvers<void>();
  await using model = await startModelServer((_, index) =>
    index === 0
      ? [reasoningChunk("first I wonder "), reasoningChunk("whether…"), waitFor(never.promise)]
      : [reasoningChunk("Now I know."), textChunk("The answer."), finish("stop")],
  );
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place, { apart: ["work"] });
  const { run_id } = await startRun(program, "think", { model: MODEL });
  await readEvents(program, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes("whether…"),
  });
  await program.kill("work");
  const { events } = await followRun(() => program, run_id);
  never.resolve();

  assert.equal(eventsOf(events, "turn.superseded").length, 1);
  const thoughts = eventsOf(events, "reasoning.delta").map(({ payload }) => payload.delta);
  assert.equal(thoughts.join(""), "first I wonder whether…Now I know.");
  const done = events.at(-1);
  assert.ok(done?.type === "done" && done.payload.result === "The answer.");
});

test("[R1, R4, X3] killed between parallel calls: what is done stays done, what was cut is asked about", async () => {
  const slow = "echo slow >> ledger; sleep 60";
  await using model = await startAgent([
    {
      calls: [
        { name: "exec", args: { command: "echo quick >> ledger" } },
        { name: "exec", args: { command: slow } },
        { name: "write", args: { path: "note", content: "written" } },
      ],
    },
    { say: "All settled." },
  ]);
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place, { apart: ["work"] });
  await call(program, "POST", "/api/sessions", { session_id: "s" });
  await call(program, "POST", "/api/sessions/s/settings", { yolo: true });
  const { run_id } = await startRun(program, "go", { session_id: "s", model: MODEL });
  const ledger = join(place.workspace, "ledger");
  await until(
    () => textOf(ledger).includes("slow") && textOf(join(place.workspace, "note")),
    "all three",
  );
  let over = 0;
  await readEvents(program, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes('"type":"tool.done"') && (over += 1) === 2, // quick and write
  });
  await program.kill("work");
  await answerQuestion(program, run_id, "mark_done");
  const { events } = await followRun(() => program, run_id);

  assert.deepEqual(textOf(ledger).split("\n").toSorted(), ["", "quick", "slow"]);
  assert.equal(eventsOf(events, "tool.outcome_unknown").length, 1, "only the one that was cut");
  assert.equal(eventsOf(events, "tool.started").length, 3, "none was started twice");
  const done = events.at(-1);
  assert.ok(done?.type === "done" && done.payload.status === "completed");
});

test("[R1, R12] a background command ends with its runner, which is said, and with its run", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["work"] });
  await call(program, "POST", "/api/sessions", { session_id: "s" });
  await call(program, "POST", "/api/sessions/s/settings", { yolo: true });
  const script = "pace 0\nbackground sleep 600\npace 20\ncount 300\nsay done";
  const { run_id } = await startRun(program, script, { session_id: "s" });
  await readEvents(program, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes('"tool.done"'), // the call itself is over
  });
  await program.kill("work");
  const { events } = await followRun(() => program, run_id);
  assert.equal(eventsOf(events, "process.started").length, 1);
  assert.equal(eventsOf(events, "process.exited").length, 1, "nothing is said to run for ever");
  const done = events.at(-1);
  assert.ok(done?.type === "done" && done.payload.status === "completed");
});
