import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import type { Model, ModelRequest } from "../models/model.ts";
import { RunLog } from "./run-log.ts";
import { buildMessages } from "../context/context.ts";
import { toolsetOf } from "../tools/toolset.ts";
import { callModel } from "./turn.ts";

const DEFAULTS = { model: "demo/demo", workspace: "/" };

test("[C3] a message that comes while a turn is being prepared is read by that turn", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const { run_id } = await journal.commands.startRun({ message: "hello" }, DEFAULTS);
  const claim = await journal.claimNext({
    runnerId: "r",
    leaseMs: 60_000,
    lost: [],
    childrenOnly: false,
    volumes: [],
  });
  assert.ok(claim && run_id);
  using log = await RunLog.open(journal, claim, new AbortController().signal);
  const asked: ModelRequest[] = [];
  const model: Model = {
    provider: "test",
    id: "recorder",
    contextWindow: null,
    price: null,
    async *stream(request) {
      asked.push(request);
      yield { type: "text", text: "hi" };
      yield { type: "finish", reason: "stop" };
    },
  };

  const build = () => buildMessages(journal, log.state, "");
  const messages = await build();
  await journal.commands.queueMessage(run_id, { message: "hurry", mode: "steer" }); // at the worst moment
  await callModel(log, model, { index: 1, attempt: 1, toolset: toolsetOf([]), messages, build });

  const said = asked[0]?.messages.filter(({ role }) => role === "user").map(({ text }) => text);
  assert.deepEqual(said, ["hello", "hurry"]);
});
