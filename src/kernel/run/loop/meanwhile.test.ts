// People change their minds while a model is being asked about what they wanted before.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { claimed, runEvents, start } from "../../journal/contract/store.contract.ts";
import type { Journal } from "../../journal/journal.ts";
import { compress } from "../context/compaction.ts";
import { decideGoal } from "../context/goal.ts";
import type { Model } from "../models/model.ts";
import { RunLog } from "./run-log.ts";
import { startTitle } from "../context/title.ts";

async function running(journal: Journal) {
  const runId = await start(journal);
  const log = await RunLog.open(journal, await claimed(journal), new AbortController().signal);
  return { runId, log };
}

/** Somebody does something before its answer is there. */
function thinking(meanwhile: () => Promise<unknown>, text: string): Model {
  return {
    provider: "test",
    id: "slow",
    contextWindow: null,
    price: null,
    async *stream() {
      await meanwhile();
      yield { type: "text", text };
      yield { type: "finish", reason: "stop" };
    },
  };
}

test("[C10c] a goal that is paused while it is judged sends nobody on, and what that cost is told", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const { runId, log } = await running(journal);
  using _log = log;
  await journal.commands.updateGoal("s1", { action: "set", text: "ship" });
  const pause = async () => {
    assert.equal(
      (await journal.commands.updateGoal("s1", { action: "pause" }))?.status,
      "accepted",
    );
  };
  const model = thinking(pause, '{"decision":"continue","reason":"not yet","next":"go on"}');
  assert.equal(await decideGoal(log, () => model), true, "look again");
  const unasked = () => assert.fail("a paused goal is not judged");
  assert.equal(await decideGoal(log, unasked), false);
  const types = (await runEvents(journal, runId)).map(({ type }) => type);
  assert.deepEqual(types, ["message.user", "run.queued", "usage.updated"]);
});

test("[C10c] a goal that is changed while it is judged is judged as it now is", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const { log } = await running(journal);
  using _log = log;
  await journal.commands.updateGoal("s1", { action: "set", text: "ship" });
  const edit = () => journal.commands.updateGoal("s1", { action: "edit", text: "ship twice" });
  const met = '{"decision":"met","reason":"shipped"}';
  assert.equal(await decideGoal(log, () => thinking(edit, met)), true);
  const goal = async () => (await journal.reads.session("s1"))?.goal;
  assert.deepEqual(await goal(), { text: "ship twice", status: "active" });
  assert.equal(await decideGoal(log, () => thinking(async () => undefined, met)), true);
  assert.equal(await goal(), null);
});

test("[C9a] a session that is renamed while a title is thought of keeps its person's, and the run goes on", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const { log, runId } = await running(journal);
  using _log = log;
  const rename = () => journal.commands.updateTitle("s1", { title: "Mine" });
  const title = await startTitle(log, thinking(rename, "A model's"));
  await title.finish();
  assert.equal((await journal.reads.session("s1"))?.title, "Mine");
  assert.equal(log.signal.aborted, false);
  const types = (await runEvents(journal, runId)).map(({ type }) => type);
  assert.deepEqual(types, ["message.user", "run.queued", "usage.updated"]);
});

test("[C8, R10] what is said after a summary was begun is not in it, also when another runner makes it", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const { log, runId } = await running(journal);
  using _log = log;
  await log.append([d.started(), d.turnStarted(1), d.said("m1", "early words"), d.compacting]);
  await journal.commands.queueMessage(runId, { message: "late words", mode: "steer" });
  await log.refresh();
  let read = "";
  const model: Model = {
    ...thinking(async () => undefined, ""),
    async *stream({ messages }) {
      read = JSON.stringify(messages);
      yield { type: "text", text: "a summary" };
      yield { type: "finish", reason: "stop" };
    },
  };
  await compress(log, model, { reason: "window" });
  assert.match(read, /early words/);
  assert.doesNotMatch(read, /late words/);
});
