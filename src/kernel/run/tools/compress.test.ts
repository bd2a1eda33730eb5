import assert from "node:assert/strict";
import { test } from "node:test";
import { toolRun } from "../../../../test/support/tool-run.ts";
import type { Model } from "../models/model.ts";
import { createCompressTool } from "./compress.ts";

test("[R10b, R1] a crash between the summary and the call's result does not ask for it twice", async () => {
  await using run = await toolRun();
  let asked = 0;
  const model: Model = {
    provider: "test",
    id: "summariser",
    contextWindow: null,
    price: null,
    async *stream() {
      asked += 1;
      yield { type: "text", text: `Summary ${asked}` };
      yield { type: "finish", reason: "stop" };
    },
  };
  const { internal, ...tool } = createCompressTool(() => model); // toolRun plans as for a model
  assert.ok(internal);
  const execute = await run.plan(tool, {});

  const results = [await execute(tool), await execute(tool)]; // the second: by the next runner

  assert.equal(asked, 1);
  assert.deepEqual(results[1], results[0]);
  const phases = (await run.events()).flatMap((event) =>
    event.type === "compaction" ? [event.payload.phase] : [],
  );
  assert.deepEqual(phases, ["started", "completed"]);
});
