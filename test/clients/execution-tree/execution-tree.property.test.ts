// What must hold for the execution tree of any stream: how it was cut, repeated or disturbed does not
// matter, what did not change is not touched, and an event costs the same however much there is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { tries } from "../../support/tries.ts";
import { sessions } from "../../support/events.ts";
import { daemonDialect } from "../../../src/windows/daemon/wire/daemon.ts";
import type { DaemonEnvelope } from "../../../src/windows/daemon/wire/events.ts";
import { encode } from "../../../src/kernel/dialect/dialect.ts";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { placeOf, withPlace, NO_IDS } from "../../../src/kernel/state/id-map.ts";
import {
  applyEnvelope,
  emptyExecution,
  toExecutionTree,
  type ExecutionNode,
  type ExecutionState,
} from "./execution-tree.ts";

const AT = "2026-01-01T00:00:00.000Z";

function emitted(events: readonly RunEvent[]): DaemonEnvelope[] {
  const state = daemonDialect.begin();
  return events.flatMap((event) => encode(daemonDialect, event, state, { replay: false }));
}

/** What a daemon could send, in any order: every method, a few ids, so that they meet. */
const few = (...values: string[]) => fc.constantFrom(...values);
const step = { planId: few("p", "q"), stepIndex: fc.integer({ min: 1, max: 3 }) };
const parentStepId = fc.constantFrom(undefined, "p:step:1", "p:step:2", "q:step:1", "nobody");
const steps = fc.array(
  fc.record({ index: fc.integer({ min: 1, max: 3 }), name: few("a"), description: few("") }),
  { maxLength: 3 },
);
const PARAMS: Record<string, fc.Arbitrary<object>> = {
  "stream.session_started": fc.record({ sessionId: few("s"), model: few("m"), timestamp: few(AT) }),
  "stream.session_ended": fc.record({ sessionId: few("s"), timestamp: few(AT), reason: few("x") }),
  "stream.turn_started": fc.record({ requestId: few("t1", "t2"), turnNumber: fc.nat(3) }),
  "stream.turn_completed": fc.record({
    requestId: few("t1", "t2"),
    turnNumber: fc.nat(3),
    durationMs: fc.nat(9),
  }),
  "stream.text": fc.record({ delta: fc.string({ maxLength: 5 }), parentStepId }),
  "stream.thinking": fc.record({ delta: fc.string({ maxLength: 5 }), parentStepId }),
  "stream.tool_use": fc.record({ id: few("a", "b", "c"), name: few("x"), parentStepId }),
  "stream.tool_completed": fc.record({
    id: few("a", "b", "c"),
    name: few("x"),
    durationMs: fc.nat(9),
    isError: fc.boolean(),
  }),
  "stream.error": fc.record({ error: few("e") }),
  "stream.heartbeat": fc.record({ phase: few("model_call", "running") }),
  "stream.usage": fc.record({ totalInputTokens: fc.nat(9), totalOutputTokens: fc.nat(9) }),
  "stream.compaction": fc.record({ originalTokens: fc.nat(9) }),
  "stream.subagent.start": fc.record({ agentType: few("k", "l"), prompt: few("") }),
  "stream.subagent.end": fc.record({ agentType: few("k", "l") }),
  "stream.plan_created": fc.record({ planId: few("p", "q"), goal: few("g"), steps }),
  "stream.plan_step_started": fc.record({ ...step, stepName: few("n") }),
  "stream.plan_step_completed": fc.record({ ...step, success: fc.boolean() }),
  "stream.plan_step_fallback": fc.record(step),
  "stream.plan_replanned": fc.record({ planId: few("p", "q"), replanAttempt: fc.nat(2) }),
  "stream.plan_completed": fc.record({ planId: few("p", "q"), success: fc.boolean() }),
  "stream.plan_escalated": fc.record({ planId: few("p", "q"), reason: few("r") }),
  "permission.request": fc.record({
    tool: few("x"),
    description: few("d"),
    requestId: few("r1", "r2", "r3"),
    toolUseId: fc.constantFrom(undefined, "a", "b", "z"),
  }),
  "permission.response": fc.record({
    requestId: few("r1", "r2", "r3"),
    approved: fc.boolean(),
    via: few("websocket", "person"),
  }),
  "stream.swarm_started": fc.record({ any: fc.nat(3) }),
};
const anyEvent = fc.oneof(
  ...Object.entries(PARAMS).map(([method, arbitrary]) =>
    arbitrary.map((params) => ({ method, params })),
  ),
);
const onTheWire = <Sent>(sent: Sent) => JSON.parse(JSON.stringify(sent)) as Sent;
const streams = fc
  .array(anyEvent, { maxLength: 60, size: "max" })
  .map((all) =>
    all.map((event, at) => onTheWire({ eventId: at + 1, sessionId: "s", receivedAt: AT, event })),
  );
const both = fc.oneof(
  streams.map((envelopes) => ({ sessionId: "s", envelopes: envelopes as readonly object[] })),
  sessions.map((events) => ({ sessionId: "s1", envelopes: emitted(events) as readonly object[] })),
);

const fold = (from: ExecutionState, envelopes: readonly object[]) =>
  envelopes.reduce(applyEnvelope, from);
const whole = ({ sessionId, envelopes }: { sessionId: string; envelopes: readonly object[] }) =>
  toExecutionTree(fold(emptyExecution(sessionId), envelopes));

function nodesOf(roots: readonly ExecutionNode[]): ExecutionNode[] {
  const open = [...roots];
  for (const node of open) open.push(...node.children);
  return open;
}

test("[W1, F1] a stream that is cut anywhere and resumed with any overlap gives the same tree", () => {
  fc.assert(
    fc.property(both, fc.nat(), fc.nat(), (stream, a, b) => {
      const { sessionId, envelopes } = stream;
      const cut = a % (envelopes.length + 1);
      const from = b % (cut + 1);
      const before = fold(emptyExecution(sessionId), envelopes.slice(0, cut));
      assert.deepEqual(toExecutionTree(fold(before, envelopes.slice(from))), whole(stream));
    }),
    { numRuns: tries(400) },
  );
});

test("[W1, F1] old frames, other sessions' frames and broken ones in between change nothing", () => {
  fc.assert(
    fc.property(both, fc.array(fc.nat(), { maxLength: 20 }), (stream, mishaps) => {
      let state = emptyExecution(stream.sessionId);
      for (const [at, envelope] of stream.envelopes.entries()) {
        state = applyEnvelope(state, envelope);
        for (const mishap of mishaps.filter((each) => each % stream.envelopes.length === at)) {
          const old = stream.envelopes[mishap % (at + 1)];
          for (const noise of [old, { ...old, sessionId: "else" }, { ...old, event: null }, null]) {
            assert.equal(applyEnvelope(state, noise), state);
          }
        }
      }
      assert.deepEqual(toExecutionTree(state), whole(stream));
    }),
  );
});

test("[F6] a fold changes neither the state it began with nor the envelope", () => {
  fc.assert(
    fc.property(both, ({ sessionId, envelopes }) => {
      let state = emptyExecution(sessionId);
      for (const envelope of envelopes) {
        const before = structuredClone(state);
        const sent = structuredClone(envelope);
        const next = applyEnvelope(state, envelope);
        assert.deepEqual(applyEnvelope(state, envelope), next);
        assert.deepEqual(state, before);
        assert.deepEqual(envelope, sent);
        state = next;
      }
    }),
    { numRuns: 50 },
  );
});

test("[F2] ids are unique, counts are true, and nodes that did not change are the same objects", () => {
  fc.assert(
    fc.property(both, ({ sessionId, envelopes }) => {
      let state = emptyExecution(sessionId);
      let before = toExecutionTree(state);
      for (const envelope of envelopes) {
        state = applyEnvelope(state, envelope);
        const tree = toExecutionTree(state);
        const nodes = nodesOf(tree.rootNodes);
        assert.equal(new Set(nodes.map(({ id }) => id)).size, nodes.length);
        assert.equal(nodes.filter(({ type }) => type === "tool").length, tree.stats.totalTools);
        const { totalTools, completedTools, failedTools } = tree.stats;
        assert.ok(completedTools >= 0 && failedTools >= 0);
        assert.ok(completedTools + failedTools <= totalTools);
        assert.ok(tree.activeNodeId === null || nodes.some(({ id }) => id === tree.activeNodeId));
        const old = new Map(nodesOf(before.rootNodes).map((node) => [node.id, node]));
        const anew = nodes.filter((node) => {
          const was = old.get(node.id);
          return was !== undefined && was !== node && isDeepStrictEqual(was, node);
        });
        // Saying the same of a node again may make it anew, with what is above it, and nothing else.
        const last = anew.at(-1);
        for (const node of anew) assert.ok(last && nodesOf([node]).includes(last), node.id);
        before = tree;
      }
    }),
    { numRuns: tries(150) },
  );
});

test("[W4] whatever was asked and not answered is on a node, or waits for one, until its turn is over", () => {
  const quiet = streams.map((all) =>
    all.filter(({ event: { method } }) => !ENDS_WAITING.has(method)),
  );
  fc.assert(
    fc.property(quiet, (envelopes) => {
      let state = emptyExecution("s");
      const open = new Set<string>();
      for (const envelope of envelopes) {
        state = applyEnvelope(state, envelope);
        const { method, params } = envelope.event as {
          method: string;
          params: Record<string, string>;
        };
        const id = params["requestId"] ?? "";
        if (method === "permission.request") open.add(id);
        if (method === "permission.response") open.delete(id);
        const buffered = Object.values(state.pendingPermissionsByToolUseId);
        const known = new Set([
          ...Object.keys(state.waiting),
          ...buffered.map(({ requestId }) => requestId),
        ]);
        const lost = [...open].filter((each) => !known.has(each));
        assert.deepEqual(lost, [], "hidden");
        const shown = nodesOf(toExecutionTree(state).rootNodes).filter((n) => n.awaitingInput);
        const places = new Set(Object.values(state.waiting));
        assert.equal(shown.length, places.size);
      }
    }),
    { numRuns: tries(300) },
  );
});
const ENDS_WAITING = new Set(["stream.turn_completed", "stream.tool_completed"]);

test("[F5] a hundred thousand events cost the last as much as the first, and a look at them little", () => {
  const cost = (envelopes: readonly object[]) => {
    let state = emptyExecution("s");
    const fifth = Math.floor(envelopes.length / 5);
    const times: number[] = [];
    for (let part = 0; part < 5; part += 1) {
      const start = process.threadCpuUsage(); // of this thread: others may be busy
      for (const each of envelopes.slice(part * fifth, (part + 1) * fifth)) {
        state = applyEnvelope(state, each);
      }
      times.push(process.threadCpuUsage(start).user);
    }
    return { state, growth: (times.at(-1) ?? 0) / Math.min(...times.slice(0, 3)) };
  };
  for (const [name, events] of Object.entries(longStreams(100_000))) {
    const { state, growth } = cost(events);
    assert.equal(state.lastEventId, events.length, name);
    assert.ok(growth < 6, `${name}: the last events cost ${growth.toFixed(1)} times the first`);
  }
});

/** One turn that talks, one that calls at once, one that goes round and round, and many turns. */
function longStreams(length: number): Record<string, object[]> {
  const make = (each: (at: number) => { method: string; params: object }) =>
    Array.from({ length }, (_, at) => ({
      eventId: at + 1,
      sessionId: "s",
      receivedAt: AT,
      event: at === 0 ? BEGIN : each(at),
    }));
  const BEGIN = { method: "stream.turn_started", params: { requestId: "t", turnNumber: 1 } };
  const use = (at: number) => ({ method: "stream.tool_use", params: { id: `c${at}`, name: "x" } });
  const used = (at: number) => ({
    method: "stream.tool_completed",
    params: { id: `c${at}`, name: "x", durationMs: 1, isError: false },
  });
  const text = { method: "stream.text", params: { delta: "so " } };
  return {
    talk: make(() => text),
    calls: make(use),
    rounds: make((at) => [text, use(at), used(at - 1)][at % 3] ?? text),
    turns: make((at) =>
      at % 2 === 0
        ? text
        : { method: "stream.turn_started", params: { requestId: `t${at}`, turnNumber: at } },
    ),
  };
}

test("[F5] the map of ids finds every id, also of equal hashes, and older maps stay as they were", () => {
  const ids = fc.array(
    fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.constantFrom("costarring", "liquid", "altarage", "zinke"),
    ),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(ids, (all) => {
      let map = NO_IDS;
      const known = new Map<string, number>();
      for (const [at, id] of all.entries()) {
        const older = map;
        const was = known.get(id);
        map = withPlace(map, id, at);
        assert.equal(placeOf(older, id), was);
        known.set(id, at);
      }
      for (const [id, at] of known) assert.equal(placeOf(map, id), at);
      assert.equal(placeOf(map, "nobody's id"), undefined);
    }),
  );
});
