import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../test/support/sqlite-store.ts";
import type { Journal } from "../journal/journal.ts";
import type { Model, ModelRequest } from "./models/model.ts";
import { RunLog } from "./run-log.ts";
import { callModel } from "./turn.ts";

const DEFAULTS = { model: "demo/demo", workspace: "/" };

test("[C3] a message that comes while a turn is being prepared is read by that turn", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const { run_id } = await journal.startRun({ message: "hello" }, DEFAULTS);
  const claim = await journal.claimNext({
    runnerId: "r",
    leaseMs: 60_000,
    lost: [],
    childrenOnly: false,
  });
  assert.ok(claim && run_id);
  let steers = 0;
  // The real journal; somebody else speaks at the worst moment.
  const interrupted: Journal = {
    ...journal,
    async session(id) {
      if (steers++ === 0) await journal.queueMessage(run_id, { message: "hurry", mode: "steer" });
      return journal.session(id);
    },
  };
  using log = await RunLog.open(interrupted, claim, new AbortController().signal);
  const asked: ModelRequest[] = [];
  const model: Model = {
    provider: "test",
    id: "recorder",
    async *stream(request) {
      asked.push(request);
      yield { type: "text", text: "hi" };
      yield { type: "finish", reason: "stop" };
    },
  };

  await callModel(log, model, { index: 1, attempt: 1 });

  const said = asked[0]?.messages.filter(({ role }) => role === "user").map(({ text }) => text);
  assert.deepEqual(said, ["hello", "hurry"]);
});
