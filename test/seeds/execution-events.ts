// E1 to E29: which events are sent, and what their parameters are.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DaemonEnvelope } from "../../src/protocol/dialects/daemon-schema.ts";
import {
  applyEnvelope,
  emptyExecution,
  toExecutionTree,
} from "../../src/protocol/execution-tree.ts";
import type { Envelope, Fields, World } from "./hud-world.ts";
import type { Row } from "./suite.ts";

const ROOT = join(import.meta.dirname, "../..");
export const everyEnvelope = ({ daemon, snapshots }: World): readonly Envelope[] => [
  ...(daemon[0] ?? []),
  ...Object.values(snapshots).flatMap(({ events }) => events),
];
export const paramsOf = (envelopes: readonly Envelope[], method: string): readonly Fields[] =>
  envelopes.filter(({ event }) => event.method === method).map(({ event }) => event.params);

/** The document's union. */
export const UNION = [
  "stream.turn_started",
  "stream.turn_completed",
  "stream.session_started",
  "stream.text",
  "stream.tool_use",
  "stream.tool_completed",
  "stream.plan_created",
  "stream.plan_step_started",
  "stream.plan_step_completed",
  "stream.plan_step_fallback",
  "stream.plan_replanned",
  "stream.plan_completed",
  "stream.plan_escalated",
  "stream.subagent.start",
  "stream.subagent.end",
  "stream.compaction",
  "stream.usage",
  "stream.heartbeat",
  "permission.request",
  "permission.response",
];

/** A row about one event: it is sent when `when`, with these parameters. */
function sent(id: string, method: string, when: string, fields: Fields): Row<World> {
  return {
    id,
    says: `\`${method}\` is sent ${when}.`,
    check: (world) => {
      const all = paramsOf(everyEnvelope(world), method);
      assert.ok(all.length > 0, `no ${method}`);
      for (const params of all) {
        for (const [name, type] of Object.entries(fields)) assert.equal(typeof params[name], type);
      }
    },
  };
}
const call = { id: "string", name: "string" };
const step = { planId: "string", stepId: "string", stepIndex: "number" };

/** A row about the exact parameters of an event that the document defines. */
function exactly(id: string, method: string, types: Fields, extra: readonly string[]): Row<World> {
  const more =
    extra.length === 0
      ? {}
      : {
          difference: `One optional field more: ${extra.map((name) => `\`${name}\``).join(", ")}.`,
        };
  return {
    id,
    says: `\`${method}\` has ${Object.keys(types).join(", ")}.`,
    ...more,
    check: (world) => {
      const all = paramsOf(everyEnvelope(world), method);
      assert.ok(all.length > 0);
      for (const params of all) {
        for (const [name, type] of Object.entries(types)) assert.equal(typeof params[name], type);
        const beside = Object.keys(params).filter((name) => !Object.hasOwn(types, name));
        assert.deepEqual(
          beside.filter((name) => !extra.includes(name)),
          [],
        );
        const { timestamp } = params;
        if (typeof timestamp === "string") {
          assert.equal(new Date(timestamp).toISOString(), timestamp);
        }
      }
    },
  };
}
const string = "string";
const number = "number";

export const EVENT_ROWS: readonly Row<World>[] = [
  sent("E1", "stream.session_started", "when a session is created", { model: string }),
  sent("E2", "stream.turn_started", "when a turn starts", { turnNumber: number }),
  sent("E3", "stream.turn_completed", "when a turn ends", { toolCount: number }),
  sent("E4", "stream.text", "for text as the model says it", { delta: string }),
  sent("E5", "stream.tool_use", "when a tool is called", call),
  sent("E6", "stream.tool_completed", "when a call ends", { ...call, durationMs: number }),
  sent("E7", "stream.plan_created", "when a plan is made", { planId: string, steps: "object" }),
  sent("E8", "stream.plan_step_started", "when a step starts", step),
  sent("E9", "stream.plan_step_completed", "when a step ends", { ...step, success: "boolean" }),
  sent("E10", "stream.plan_step_fallback", "when a step is tried another way", step),
  sent("E11", "stream.plan_replanned", "when a plan is changed", { rationale: string }),
  sent("E12", "stream.plan_completed", "when a plan is completed", { success: "boolean" }),
  sent("E13", "stream.plan_escalated", "when a plan is given back", { reason: string }),
  sent("E14", "stream.subagent.start", "when a subagent starts", { agentType: string }),
  sent("E15", "stream.subagent.end", "when a subagent ends", { agentType: string }),
  sent("E16", "stream.compaction", "when the context is compacted", { compactedTokens: number }),
  sent("E17", "stream.usage", "when tokens were used", { totalInputTokens: number }),
  sent("E18", "stream.heartbeat", "while a turn goes on", { phase: string }),
  sent("E19", "permission.request", "when a person has to decide", { requestId: string }),
  {
    id: "E20",
    says: "`permission.response` is sent when a request was answered, and names it by requestId.",
    check: ({ daemon: [, other = []] }) => {
      const ofAsked = other.filter(({ sessionId }) => sessionId === "asked");
      const [requests, answers] = ["permission.request", "permission.response"].map((method) =>
        paramsOf(ofAsked, method),
      );
      assert.deepEqual(
        answers?.map(({ requestId }) => requestId),
        requests?.map(({ requestId }) => requestId),
        "whichever window answered",
      );
      assert.deepEqual(
        answers?.map(({ approved, via }) => [approved, via]),
        [
          [true, "websocket"],
          [false, "person"],
        ],
      );
    },
  },
  {
    id: "E21",
    says: "An answer is correlated with its request by requestId alone.",
    check: ({ daemon: [first = []] }) => {
      // The client answered with nothing but the id and `approved`.
      const [answer] = paramsOf(first, "permission.response");
      assert.deepEqual([answer?.["approved"], answer?.["via"]], [true, "websocket"]);
      const ran = paramsOf(first, "stream.tool_completed").filter(
        ({ isError }) => isError === false,
      );
      assert.ok(
        ran.some(({ id }) =>
          String(answer?.["requestId"]).endsWith(String(id).split(".").slice(1).join(".")),
        ),
      );
    },
  },
  exactly(
    "E22",
    "stream.turn_started",
    { sessionId: string, requestId: string, turnNumber: number, timestamp: string },
    [],
  ),
  exactly(
    "E23",
    "stream.turn_completed",
    {
      sessionId: string,
      requestId: string,
      turnNumber: number,
      durationMs: number,
      toolCount: number,
      timestamp: string,
    },
    ["stopReason"],
  ),
  exactly(
    "E24",
    "stream.session_started",
    { sessionId: string, model: string, timestamp: string },
    ["projectPath"],
  ),
  exactly(
    "E25",
    "stream.plan_step_fallback",
    { sessionId: string, ...step, fallbackApproach: string, attempt: number },
    [],
  ),
  {
    id: "E26",
    says: "The schema contains zero tree semantics: no parentId, no nodeType, no children.",
    difference:
      "`parentStepId` on text, thinking and calls names the running step of a plan, and `toolUseId` on a request the call that asks. Both are optional facts about what happened; `parentStepId` is the `stepId` of that step.",
    check: (world) => {
      const names = new Set<string>();
      const look = (value: unknown): void => {
        if (typeof value !== "object" || value === null) return;
        for (const [name, inner] of Object.entries(value)) {
          if (!Array.isArray(value)) names.add(name);
          look(inner);
        }
      };
      everyEnvelope(world).forEach(look);
      for (const tree of ["parentId", "nodeType", "children", "depth", "parallel"]) {
        assert.ok(!names.has(tree), tree);
      }
      const { events } = world.snapshots.plan;
      const steps = new Set(
        paramsOf(events, "stream.plan_step_started").map(({ stepId }) => stepId),
      );
      const named = events.flatMap(({ event }) => event.params["parentStepId"] ?? []);
      assert.ok(named.length > 0 && named.every((id) => steps.has(id)));
    },
  },
  {
    id: "E27",
    says: "TypeScript types cover all of the daemon's 20 and more events, as one union.",
    difference:
      "The union `DaemonEvent` is made of Zod schemas, so that clients in other languages have it, too: protocol.schema.json, asyncapi.json.",
    check: (world) => {
      const schema = readFileSync(join(ROOT, "src/protocol/protocol.schema.json"), "utf8");
      const { $defs } = JSON.parse(schema) as { $defs: Record<string, { oneOf?: Fields[] }> };
      const union = JSON.stringify($defs["DaemonEvent"]);
      for (const method of UNION) assert.ok(union.includes(`"const":"${method}"`), method);
      for (const envelope of everyEnvelope(world)) DaemonEnvelope.parse(envelope);
      const source = readFileSync(join(ROOT, "src/protocol/dialects/daemon-events.ts"), "utf8");
      assert.match(source, /^export type DaemonEvent</m);
    },
  },
  {
    id: "E28",
    says: "The contract is documented in the repository.",
    difference:
      "In src/protocol/dialects/daemon-schema.ts, and what becomes of each event in docs/windows.md.",
    check: (world) => {
      const windows = readFileSync(join(ROOT, "docs/windows.md"), "utf8");
      for (const { event } of everyEnvelope(world))
        assert.ok(windows.includes(event.method), event.method);
    },
  },
  {
    id: "E29",
    says: "A client passes events to the reducer as they are.",
    check: ({ daemon: [heard = []], work }) => {
      const tree = toExecutionTree(
        heard.reduce<ReturnType<typeof emptyExecution>>(applyEnvelope, emptyExecution(work)),
      );
      assert.equal(tree.rootNodes[0]?.type, "session");
      assert.equal(tree.stats.totalTools, tree.stats.completedTools + tree.stats.failedTools);
      assert.ok(tree.stats.totalTools > 10);
    },
  },
];
