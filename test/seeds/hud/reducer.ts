// H53 to H69: the frontend's data model, and when events are emitted.
import assert from "node:assert/strict";
import {
  applyHudFrame,
  emptyHud,
  hudTree,
  type HudNode,
} from "../../../src/windows/hud/state/hud-state.ts";
import { readRecordings } from "../../support/recordings/session-recordings.ts";
import { end, fold, frame, outline, results, start, tree, unflagged } from "./fold.ts";
import { of, pairs } from "./frames.ts";
import type { World } from "./world.ts";
import type { Row } from "../suite.ts";

/** When the first event of a type was written, of a recorded session. */
function recordedAt(name: string, type: string): number {
  const { events = [] } = readRecordings().find((each) => each.name === name) ?? {};
  return Math.round(Number(events.find((event) => event.type === type)?.created_at) * 1_000);
}

export const REDUCER_ROWS: readonly Row<World>[] = [
  {
    id: "H53",
    says: "A start makes a running node that is found by its correlationId, or its id where it has none.",
    check: () => {
      const nodes = tree(start("read", { correlationId: "a" }), start("read", { id: "x" }));
      assert.deepEqual(
        nodes.map(({ state }) => state),
        ["running", "running"],
      );
    },
  },
  {
    id: "H54",
    says: "An end finds its node by correlationId, and sets the result, the state and durationMs.",
    check: () => {
      const nodes = tree(
        start("read", { correlationId: "a" }),
        start("read", { correlationId: "b" }),
        end("read", 2, { correlationId: "b", durationMs: 210 }),
      );
      assert.deepEqual(
        nodes.map(({ state }) => state),
        ["running", "done"],
      );
      assert.deepEqual([nodes[1]?.result, nodes[1]?.durationMs], [{ ok: true, n: 2 }, 210]);
    },
  },
  {
    id: "H55",
    says: "An end without a correlationId ends the oldest running node of the same tool.",
    check: () => {
      const nodes = tree(
        start("read"),
        start("exec"),
        start("read"),
        end("exec", 2),
        end("read", 1),
      );
      assert.deepEqual(results(nodes), [1, 2, undefined]);
    },
  },
  {
    id: "H56",
    says: "So does an end whose correlationId nobody knows.",
    check: () =>
      assert.deepEqual(
        results(tree(start("read"), start("read"), end("read", 1, { correlationId: "new" }))),
        [1, undefined],
      ),
  },
  {
    id: "H57",
    says: "Thoughts and turns are matched like that as well.",
    check: () => {
      const nodes = tree(
        frame("turn_start"),
        frame("think_start"),
        frame("think_end"),
        frame("turn_end"),
      );
      assert.deepEqual(
        nodes.map(({ type, state }) => [type, state]),
        [
          ["turn", "done"],
          ["think", "done"],
        ],
      );
    },
  },
  {
    id: "H58",
    says: "An end is looked up by id, too.",
    check: () => {
      const nodes = tree(
        start("read", { id: "x" }),
        start("read", { id: "y" }),
        end("read", 2, { id: "y" }),
      );
      assert.deepEqual(results(nodes), [undefined, 2]);
    },
  },
  {
    id: "H59",
    says: "`received` makes a node that is complete at once.",
    check: () => {
      const [node] = tree(frame("received", { subtype: "stop", label: "stop received" }));
      assert.deepEqual(
        [node?.state, node?.label, node?.subtype],
        ["done", "stop received", "stop"],
      );
    },
  },
  {
    id: "H60",
    says: "A HudNode has id, type, state, label, startedAt, children and replay, and perhaps subtype, tool, args, result, endedAt and durationMs.",
    difference:
      "Two optional fields more, `argsTruncated` and `argsFull`, say that arguments are not whole.",
    check: ({ live }) => {
      const fields = new Set<string>();
      const look = (nodes: readonly HudNode[]) =>
        nodes.forEach((node) => {
          Object.keys(node).forEach((name) => fields.add(name));
          look(node.children);
        });
      look(hudTree(live.reduce(applyHudFrame, emptyHud())));
      const [needed, optional] = [
        ["id", "type", "state", "label", "startedAt", "children", "replay"],
        ["subtype", "tool", "args", "result", "endedAt", "durationMs", "argsTruncated", "argsFull"],
      ];
      assert.deepEqual([...fields].toSorted(), [...needed, ...optional].toSorted());
    },
  },
  {
    id: "H61",
    says: "Tools and thoughts nest in turns.",
    check: ({ recorded: { thinking } }) => {
      const [turn, ...more] = hudTree(thinking.reduce(applyHudFrame, emptyHud())).filter(
        ({ type }) => type !== "received",
      );
      assert.deepEqual(more, []);
      assert.deepEqual(
        turn?.children.map(({ type }) => type),
        ["think", "tool", "think"],
      );
    },
  },
  {
    id: "H62",
    says: "A node may be in the state 'error'.",
    difference:
      "The document does not say when. A node is in error when its result says `ok: false`.",
    check: ({ live }) => {
      const flat = (nodes: readonly HudNode[]): HudNode[] =>
        nodes.flatMap((node) => [node, ...flat(node.children)]);
      const tools = flat(hudTree(live.reduce(applyHudFrame, emptyHud()))).filter((n) => n.tool);
      for (const { state, result } of tools)
        assert.equal(state === "error", result?.["ok"] === false);
      assert.ok(tools.some(({ state }) => state === "error"));
    },
  },
  {
    id: "H63",
    says: "New event types do not break existing consumers.",
    check: () => {
      const before = fold(start("read"));
      assert.equal(applyHudFrame(before, frame("moon_phase", { phase: "full" })), before);
      const [node] = tree(frame("received", { subtype: "moon", label: "full" }));
      assert.equal(node?.label, "full");
    },
  },
  {
    id: "H64",
    says: "The replay of history emits the same events.",
    check: ({ live, again }) => {
      assert.deepEqual(unflagged(again), unflagged(live));
      assert.deepEqual(outline(again), outline(live));
    },
  },
  {
    id: "H65",
    says: "Whoever connects in the middle has everything, and nothing twice.",
    check: ({ live, joined }) => {
      assert.deepEqual(unflagged(joined), unflagged(live));
      const flags = joined.slice(1).map(({ replay }) => replay === true);
      assert.equal(
        flags.filter((flag, at) => flag !== flags[at - 1]).length,
        2,
        "past, then present",
      );
    },
  },
  {
    id: "H66",
    says: "`tool_start` is emitted on a call, `tool_end` on its result.",
    difference:
      "A call begins when the model has asked for it: the time that it waits for a person belongs to it.",
    check: ({ asked }) => {
      const at = (event: string, subtype?: string) =>
        asked.findIndex((each) => each.event === event && each["subtype"] === subtype);
      assert.ok(at("tool_start") >= 0 && at("tool_start") < at("received", "approval"));
      assert.ok(at("received", "approval") < at("tool_end"));
    },
  },
  {
    id: "H67",
    says: "`think_start` is emitted with the first chunk, `think_end` at the latest when the turn ends.",
    check: ({ recorded: { thinking }, talk }) => {
      assert.equal(of(thinking, "think_start")[0]?.ts, recordedAt("thinking", "reasoning.delta"));
      for (const frames of [thinking, talk]) {
        const [turn] = pairs(frames, "turn");
        for (const { start: from, end: to } of pairs(frames, "think")) {
          assert.ok(turn && from.ts >= turn.start.ts && to.ts <= turn.end.ts);
        }
      }
      assert.equal(of(talk, "think_end").length, 1, "of a thought that nobody ended");
    },
  },
  {
    id: "H68",
    says: "`turn_start` is emitted with the first delta.",
    difference:
      "It is emitted when the run starts, which is earlier: a turn may think or call a tool before it says anything.",
    check: ({ live, recorded: { thinking } }) => {
      const [first] = live.filter(({ event }) => event !== "received");
      assert.equal(first?.event, "turn_start");
      assert.equal(of(thinking, "turn_start")[0]?.ts, recordedAt("thinking", "run.started"));
    },
  },
  {
    id: "H69",
    says: "`turn_end` is emitted when the answer is done.",
    check: ({ live, stopped }) => {
      assert.equal(live.at(-1)?.event, "turn_end");
      assert.deepEqual(of(stopped, "turn_end")[0]?.["result"], { ok: false, status: "cancelled" });
    },
  },
];
