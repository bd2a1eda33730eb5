// What must hold for the HUD's tree, whatever frames come, in whatever order and how often.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../../test/support/tries.ts";
import { sessions } from "../../../../test/support/events.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";
import type { HudEvent } from "../wire/events.ts";
import { hudDialect } from "../wire/hud.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import { applyHudFrame, emptyHud, hudTree, visibleNodes, type HudNode } from "./hud-state.ts";

function framesOf(events: readonly RunEvent[]): HudEvent[] {
  const nodes = hudDialect.begin();
  return events.flatMap((event) => encode(hudDialect, event, nodes, { replay: false }));
}
const fold = (frames: readonly unknown[]) => frames.reduce(applyHudFrame, emptyHud());
const flat = (nodes: readonly HudNode[]): HudNode[] =>
  nodes.flatMap((node) => [node, ...flat(node.children)]);
const replayed = (frames: readonly HudEvent[]) =>
  frames.map((frame) => ({ ...frame, replay: true }));

test("[W1, F1] a history that is replayed at any point changes nothing", () => {
  fc.assert(
    fc.property(sessions, fc.nat(), fc.nat(), (events, a, b) => {
      const frames = framesOf(events);
      const cut = a % (frames.length + 1);
      const before = fold(frames.slice(0, cut));
      const again = replayed(frames.slice(0, cut)).reduce(applyHudFrame, before);
      assert.equal(again, before, "the very same state");
      const from = b % (cut + 1);
      const resumed = frames.slice(from).reduce(applyHudFrame, before);
      assert.deepEqual(hudTree(resumed), hudTree(fold(frames)));
    }),
  );
});

test("[W6] in any order every node gets its own end", () => {
  const shuffled = sessions.chain((events) => {
    const frames = framesOf(events);
    return fc.tuple(
      fc.constant(frames),
      fc.shuffledSubarray(frames, { minLength: frames.length, maxLength: frames.length }),
    );
  });
  const emitted = ({
    id,
    type,
    state,
    label,
    tool,
    args,
    result,
    startedAt,
    endedAt,
  }: HudNode) => ({
    id,
    type,
    state,
    label,
    tool,
    args,
    result,
    startedAt,
    endedAt,
  });
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  fc.assert(
    fc.property(shuffled, ([frames, mixed]) => {
      // Changes of a plan belong to a moment: out of order they cannot be placed.
      const kept = (all: readonly HudEvent[]) =>
        all.filter((frame) => frame.event !== "received" || frame.subtype !== "replanned");
      assert.deepEqual(
        flat(hudTree(fold(kept(mixed))))
          .map(emitted)
          .toSorted(byId),
        flat(hudTree(fold(kept(frames))))
          .map(emitted)
          .toSorted(byId),
      );
    }),
  );
});

const name = fc.constantFrom("a", "b", "c", "__proto__");
const odd = fc.oneof(name, fc.jsonValue(), fc.constant(undefined));
const anyFrame = fc.record(
  {
    type: fc.constant("hud"),
    event: fc.constantFrom(
      ...["turn", "tool", "think"].flatMap((type) => [`${type}_start`, `${type}_end`]),
      "received",
    ),
    id: fc.oneof(fc.uuid(), name),
    ts: fc.nat(1_000),
    correlationId: odd,
    parentId: odd,
    tool: odd,
    args: odd,
    result: odd,
    label: odd,
    subtype: odd,
    payload: odd,
    durationMs: odd,
    text: odd,
  },
  { requiredKeys: ["type", "event", "id", "ts"] },
);

test("[W6] no sequence of frames breaks the tree, and every node is in it once", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(anyFrame, fc.jsonValue()), { maxLength: 60 }), (frames) => {
      const hud = fold(frames);
      const nodes = flat(hudTree(hud));
      assert.equal(nodes.length, hud.entries.length);
      const running = nodes.filter(({ state }) => state === "running");
      assert.equal(running.length, hud.running.length);
      assert.deepEqual(
        hud.running,
        hud.running.toSorted((a, b) => a - b),
      );
      assert.ok(nodes.every(({ label }) => typeof label === "string" && label !== ""));
      assert.ok(running.every((node) => node.endedAt === undefined && node.result === undefined));
      assert.ok(nodes.every((node) => node.state !== "error" || node.result?.["ok"] === false));
      assert.deepEqual(visibleNodes(hud, 1_000), hudTree(hud));
      assert.equal(frames.reduce(applyHudFrame, hud), hud, "all of it was seen");
    }),
    { numRuns: tries(1_000) },
  );
});
