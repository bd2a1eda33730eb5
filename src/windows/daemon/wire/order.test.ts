// When a call is told: a client takes what it hears of while another call runs for parallel, so calls that
// wait for one another must not be told together.
import assert from "node:assert/strict";
import { test } from "node:test";
import { after, begun, r1, emit } from "../../../../test/support/daemon/emitted.ts";
import * as d from "../../../../test/support/drafts.ts";
import {
  applyEnvelope,
  emptyExecution,
  toExecutionTree,
} from "../../../../test/clients/execution-tree/execution-tree.ts";

const idIn = (params: object) =>
  "id" in params ? params.id : "requestId" in params ? params.requestId : undefined;

test("[W1] calls that wait for one another are told as they start, and none of them as parallel", () => {
  const { frames } = emit(
    ...begun,
    ...r1(d.intent("c0"), d.intent("c1"), d.toolStarted("c0"), d.toolDone("c0")),
    ...r1(d.approvalAsked("c1"), d.status("awaiting_approval"), d.approvalGiven("c1", "once")),
    ...r1(d.status("running"), d.toolStarted("c1"), d.toolDone("c1")),
  );
  const emitted = frames.slice(2).map(({ event }) => event);
  assert.deepEqual(
    emitted.map(({ method, params }) => [method, idIn(params)]),
    [
      ["stream.tool_use", "r1.c0"],
      ["stream.tool_completed", "r1.c0"],
      ["permission.request", "ap_c1"],
      ["stream.tool_use", "r1.c1"],
      ["permission.response", "ap_c1"],
      ["stream.heartbeat", undefined],
      ["stream.tool_completed", "r1.c1"],
    ],
  );
  const tree = toExecutionTree(frames.reduce(applyEnvelope, emptyExecution("s1")));
  assert.ok(!JSON.stringify(tree).includes("parallel"));
});

test("[W4] a call that is refused before it could start is told by its end", () => {
  const emitted = after(...r1(d.intent("c0"), d.intent("c1"), d.toolDone("c1", "failed")));
  assert.deepEqual(
    emitted.map(({ method, params }) => [method, idIn(params)]),
    [
      ["stream.tool_use", "r1.c0"],
      ["stream.tool_completed", "r1.c1"],
    ],
  );
});
