// Answers among the items of a request: to which item a client gives them, how often, and what is left when
// the request they came with is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { Draft } from "../../../kernel/events/events.ts";
import { openV1, type Reply } from "../test-support.ts";

const LIMIT = { timeout: 30_000 }; // a request that is not refused would wait for a run

const background = { background: true };
const idOf = ({ body }: Reply) => body["id"] as string;
const runOf = (reply: Reply) => idOf(reply).slice("resp_".length);
const approval = (approve: boolean, id = "ap_c1") => ({
  type: "mcp_approval_response",
  approval_request_id: id,
  approve,
});
const output = (call_id: string, words: string) => ({
  type: "function_call_output",
  call_id,
  output: words,
});
const words = (content: string) => ({ role: "user", content });

type V1 = Awaited<ReturnType<typeof openV1>>;

/** A response that waits for what the drafts ask. */
async function waiting(v1: V1, ...asks: Draft[]) {
  const headers = { "idempotency-key": "first" };
  const body = { input: "go", conversation: "c1", ...background };
  const first = await v1.ask("/v1/responses", { body, headers });
  const claim = await s.claimed(v1.journal);
  await s.write(v1.journal, claim, d.started(), d.turnStarted(1), d.intent("c1"), ...asks);
  const answer = (input: object[], more: object = {}) =>
    v1.ask("/v1/responses", { body: { input, ...background, ...more } });
  const follow = { previous_response_id: idOf(first) };
  return { first, claim, answer, follow, runId: runOf(first) };
}
const given = (journal: Journal, runId: string, type: string) => s.payloadsOf(journal, runId, type);
const runCount = async (journal: Journal) => (await journal.reads.runsOf("c1")).length;

test("[W5] the model's own call is answered as the question it asked", LIMIT, async () => {
  await using v1 = await openV1();
  const { runId, answer, follow } = await waiting(v1, d.clarifyAsked("cl_1", "c1"));
  const reply = await answer([output(`${runId}.c1`, "left")], follow);
  assert.deepEqual([reply.status, runOf(reply)], [200, runId]);
  const [resolved] = await given(v1.journal, runId, "clarify.resolved");
  assert.deepEqual([resolved?.["clarify_id"], resolved?.["response"]], ["cl_1", "left"]);
  const late = await answer([output(`${runId}.c1`, "right")], follow);
  assert.deepEqual([late.status, late.error.code], [409, "clarify_not_pending"]);
  const foreign = await answer([output(`${runId}.c2`, "right")], follow);
  assert.equal(foreign.status, 400);
  const call = { type: "function_call", call_id: `${runId}.c1`, name: "clarify", arguments: "{}" };
  const past = await answer(
    [call, output(`${runId}.c1`, "They said left."), words("more")],
    follow,
  );
  assert.equal(past.status, 200, "what was answered is told along as the past");
});

test("[W5] who answers both items of a question has answered it once", LIMIT, async () => {
  await using v1 = await openV1();
  const { runId, answer, follow } = await waiting(v1, d.clarifyAsked("cl_1", "c1"));
  const reply = await answer([output(`${runId}.c1`, "left"), output("cl_1", "right")], follow);
  assert.deepEqual([reply.status, runOf(reply)], [200, runId]);
  const resolved = await given(v1.journal, runId, "clarify.resolved");
  assert.deepEqual(
    resolved.map(({ response }) => response),
    ["left"],
  );
});

test("[W5] a yes and a no to one approval are neither", LIMIT, async () => {
  await using v1 = await openV1();
  const { runId, answer, follow } = await waiting(v1, d.approvalAsked("c1"));
  const both = await answer([approval(true), approval(false)], follow);
  assert.deepEqual([both.status, both.error.param], [400, "input.1.approve"]);
  assert.deepEqual(await given(v1.journal, runId, "approval.resolved"), []);
  assert.equal((await answer([approval(true), approval(true)], follow)).status, 200);
  assert.equal((await given(v1.journal, runId, "approval.resolved")).length, 1);
});

test("[W5, C2] a request that is refused has allowed nothing", LIMIT, async () => {
  await using v1 = await openV1();
  const { runId } = await waiting(v1, d.approvalAsked("c1"));
  const body = { input: [approval(true), words("more")], conversation: "c1", ...background };
  const headers = { "idempotency-key": "first" };
  const taken = await v1.ask("/v1/responses", { body, headers });
  assert.deepEqual([taken.status, taken.error.code], [409, "idempotency_key_conflict"]);
  for (let count = 0; count < 300; count += 1) {
    const next = { input: "more", conversation: "c1", ...background };
    if ((await v1.ask("/v1/responses", { body: next })).status !== 200) break;
  }
  const full = await v1.ask("/v1/responses", { body });
  assert.deepEqual([full.status, full.error.code], [429, "queue_full"]);
  assert.deepEqual(await given(v1.journal, runId, "approval.resolved"), []);
  assert.equal((await v1.journal.reads.pending({})).length, 1);
});

test("[W5] an answer that comes too late, or is none, starts nothing", LIMIT, async () => {
  await using v1 = await openV1();
  const { runId, claim, answer, follow } = await waiting(v1, d.approvalAsked("c1"));
  await s.write(v1.journal, claim, d.outcomeUnknown("c1"));
  const wrong = await answer([output("un_c1", "perhaps"), words("more")], follow);
  assert.deepEqual([wrong.status, wrong.error.param], [400, "input.0"]);
  const ids = { runId, approvalId: "ap_c1" };
  await v1.journal.commands.respondApproval(ids, { choice: "deny", by: "somebody" });
  const late = await answer([approval(true), words("more")], follow);
  assert.deepEqual([late.status, late.error.code], [409, "approval_not_pending"]);
  await v1.journal.commands.cancelRun(runId, {});
  const stopped = await answer([output("un_c1", "retry"), words("more")], follow);
  assert.deepEqual([stopped.status, stopped.error.code], [409, "clarify_not_pending"]);
  assert.equal(await runCount(v1.journal), 1);
});

test("[W5, C2] an answer with words, made again, is the same run", LIMIT, async () => {
  await using v1 = await openV1();
  const { runId, follow } = await waiting(v1, d.approvalAsked("c1"));
  const body = { input: [approval(true), words("more")], ...follow, ...background };
  const again = () => v1.ask("/v1/responses", { body, headers: { "idempotency-key": "k" } });
  const first = await again();
  assert.equal(first.status, 200);
  assert.equal(idOf(await again()), idOf(first));
  assert.equal((await given(v1.journal, runId, "approval.resolved")).length, 1);
  assert.equal(await runCount(v1.journal), 2);
});

test("[W5] somebody answers in between: what was to follow does not go on", LIMIT, async () => {
  await using v1 = await openV1();
  const { journal } = v1;
  const { runId, answer, follow } = await waiting(v1, d.approvalAsked("c1"));
  const ids = { runId, approvalId: "ap_c1" };
  let quicker: Promise<unknown> | undefined;
  const stop = journal.watch(() => {
    quicker ??= journal.commands.respondApproval(ids, { choice: "deny", by: "somebody" });
  });
  const reply = await answer([approval(true), words("more")], follow);
  stop();
  await quicker;
  assert.deepEqual([reply.status, reply.error.code], [409, "approval_not_pending"]);
  const [resolved] = await given(journal, runId, "approval.resolved");
  assert.equal(resolved?.["status"], "denied");
  const [, next] = await journal.reads.runsOf("c1");
  assert.deepEqual([next?.prompt, next?.status], ["more", "cancelled"]);
});
