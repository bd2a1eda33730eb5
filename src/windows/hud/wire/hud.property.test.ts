// What must hold for the HUD of every session, wherever its window was opened, cut or folded again.
import assert from "node:assert/strict";
import { handlerOf } from "../../../kernel/events/event-table.ts";
import { test } from "node:test";
import fc from "fast-check";
import * as d from "../../../../test/support/drafts.ts";
import {
  runDrafts,
  sealAll,
  sessionCreated,
  sessions,
  type AnyDraft,
  type Entry,
} from "../../../../test/support/events.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import {
  applyHudFrame,
  emptyHud,
  hudTree,
  pendingRequests,
  type HudNode,
} from "../state/hud-state.ts";
import { applySessionEvent, emptySession } from "../../../kernel/state/session/session-state.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";
import type { OpenNodes } from "./open-nodes.ts";
import type { HudEvent } from "./events.ts";
import { hudDialect } from "./hud.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function emit(events: readonly RunEvent[], nodes: OpenNodes, replay = false): HudEvent[] {
  return events.flatMap((event) => encode(hudDialect, event, nodes, { replay }));
}
const whole = (events: readonly RunEvent[]) => emit(events, hudDialect.begin());
const unmarked = ({ replay: _replay, ...frame }: HudEvent) => frame;

/** A run that delegates, its subagent, and whatever else goes on, in any order they could happen in. */
const families: fc.Arbitrary<RunEvent[]> = fc
  .tuple(runDrafts, runDrafts, fc.infiniteStream(fc.boolean()))
  .map(([parent, child, coin]) => {
    const ids = { subagent_id: "kid", child_run_id: "kid", call_id: "c9" };
    const begin: AnyDraft[] = [
      ...parent.slice(0, 3),
      d.turnStarted(1),
      d.intent("c9"),
      d.toolStarted("c9"),
      { type: "subagent.started", payload: { ...ids, title: "Sub", prompt: "go", depth: 1 } },
    ];
    const lists = [
      parent.slice(3).map((draft): Entry => ({ logId: "r1", draft })),
      child.map((draft): Entry => ({ logId: "kid", draft })),
    ] as const;
    const mixed: Entry[] = [];
    while (lists[0].length + lists[1].length > 0) {
      const [from, other] = coin.next().value === true ? lists : [lists[1], lists[0]];
      const entry = from.shift() ?? other.shift();
      if (entry) mixed.push(entry);
    }
    const created = { logId: "s1", draft: sessionCreated };
    return sealAll([created, ...begin.map((draft): Entry => ({ logId: "r1", draft })), ...mixed]);
  });
const anySession = fc.oneof(sessions, families);

test("[W1] live, replayed, and folded again at any cut: the same frames but for `replay`", () => {
  fc.assert(
    fc.property(anySession, fc.nat(), (events, at) => {
      const frames = whole(events);
      assert.deepEqual(emit(events, hudDialect.begin(), true).map(unmarked), frames);
      const cut = at % (events.length + 1);
      const nodes = hudDialect.begin();
      const before = emit(events.slice(0, cut), nodes);
      const carried = JSON.parse(JSON.stringify(nodes)) as OpenNodes; // plain data, in its order
      assert.deepEqual([...before, ...emit(events.slice(cut), carried)], frames);
    }),
  );
});

test("[W7] every frame has a UUID of its own, and a time that is its event's", () => {
  fc.assert(
    fc.property(anySession, (events) => {
      const frames = whole(events);
      assert.equal(new Set(frames.map(({ id }) => id)).size, frames.length);
      assert.ok(frames.every(({ id }) => UUID.test(id)));
      const thoughts = frames.filter((frame) => frame.event === "think_start");
      assert.ok(thoughts.every(({ correlationId }) => UUID.test(correlationId)));
      const times = frames.map(({ ts }) => ts);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
    }),
  );
});

test("[W1] starts and ends are pairs, and nothing of a run is open once it is done", () => {
  fc.assert(
    fc.property(anySession, (events) => {
      const nodes = hudDialect.begin();
      const open = new Map<string, HudEvent>();
      const used = new Set<string>();
      for (const event of events) {
        for (const frame of encode(hudDialect, event, nodes, { replay: false })) {
          if (frame.event === "received") continue;
          const [type, phase] = frame.event.split("_");
          const key = `${type} ${frame.correlationId}`;
          if (phase === "start") {
            assert.ok(!used.has(key), `${key} starts once`);
            used.add(key);
            open.set(key, frame);
            continue;
          }
          const start = open.get(key);
          assert.ok(start, `${key} ends after it began`);
          assert.equal("durationMs" in frame && frame.durationMs, frame.ts - start.ts);
          assert.equal(frame.parentId, start.parentId);
          open.delete(key);
        }
        if (event.type !== "done") continue;
        const left = [...open].filter(
          ([key, { parentId }]) => parentId === event.run_id || key === `turn ${event.run_id}`,
        );
        assert.deepEqual(left, []);
      }
    }),
  );
});

test("[W4] at every moment the HUD shows exactly the requests that wait", () => {
  fc.assert(
    fc.property(anySession, (events) => {
      const nodes = hudDialect.begin();
      let hud = emptyHud();
      let session = emptySession("s1");
      for (const event of events) {
        session = applySessionEvent(session, event);
        for (const frame of encode(hudDialect, event, nodes, { replay: false })) {
          hud = applyHudFrame(hud, frame);
        }
        assert.deepEqual(
          pendingRequests(hud)
            .map(({ requestId }) => requestId)
            .toSorted(),
          Object.keys(session.pending).toSorted(),
        );
      }
    }),
  );
});

test("[W2] types nobody knows are told and change nothing else", () => {
  fc.assert(
    fc.property(anySession, (events) => {
      const foreign = events.filter(({ type }) => !handlerOf(hudDialect.table, type));
      const emitted = whole(events).filter(
        (frame) => frame.event === "received" && frame.subtype === "event",
      );
      assert.deepEqual(
        emitted.map((frame) => frame.event === "received" && frame.payload?.["type"]),
        foreign.map(({ type }) => type),
      );
    }),
  );
});

test("[W1] the nodes holds what is open and nothing else", () => {
  fc.assert(
    fc.property(anySession, (events) => {
      const nodes = hudDialect.begin();
      emit(events, nodes);
      const ended = new Set(events.filter(({ terminal }) => terminal).map(({ run_id }) => run_id));
      const { runs, calls, thinks, requests } = nodes;
      for (const { runId } of [calls, thinks, requests].flatMap(
        (held): { readonly runId: string }[] => Object.values(held),
      )) {
        assert.ok(!ended.has(runId));
      }
      assert.ok(Object.keys(runs).every((key) => !ended.has(key.slice(1))));
      assert.ok(JSON.stringify(nodes).length < 400 * (1 + events.length));
    }),
  );
});

test("[W1] the tree has every start once, in its turn, and runs on only where the nodes does", () => {
  const flat = (node: HudNode): HudNode[] => [node, ...node.children.flatMap(flat)];
  fc.assert(
    fc.property(anySession, (events) => {
      const nodes = hudDialect.begin();
      const frames = emit(events, nodes);
      const tree = hudTree(frames.reduce(applyHudFrame, emptyHud())).flatMap(flat);
      const starts = frames.filter(({ event }) => !event.endsWith("_end"));
      assert.deepEqual(tree.map(({ id }) => id).toSorted(), starts.map(({ id }) => id).toSorted());
      const begun = Object.values(nodes.runs).filter(({ startedAt }) => startedAt !== null);
      const calls = Object.values(nodes.calls).filter(({ startedAt }) => startedAt !== null);
      const open = begun.length + calls.length + Object.keys(nodes.thinks).length;
      assert.equal(tree.filter(({ state }) => state === "running").length, open);
      for (const node of tree.filter(({ type }) => type === "turn")) {
        assert.ok(node.children.every(({ type }) => type !== "turn"));
      }
    }),
  );
});
