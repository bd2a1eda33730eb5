import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import * as d from "../../../../test/support/drafts.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../../test/support/until.ts";
import { claimed, runEvents, start, type Store } from "../../journal/contract/store.contract.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Rule } from "../../events/catalogue/permissions.ts";
import type { RespondApproval } from "../../events/commands.ts";
import type { OpenTool } from "../../state/run/items.ts";
import { findTool } from "../../state/run/state.ts";
import { approvalDrafts, awaitAnswer, judge, notAsApproved } from "./approvals.ts";
import { planCall } from "../loop/plan-call.ts";
import { RunLog } from "../loop/run-log.ts";
import { defineTool, failure, type Tool } from "../tools/tool.ts";

const tool = defineTool({
  name: "exec",
  description: "",
  input: z.object({ command: z.string(), network: z.boolean().optional() }),
  risk: "execute",
  replay: "ask",
  label: ({ command }) => command,
  access: ({ command, network = false }) => [{ kind: "execute", command, network }],
  execute: async () => failure("unused", ""),
});
const POLICY = { rules: [] as readonly Rule[], approvalExpiresS: null };
const denyNpm: Rule = { effect: "deny", tool: "exec", argv: ["npm"] };

async function openLog(journal: Journal) {
  return RunLog.open(journal, await claimed(journal), new AbortController().signal);
}

async function planned(log: RunLog, command: string, { index = 0, as = tool } = {}) {
  const tools = new Map([[as.name, as]]);
  const call = { providerCallId: "p", name: as.name, argumentsText: JSON.stringify({ command }) };
  const { toolCall, drafts } = planCall(call, { turnId: "t1.1", index, workspace: "/w", tools });
  await log.append(drafts);
  return toolCall.call_id;
}

const itemOf = (log: RunLog, callId: string): OpenTool =>
  findTool(log.state, callId) ?? assert.fail(`${callId} is not open`);

/** A run with one planned call. */
async function withCall(store: Store, command = "npm test") {
  const journal = await store.connect();
  const runId = await start(journal, { session_id: "s1" });
  const log = await openLog(journal);
  await log.append([d.started()]);
  const callId = await planned(log, command);
  const ask = async (approvalExpiresS: number | null = null) => {
    const policy = { rules: [], approvalExpiresS };
    const item = itemOf(log, callId);
    await log.append(approvalDrafts(log, item, await judge(log, item, tool, policy), policy));
    return itemOf(log, callId).request ?? assert.fail("nothing was asked");
  };
  const respond = (command: RespondApproval, approvalId = `ap_${runId}_${callId}`) =>
    journal.commands.respondApproval({ runId, approvalId }, { by: "person", ...command });
  const resolved = async () =>
    (await runEvents(journal, runId)).filter(({ type }) => type === "approval.resolved");
  return { journal, runId, log, callId, ask, respond, resolved };
}

const judged = (log: RunLog, callId: string, policy = POLICY, as: Tool = tool) =>
  judge(log, itemOf(log, callId), as, policy);

test("[S, C6] a call is asked about with its exact plan, and “always” only where a rule is offered", async () => {
  await using store = sqliteStore();
  const { log, runId, callId, ask } = await withCall(store, `npm test '${"x".repeat(3_000)}'`);
  const request = await ask();
  assert.equal(request.id, `ap_${runId}_${callId}`);
  assert.deepEqual(request.choices, ["once", "session", "always", "deny"]);
  assert.ok(request.prompt.length > 3_000, "the whole command is shown");
  assert.match(request.always?.command ?? "", /^npm test 'xxx/);
  assert.deepEqual(request.wider?.[0]?.rule.argv?.slice(0, 2), ["npm", "test"]);
  assert.match(request.reason ?? "", /command/);
  assert.deepEqual([request.expiresAt, request.planHash], [null, itemOf(log, callId).planHash]);

  const opaque = await planned(log, "npm test $X", { index: 1 });
  const verdict = await judged(log, opaque);
  const [asked] = approvalDrafts(log, itemOf(log, opaque), verdict, POLICY);
  assert.ok(asked?.type === "approval.requested");
  assert.deepEqual(asked.payload.choices, ["once", "deny"]);
  assert.equal(asked.payload.always, null);
  log[Symbol.dispose]();
});

test("[S, C6] what people said before counts: session, always, yolo; and a deny above all", async () => {
  await using store = sqliteStore();
  const { journal, log, callId, ask, respond } = await withCall(store);
  const effect = async (id: string) => (await judged(log, id)).effect;
  assert.equal(await effect(callId), "ask");
  await ask();
  await respond({ choice: "always" });
  await log.refresh();
  const [same, longer, other] = [
    await planned(log, "npm test", { index: 1 }),
    await planned(log, "npm test -- a", { index: 2 }),
    await planned(log, "npm publish", { index: 3 }),
  ];
  assert.deepEqual(
    [await effect(same), await effect(longer), await effect(other)],
    ["allow", "ask", "ask"],
  );
  assert.equal((await judged(log, same, { ...POLICY, rules: [denyNpm] })).effect, "deny");

  await journal.commands.updateSession("s1", { yolo: true });
  assert.equal(await effect(other), "allow");
  await journal.commands.updateSession("s1", {
    permissions: [{ ...denyNpm, argv: ["npm", "publish"] }],
  });
  assert.equal(await effect(other), "deny");
  assert.equal(await effect(same), "allow");
  log[Symbol.dispose]();
});

test("[S] a run below another has the rules of its session, and no others", async () => {
  await using store = sqliteStore();
  const { journal, runId, log, callId } = await withCall(store);
  await journal.commands.updateSession("s1", { permissions: [denyNpm], yolo: true });
  const child = { runId: `${runId}.c1`, parent: log.claim, message: "part" };
  await journal.startChild(child);
  const below = await RunLog.open(
    journal,
    await claimed(journal, { childrenOnly: true }),
    new AbortController().signal,
  );
  await below.append([d.started()]);
  assert.equal((await judged(below, await planned(below, "npm test"))).effect, "deny");
  assert.equal((await judged(log, callId)).effect, "deny");
  log[Symbol.dispose]();
  below[Symbol.dispose]();
});

test("[S, C6] a session's yes is for that plan alone, and a changed tool has to be called again", async () => {
  await using store = sqliteStore();
  const { log, callId, ask, respond } = await withCall(store, "npm test x");
  await ask();
  await respond({ choice: "session" });
  await log.refresh();
  assert.equal((await judged(log, await planned(log, "npm test x", { index: 1 }))).effect, "allow");
  assert.equal((await judged(log, await planned(log, "npm test y", { index: 2 }))).effect, "ask");
  const changed = { ...tool, schemaHash: "h2" };
  assert.equal((await judged(log, callId, POLICY, changed)).effect, "deny");
  const broken = { ...tool, access: () => assert.fail("no") };
  assert.equal((await judged(log, callId, POLICY, broken)).effect, "ask");
  log[Symbol.dispose]();
});

test("[C6] only what was approved runs: as shown, or as edited and fit for the tool", async () => {
  await using store = sqliteStore();
  const { log, callId, ask, respond } = await withCall(store);
  assert.equal(notAsApproved(itemOf(log, callId), tool), "Nobody allowed this.");
  await ask();
  assert.equal(notAsApproved(itemOf(log, callId), tool), "Nobody allowed this.");
  await respond({ choice: "session" });
  await log.refresh();
  const item = itemOf(log, callId);
  assert.equal(notAsApproved(item, tool), undefined);
  const other = { ...item.plan, arguments: { command: "rm -rf /" } };
  assert.match(notAsApproved({ ...item, plan: other }, tool) ?? "", /not the plan/);
  assert.match(notAsApproved({ ...item, planHash: "0".repeat(64) }, tool) ?? "", /not the plan/);
  assert.match(notAsApproved(item, { ...tool, schemaHash: "h2" }) ?? "", /changed/);
  log[Symbol.dispose]();
});

test("[P4, C6] edited arguments run only if they fit, and are asked about under another id", async () => {
  for (const [edited, problem] of [
    [{ command: "npm test -- a" }, undefined],
    [{ command: 5 }, /do not fit/],
    [{ command: "ls", extra: true }, /does not know/],
  ] as const) {
    await using store = sqliteStore();
    const { log, callId, ask, respond } = await withCall(store);
    const first = await ask();
    assert.equal((await respond({ choice: "once", arguments: edited }))?.status, "accepted");
    await log.refresh();
    const item = itemOf(log, callId);
    assert.deepEqual(item.plan.arguments, edited);
    const found = notAsApproved(item, tool);
    if (problem) assert.match(found ?? "", problem);
    else assert.equal(found, undefined);
    const [again] = approvalDrafts(
      log,
      item,
      { effect: "ask", reason: "", always: null, wider: [], repeatable: true },
      POLICY,
    );
    assert.ok(again?.type === "approval.requested");
    assert.notEqual(again.payload.approval_id, first.id);
    log[Symbol.dispose]();
  }
});

test("[P5, C6] where it is configured no answer in time is a no, and one that was in time counts", async () => {
  await using store = sqliteStore();
  const { journal, log, callId, ask, respond, resolved } = await withCall(store);
  await ask(0.05);
  const second = await planned(log, "ls", { index: 1 });
  const item = itemOf(log, second);
  await log.append(approvalDrafts(log, item, await judged(log, second), POLICY));
  await awaitAnswer(log, itemOf(log, callId));
  const answer = itemOf(log, callId).request?.answer;
  assert.deepEqual([answer?.status, answer?.choice, answer?.by], ["expired", null, "runner"]);
  assert.equal(log.state.status, "awaiting_approval", "the other one still waits");
  assert.equal((await journal.reads.pending({})).length, 1);
  assert.equal((await respond({ choice: "once" }))?.status, "expired");
  assert.equal((await resolved()).length, 1);
  log[Symbol.dispose]();
});

test("[C6, X1] an answer and the end of its time at once: one of them counts, everywhere the same", async () => {
  for (let round = 0; round < 12; round++) {
    await using store = sqliteStore();
    const { log, callId, ask, respond, resolved } = await withCall(store);
    await ask(0);
    const item = itemOf(log, callId);
    const both = [() => awaitAnswer(log, item), () => respond({ choice: "once" })];
    if (round % 2 === 1) both.reverse();
    const outcome = (await Promise.all(both.map((act) => act()))).find(Boolean);
    assert.equal((await resolved()).length, 1);
    const status = itemOf(log, callId).request?.answer?.status;
    assert.equal(outcome?.status, status === "approved" ? "accepted" : "expired");
    log[Symbol.dispose]();
  }
});

test("[P5a, V6] a clock that jumps while a run waits expires nothing", async (t) => {
  await using store = sqliteStore();
  const { journal, runId, log, callId, ask, respond, resolved } = await withCall(store);
  await ask(3_600);
  const waiting = awaitAnswer(log, itemOf(log, callId));
  const now = Date.now();
  for (const jump of [86_400_000, -86_400_000]) {
    t.mock.method(Date, "now", () => now + jump);
    const { seq } = log.state;
    await journal.commands.queueMessage(runId, { message: "still there?", mode: "steer" });
    await until(() => log.state.seq > seq);
    assert.deepEqual(await resolved(), []);
  }
  assert.equal((await respond({ choice: "once" }))?.status, "accepted");
  await waiting;
  assert.equal(itemOf(log, callId).request?.answer?.status, "approved");
  log[Symbol.dispose]();
});

test("[V6, X8] after a recovery what the journal knows to be over counts, and no more", async (t) => {
  for (const [passedS, expires] of [
    [4_000, true],
    [600, false],
  ] as const) {
    await using store = sqliteStore();
    const { journal, runId, log, callId, ask, respond, resolved } = await withCall(store);
    await ask(3_600);
    log[Symbol.dispose]();
    const now = Date.now();
    const clock = t.mock.method(Date, "now", () => now + passedS * 1_000);
    const next = await claimed(journal, { runnerId: "runner_b", lost: ["runner_a"] });
    const recovered = await RunLog.open(journal, next, new AbortController().signal);
    await recovered.append([d.recovery(1)]);
    const waiting = awaitAnswer(recovered, itemOf(recovered, callId));
    if (expires) {
      await until(() => itemOf(recovered, callId).request?.answer, "the end of its time");
      await waiting;
    } else {
      await journal.commands.queueMessage(runId, { message: "?", mode: "steer" });
      assert.deepEqual(await resolved(), []);
      assert.equal((await respond({ choice: "once" }))?.status, "accepted");
      await waiting;
    }
    const status = itemOf(recovered, callId).request?.answer?.status;
    assert.equal(status, expires ? "expired" : "approved");
    recovered[Symbol.dispose]();
    clock.mock.restore();
  }
});

test("[C6b] without an expiry it waits as long as it takes", async () => {
  await using store = sqliteStore();
  const { log, callId, ask, respond } = await withCall(store);
  const request = await ask(null);
  assert.equal(request.expiresAt, null);
  const waiting = awaitAnswer(log, itemOf(log, callId));
  await respond({ choice: "deny", feedback: "use pnpm" });
  await waiting;
  assert.equal(itemOf(log, callId).request?.answer?.feedback, "use pnpm");
  log[Symbol.dispose]();
});
