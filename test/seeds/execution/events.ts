// E20 to E29: answers, parameters, and what the events are to their clients.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DaemonEnvelope } from "../../../src/windows/daemon/wire/schema.ts";
import {
  applyEnvelope,
  emptyExecution,
  toExecutionTree,
} from "../../clients/execution-tree/execution-tree.ts";
import { PARAM_ROWS } from "./params.ts";
import { everyEnvelope, paramsOf } from "./stories.ts";
import type { Fields, World } from "../hud/world.ts";
import type { Row } from "../suite.ts";

const ROOT = join(import.meta.dirname, "../../..");
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

export const EVENT_ROWS: readonly Row<World>[] = [
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
  ...PARAM_ROWS,
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
      const schema = readFileSync(join(ROOT, "src/api/protocol.schema.json"), "utf8");
      const { $defs } = JSON.parse(schema) as { $defs: Record<string, { oneOf?: Fields[] }> };
      const union = JSON.stringify($defs["DaemonEvent"]);
      for (const method of UNION) assert.ok(union.includes(`"const":"${method}"`), method);
      for (const envelope of everyEnvelope(world)) DaemonEnvelope.parse(envelope);
      const source = readFileSync(join(ROOT, "src/windows/daemon/wire/events.ts"), "utf8");
      assert.match(source, /^export type DaemonEvent</m);
    },
  },
  {
    id: "E28",
    says: "The contract is documented in the repository.",
    difference:
      "In src/windows/daemon/wire/schema.ts, and what becomes of each event in docs/windows.md.",
    check: (world) => {
      const windows = readFileSync(join(ROOT, "docs/windows.md"), "utf8");
      for (const { event } of everyEnvelope(world))
        assert.ok(windows.includes(event.method), event.method);
      assert.match(
        windows,
        /`eventId`[^]*`snapshot\.request`[^]*`lastEventId`/,
        "their order, too",
      );
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
