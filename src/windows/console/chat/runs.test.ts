// A run as the console asks for it while its subagents work; the test plays the runner.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import type { Claim } from "../../../kernel/journal/journal.ts";
import { openConsole } from "../test-support.ts";
import { approval } from "../../../../test/support/console/waiting.ts";

type Console = Awaited<ReturnType<typeof openConsole>>;

async function delegate({ journal }: Console, parent: Claim, call_id: string): Promise<Claim> {
  const runId = `${parent.runId}.${call_id}`;
  const ids = { subagent_id: runId, child_run_id: runId, call_id, title: "Sub" };
  const payload = { ...ids, prompt: "go", depth: 1 };
  await s.write(journal, parent, { type: "subagent.started", payload });
  await journal.startChild({ runId, parent, message: "go" });
  const child = await s.claimed(journal, { childrenOnly: true });
  await s.write(journal, child, d.started(), d.intent("c1"));
  return child;
}

async function seen({ get }: Console, runId: string) {
  const { state, status, pending } = (await get(`/chat/run/${runId}`)).data["run"] as {
    state: string;
    status: string;
    pending: string[];
  };
  return [state, status, pending];
}

test("[W4] a run shows what its subagents and theirs wait for, and nobody else's", async () => {
  await using console_ = await openConsole();
  const { journal, post } = console_;
  const runId = await s.start(journal);
  const parent = await s.claimed(journal);
  await s.write(journal, parent, d.started(), d.turnStarted(1));
  const child = await delegate(console_, parent, "t1.1.c0");
  const deep = await delegate(console_, child, "t1.1.c0");
  assert.deepEqual(await seen(console_, runId), ["running", "running", []]);
  const other = await s.start(journal, { session_id: "s2" });
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.intent("c1"), approval(other, "c1"));
  assert.deepEqual(await seen(console_, runId), ["running", "running", []]);

  const question = `cl_${deep.runId}_c1`;
  await s.write(journal, deep, d.clarifyAsked(question, "c1"));
  for (const id of [runId, child.runId, deep.runId]) {
    assert.deepEqual(await seen(console_, id), ["awaiting_clarify", "running", [question]], id);
  }
  const request_id = `ap_${child.runId}_c1`;
  await post("/human/clarify", { request_id: question, response: "left" });
  await s.write(journal, child, approval(child.runId, "c1"));
  assert.deepEqual(await seen(console_, runId), ["awaiting_approval", "running", [request_id]]);
  assert.deepEqual(await seen(console_, deep.runId), ["running", "running", []]);
  await post("/human/approve", { request_id });
  assert.deepEqual(await seen(console_, runId), ["running", "running", []]);
});
