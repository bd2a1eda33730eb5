// E44 to E60: snapshots and live events, and what is left open for later.
import assert from "node:assert/strict";
import { applyEnvelope, toExecutionTree } from "../../clients/execution-tree/execution-tree.ts";
import { readEvents } from "../../support/http.ts";
import { extensionIn } from "./extension.ts";
import { fold, nodesIn, treeFrom, treeOf } from "./fold.ts";
import { refreshing } from "./refresh.ts";
import { paramsOf, storiesOf } from "./stories.ts";
import type { Envelope, World } from "../hud/world.ts";
import type { Row } from "../suite.ts";

const ofSession = (envelopes: readonly Envelope[] | undefined, id: string) =>
  (envelopes ?? []).filter(({ sessionId }) => sessionId === id);

export const STREAM_ROWS: readonly Row<World>[] = [
  {
    id: "E44",
    says: "eventId rises monotonically.",
    check: ({ daemon }) => {
      for (const heard of daemon) {
        for (const id of new Set(heard.map(({ sessionId }) => sessionId))) {
          const ids = ofSession(heard, id).map(({ eventId }) => eventId);
          assert.ok(
            ids.every((each, at) => each > (ids[at - 1] ?? 0)),
            id,
          );
        }
      }
    },
  },
  {
    id: "E45",
    says: "A client ignores events that it has, by its lastEventId.",
    difference:
      "The document does not say of what. An eventId is the session's own number, and a client keeps one lastEventId for each session.",
    check: ({ daemon: [heard], work }) => {
      assert.equal(ofSession(heard, "asked")[0]?.eventId, 1);
      assert.equal(ofSession(heard, work)[0]?.eventId, 1);
    },
  },
  {
    id: "E46",
    says: "A browser loads a snapshot of the current state.",
    check: ({ snapshots: { plan } }) => {
      assert.equal(plan.events[0]?.event.method, "stream.session_started");
      assert.ok(plan.lastEventId >= (plan.events.at(-1)?.eventId ?? 0));
      assert.ok(nodesIn(treeFrom(plan.events)).length > 10);
    },
  },
  {
    id: "E47",
    says: "It then attaches to the live events, and goes on without rebuilding: nothing is missing, nothing comes twice.",
    check: ({ daemon: [heard], snapshots, work }) => {
      const live = ofSession(heard, work);
      assert.deepEqual(snapshots.work.events, live);
      assert.deepEqual(treeFrom([...live.slice(0, 20), ...live]), treeFrom(live));
    },
  },
  {
    id: "E48",
    says: "Events that were applied before are ignored.",
    check: ({ snapshots: { plan } }) => {
      const once = treeFrom(plan.events);
      assert.deepEqual(treeFrom([...plan.events, ...plan.events]), once);
    },
  },
  {
    id: "E49",
    says: "A client that knows a lastEventId gets what came after it.",
    check: async ({ snapshot, snapshots, work }) => {
      const cut = snapshots.work.events[10]?.eventId ?? 0;
      const { events, lastEventId } = await snapshot(work, cut);
      assert.deepEqual(events, snapshots.work.events.slice(11));
      assert.equal(lastEventId, snapshots.work.lastEventId);
    },
  },
  {
    id: "E50",
    says: "An execution can be recovered after a refresh.",
    difference:
      "A snapshot has at most 4 MiB. Of a longer session the oldest words are left out first, and `truncated: true` says so.",
    check: async ({ program, snapshot, snapshots }) => {
      assert.ok(Object.values(snapshots).every(({ truncated }) => truncated === undefined));
      const { stayed, refreshed } = await refreshing(program);
      assert.deepEqual(treeFrom(refreshed), treeFrom(stayed));
      const { events, truncated } = await snapshot("s1");
      assert.equal(truncated, true);
      const words = paramsOf(events, "stream.text").map(({ delta }) => parseInt(String(delta)));
      assert.deepEqual(
        words,
        Array.from({ length: 41 }, (_, at) => at + 9),
        "the newest ones",
      );
      assert.equal(paramsOf(events, "stream.turn_completed").length, 1);
    },
  },
  {
    id: "E51",
    says: "Every client is sent the same flat events.",
    check: ({ daemon: [first, second] }) => {
      assert.ok((first?.length ?? 0) > 50);
      assert.deepEqual(second, first);
    },
  },
  {
    id: "E52",
    says: "Methods that a client does not know do no harm.",
    check: () => {
      const state = fold(["stream.tool_use", { id: "t1", name: "read" }]);
      const unknown = {
        eventId: 9,
        sessionId: "s",
        receivedAt: "2026-04-30T10:00:00.000Z",
        event: { method: "stream.moon", params: {} },
      };
      const next = applyEnvelope(state, unknown);
      assert.deepEqual(toExecutionTree(next), { ...toExecutionTree(state), lastEventId: 9 });
    },
  },
  {
    id: "E53",
    says: "`stream.swarm_*` and `stream.worker_*` are reserved for later.",
    check: async ({ snapshot }) => {
      const emitted = await extensionIn(snapshot);
      assert.deepEqual(emitted["x.stream.swarm_started"], [
        "stream.swarm_started",
        { worker: "w1" },
      ]);
      assert.deepEqual(emitted["x.stream.worker_done"], ["stream.worker_done", { worker: "w1" }]);
    },
  },
  {
    id: "E54",
    says: "Custom namespaces are possible.",
    check: async ({ snapshot }) => {
      const emitted = await extensionIn(snapshot);
      assert.equal(emitted["x.acme.thing"]?.[0], "acme.thing");
      const ours = "x.stream.turn_started";
      assert.equal(emitted[ours]?.[0], ours, "but not under our names");
    },
  },
  {
    id: "E55",
    says: "New types of tools are possible.",
    check: ({ daemon: [heard], work }) => {
      const tree = treeFrom(ofSession(heard, work));
      assert.ok(nodesIn(tree).some(({ metadata }) => metadata?.["tool"] === "nosuch_tool"));
    },
  },
  {
    id: "E56",
    says: "The reducer takes nothing but well-formed events of its session.",
    check: () => {
      const state = fold(["stream.tool_use", { id: "t1", name: "read" }]);
      const event = { method: "stream.tool_use", params: { id: "t2", name: "read" } };
      const envelope = {
        eventId: 9,
        sessionId: "s",
        receivedAt: "2026-04-30T10:00:00.000Z",
        event,
      };
      const odd = [
        null,
        7,
        [],
        {},
        { ...envelope, sessionId: "else" },
        { ...envelope, eventId: "9" },
        { ...envelope, event: {} },
      ];
      for (const each of odd) assert.equal(applyEnvelope(state, each), state);
      assert.notEqual(applyEnvelope(state, envelope), state);
    },
  },
  {
    id: "E57",
    says: "Events are the daemon's JSON-RPC notifications.",
    difference:
      "As in the document's union an event is a bare `{method, params}`, without `jsonrpc`; it stands in the envelope `{eventId, sessionId, receivedAt, event}` of the daemon's own dashboard.",
    check: ({ daemon: [heard = []] }) => {
      for (const envelope of heard) {
        assert.deepEqual(Object.keys(envelope), ["eventId", "sessionId", "receivedAt", "event"]);
        assert.deepEqual(Object.keys(envelope.event), ["method", "params"]);
      }
    },
  },
  {
    id: "E58",
    says: "`stream.tool_completed` has an id and a duration.",
    difference:
      "The example's `duration` is `durationMs`, as in the document's other events; `name` and `isError` are there as well, and `error` of a call that failed.",
    check: ({ daemon: [heard = []] }) => {
      const ended = paramsOf(heard, "stream.tool_completed");
      assert.ok(ended.some(({ durationMs }) => Number(durationMs) > 0));
      assert.ok(ended.some(({ isError }) => isError === true));
      for (const { id, name, durationMs, isError, error } of ended) {
        assert.ok(typeof id === "string" && typeof name === "string");
        assert.ok(typeof durationMs === "number" && durationMs >= 0);
        assert.equal(typeof error === "string", isError);
      }
    },
  },
  {
    id: "E59",
    says: "Text belongs to a turn.",
    difference:
      "The document does not say what text outside of a turn is. It is sent only within one; the reducer passes over text that comes without.",
    check: async (world) => {
      for (const { emitted } of await storiesOf(world)) {
        let turns = 0;
        for (const { method } of emitted.map(({ event }) => event)) {
          if (method === "stream.turn_started") turns += 1;
          if (method === "stream.turn_completed") turns -= 1;
          assert.ok(method !== "stream.text" || turns > 0);
        }
      }
      assert.deepEqual(treeOf(["stream.text", { delta: "hm" }]).rootNodes, []);
    },
  },
  {
    id: "E60",
    says: "The existing protocol of the command line remains unchanged.",
    difference:
      "There was none here. The events that our own clients read are stored once and sent as they are stored: this window changes none of them.",
    check: async ({ program, work, snapshots }) => {
      const { frames } = await readEvents(program, `/api/sessions/${work}/events`, {
        take: snapshots.work.lastEventId,
      });
      const types = frames.map(({ data }) => (JSON.parse(data) as { type: string }).type);
      assert.equal(types.length, snapshots.work.lastEventId);
      assert.ok(
        types.includes("tool.intent") && types.every((type) => !type.startsWith("stream.")),
      );
    },
  },
];
