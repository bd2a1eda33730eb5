// E30 to E43: the reducer builds the tree.
import assert from "node:assert/strict";
import {
  applyEnvelope,
  emptyExecution,
  toExecutionTree,
  type ExecutionState,
} from "../../clients/execution-tree/execution-tree.ts";
import {
  find,
  nodesIn,
  parallel,
  session,
  treeFrom,
  treeOf,
  turn,
  use,
  used,
  type Emitted,
} from "./fold.ts";
import { everyEnvelope, paramsOf } from "./stories.ts";
import type { World } from "../hud/world.ts";
import type { Row } from "../suite.ts";

export const TREE_ROWS: readonly Row<World>[] = [
  {
    id: "E30",
    says: "The reducer is a pure function: the same events give the same tree, and old states stay as they were.",
    check: ({ snapshots: { work } }) => {
      const middle = Math.floor(work.events.length / 2);
      const sessionId = work.events[0]?.sessionId ?? "";
      const state = work.events
        .slice(0, middle)
        .reduce<ExecutionState>(applyEnvelope, emptyExecution(sessionId));
      const before = JSON.stringify(toExecutionTree(state));
      work.events.slice(middle).reduce<ExecutionState>(applyEnvelope, state);
      assert.equal(JSON.stringify(toExecutionTree(state)), before);
      assert.deepEqual(treeFrom(work.events), treeFrom(work.events));
    },
  },
  {
    id: "E31",
    says: "A call that arrives while another one runs makes both of them parallel.",
    check: () => {
      const tree = treeOf(session, turn, use("t1"), use("t2"), used("t1", 100), used("t2", 198));
      assert.deepEqual(parallel(tree), [true, true]);
      assert.deepEqual(
        ["t1", "t2"].map((id) => find(tree, id)?.duration),
        [100, 198],
      );
    },
  },
  {
    id: "E32",
    says: "So do the document's four events as they are printed, without a turn.",
    check: () => {
      const four = [use("t1"), use("t2"), used("t1", 100), used("t2", 198)];
      assert.deepEqual(parallel(treeOf(...four)), [true, true]);
      assert.deepEqual(parallel(treeOf(session, ...four)), [true, true]);
    },
  },
  {
    id: "E33",
    says: "A call is running until its `stream.tool_completed`, also when the model speaks or thinks meanwhile.",
    check: () => {
      for (const method of ["stream.text", "stream.thinking"]) {
        const tree = treeOf(session, turn, use("t1"), [method, { delta: "hm" }], use("t2"));
        assert.deepEqual(parallel(tree), [true, true]);
        assert.equal(find(tree, "t1")?.status, "running");
      }
    },
  },
  {
    id: "E34",
    says: "Calls are parallel only if the second one starts while the first one runs.",
    check: ({ daemon: [heard = []], work }) => {
      const ofWork = heard.filter(({ sessionId }) => sessionId === work);
      const tree = treeFrom(ofWork);
      const writes = nodesIn(tree).filter(({ label }) => /^write — Write b[12]\.txt$/.test(label));
      assert.equal(writes.length, 2, "two in one answer, which run one after the other");
      assert.ok(writes.every((node) => node.parallel === undefined));
      const [first, second] = writes;
      assert.ok((first?.endTime ?? 0) <= (second?.startTime ?? 0));
    },
  },
  {
    id: "E35",
    says: "Calls of one turn that follow one another are not parallel.",
    check: () =>
      assert.deepEqual(parallel(treeOf(session, turn, use("t1"), used("t1", 1), use("t2"))), [
        false,
        false,
      ]),
  },
  {
    id: "E36",
    says: "Events become nodes of an execution tree, each with a type and a status.",
    check: (world) => {
      const nodes = Object.values(world.snapshots).flatMap(({ events }) =>
        nodesIn(treeFrom(events)),
      );
      const types = new Set(nodes.map(({ type }) => type));
      for (const type of [
        "session",
        "turn",
        "tool",
        "text",
        "thinking",
        "plan",
        "step",
        "subagent",
      ] as const) {
        assert.ok(types.has(type), type);
      }
      const known = ["pending", "running", "completed", "failed", "paused", "cancelled"];
      assert.ok(nodes.every(({ status }) => known.includes(status)));
    },
  },
  {
    id: "E37",
    says: "Steps of a plan are pending, then running, then completed or failed.",
    check: ({ snapshots: { plan } }) => {
      const history: string[] = [];
      const stepId = String(paramsOf(plan.events, "stream.plan_step_started")[0]?.["stepId"]);
      for (let at = 1; at <= plan.events.length; at += 1) {
        const status = find(treeFrom(plan.events.slice(0, at)), stepId)?.status;
        if (status !== undefined && status !== history.at(-1)) history.push(status);
      }
      assert.deepEqual(history, ["pending", "running", "completed"]);
    },
  },
  {
    id: "E38",
    says: "A replan is a node of its own; the steps that were open are cancelled, the new ones stand beside them.",
    check: ({ snapshots: { plan } }) => {
      const nodes = nodesIn(treeFrom(plan.events));
      const [replan] = nodes.filter(({ type }) => type === "replan");
      assert.equal(replan?.metadata?.["rationale"], "No wind");
      const at = plan.events.findIndex(({ event }) => event.method === "stream.plan_replanned");
      const statuses = (end: number) =>
        nodesIn(treeFrom(plan.events.slice(0, end)))
          .filter(({ type }) => type === "step")
          .map(({ status }) => status);
      assert.ok(statuses(at).includes("pending"));
      assert.deepEqual(
        statuses(at + 1),
        statuses(at).map((status) => (status === "completed" ? status : "cancelled")),
      );
      const steps = nodes.filter(({ type }) => type === "step");
      assert.ok(
        steps.some(
          ({ metadata, status }) =>
            metadata?.["createdByReplan"] === true && status === "completed",
        ),
      );
    },
  },
  {
    id: "E39",
    says: "A plan that is escalated has failed, with the reason.",
    check: ({ snapshots: { plan } }) => {
      const plans = nodesIn(treeFrom(plan.events)).filter(({ type }) => type === "plan");
      assert.deepEqual(
        plans.map(({ status, error }) => [status, error]),
        [
          ["completed", undefined],
          ["failed", "The wind is not mine to make."],
        ],
      );
    },
  },
  {
    id: "E40",
    says: "A fallback is noted on its step.",
    check: ({ snapshots: { plan } }) => {
      const [noted] = nodesIn(treeFrom(plan.events)).filter(
        ({ metadata }) => metadata?.["fallback"],
      );
      assert.deepEqual(noted?.metadata?.["fallback"], { approach: "Row instead", attempt: 1 });
    },
  },
  {
    id: "E41",
    says: "Subagents are nodes, also several of one kind.",
    check: ({ snapshots: { subagents } }) => {
      const nodes = nodesIn(treeFrom(subagents.events)).filter(({ type }) => type === "subagent");
      assert.deepEqual(nodes.map(({ label }) => label).toSorted(), [
        "subagent: Runner",
        "subagent: Scout",
      ]);
      const again = (method: string): Emitted => [method, { agentType: "Scout", prompt: "look" }];
      const two = treeOf(
        session,
        turn,
        again("stream.subagent.start"),
        again("stream.subagent.start"),
        again("stream.subagent.end"),
      );
      const statuses = nodesIn(two)
        .filter(({ type }) => type === "subagent")
        .map(({ status }) => status);
      assert.deepEqual(statuses, ["running", "completed"]);
    },
  },
  {
    id: "E42",
    says: "Turns are nodes because they are emitted, without guessing from pauses.",
    check: (world) => {
      const { events } = world.snapshots.plan;
      const started = paramsOf(events, "stream.turn_started");
      const tree = treeFrom(events);
      const turns = nodesIn(tree).filter(({ type }) => type === "turn");
      assert.equal(tree.stats.totalTurns, turns.length);
      assert.deepEqual(
        turns.map(({ id }) => id),
        started.map(({ requestId }) => requestId),
      );
      assert.ok(
        turns.every(({ status, duration }) => status === "completed" && duration !== undefined),
      );
      assert.ok(everyEnvelope(world).length > 100);
    },
  },
  {
    id: "E43",
    says: "Compaction, usage and heartbeats are taken by the reducer, too.",
    check: ({ snapshots: { compaction } }) => {
      const tree = treeFrom(compaction.events);
      const last = paramsOf(compaction.events, "stream.usage").at(-1);
      assert.equal(tree.stats.inputTokens, last?.["totalInputTokens"]);
      assert.ok(nodesIn(tree).some(({ metadata }) => metadata?.["compactions"] !== undefined));
      assert.equal(tree.lastEventId, compaction.events.at(-1)?.eventId);
    },
  },
];
