import assert from "node:assert/strict";
import { test } from "node:test";
import { seal } from "../../../../test/support/events.ts";
import { LEFT_OUT_BY } from "../../../kernel/events/share-policy.ts";
import { leftOut } from "./redact-event.ts";

test("[Y3d] of an event nobody knows a shared file has the type and nothing of what it says", () => {
  const [event] = seal("r1", [{ type: "x.robot", payload: { token: "hunter2" } }]);
  assert.ok(event);
  assert.deepEqual(leftOut(event, LEFT_OUT_BY.share).payload, {});
  assert.deepEqual(leftOut(event, LEFT_OUT_BY.full), event);
});
