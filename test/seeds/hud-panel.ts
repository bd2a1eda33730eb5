// H70 to H79: how the panel shows it. What the page draws is checked in a browser by test/browser/hud.test.ts;
// here it is held to the functions it is drawn with and to what its rows and styles say.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  applyHudFrame,
  emptyHud,
  hudTree,
  visibleNodes,
  type HudNode,
} from "../../src/protocol/hud-state.ts";
import { of } from "./hud-frames.ts";
import type { Fields, HudFrame, World } from "./hud-world.ts";
import type { Row } from "./suite.ts";

const HUD = join(import.meta.dirname, "../../src/web/hud");
type Whole = { readonly bytes: number } & (
  | { readonly sha256: string }
  | { readonly runId: string }
);
type ShownRows = {
  readonly LIMITS: readonly number[];
  readonly limitOf: (text: string | null) => number;
  readonly countNodes: (nodes: readonly HudNode[]) => number;
  readonly signOf: (node: HudNode) => { readonly icon: string; readonly words: string };
  readonly splitReplay: (
    nodes: readonly HudNode[],
    how: { readonly isReplay: (node: HudNode) => boolean; readonly moment: boolean },
  ) => { readonly past: readonly HudNode[]; readonly news: readonly HudNode[] };
  readonly wholeOf: (full: unknown) => Whole | undefined;
};
// The page is compiled with settings of its own.
const page: string = join(HUD, "shown-rows.ts");
const { countNodes, LIMITS, limitOf, signOf, splitReplay, wholeOf } = (await import(
  page
)) as ShownRows;
const source = (name: string) => readFileSync(join(HUD, name), "utf8");
const treeOf = (frames: readonly HudFrame[]) => hudTree(frames.reduce(applyHudFrame, emptyHud()));
/** What a style says for a selector. */
function styleOf(selector: string, property: string): string | undefined {
  const css = source("hud.module.css");
  const at = css.indexOf(`\n${selector} {`);
  const block = at < 0 ? "" : css.slice(at, css.indexOf("}", at));
  return new RegExp(`\\b${property}: ([^;]+);`).exec(block)?.[1];
}
const sign = (frames: readonly HudFrame[], tool: string) => {
  const flat = (nodes: readonly HudNode[]): HudNode[] =>
    nodes.flatMap((node) => [node, ...flat(node.children)]);
  const node = flat(treeOf(frames)).find((each) => each.tool === tool);
  assert.ok(node, tool);
  return signOf(node);
};

export const PANEL_ROWS: readonly Row<World>[] = [
  {
    id: "H70",
    says: "The panel is a tree: turns at the root, tools and thoughts below them.",
    check: ({ live }) => {
      const roots = visibleNodes(live.reduce(applyHudFrame, emptyHud()), Infinity);
      assert.ok(roots.every(({ type }) => type === "turn" || type === "received"));
      const [turn] = roots.filter(({ type }) => type === "turn");
      assert.ok(turn && turn.children.filter(({ type }) => type === "tool").length > 10);
      assert.match(source("hud-row.tsx"), /<HudRows \{\.\.\.props\} nodes=\{node\.children\} \/>/);
    },
  },
  {
    id: "H71",
    says: "Each row is a state dot, an icon, a label and a duration badge.",
    check: () =>
      assert.match(
        source("hud-row.tsx"),
        /styles\.dot[^]*<Icon name=\{icon\} \/>[^]*styles\.label[^]*<Took node=\{node\} \/>/,
      ),
  },
  {
    id: "H72",
    says: "Rows have the emoji of the table as icons.",
    difference:
      "The page draws an icon of its own for each of them (eye, pencil, bolt, globe, search). The emoji stay in `label`, for other clients.",
    check: ({ live }) => {
      assert.deepEqual(sign(live, "read"), { icon: "eye", words: "a.txt:L2–L4" });
      assert.equal(sign(live, "write").icon, "pencil");
      assert.equal(sign(live, "exec").icon, "bolt");
    },
  },
  {
    id: "H73",
    says: "A click on a row shows its arguments and its result as formatted JSON.",
    check: () => {
      const row = source("hud-row.tsx");
      assert.match(row, /onClick=\{\(\) => onPress\(node\)\}/);
      assert.match(row, /aria-expanded=\{open\}/);
      assert.match(row, /open && <Opened node=\{node\} \/>/);
      assert.match(row, /visibleJson\(of\)/);
    },
  },
  {
    id: "H74",
    says: "The whole output of a tool can be inspected from the panel.",
    check: async ({ live, program }) => {
      const long = of(live, "tool_end", { tool: "exec" })
        .map(({ result }) => result as Fields)
        .find(({ full }) => full !== undefined);
      const whole = wholeOf(long?.["full"]);
      assert.ok(whole && "sha256" in whole && whole.bytes === 40_000);
      const headers = { authorization: `Bearer ${program.token}` };
      const blob = await fetch(`${program.url}/api/blobs/${whole.sha256}`, { headers });
      assert.equal((await blob.text()).length, 40_000);
      const [cut] = of(live, "tool_start", { argsTruncated: true });
      assert.ok("runId" in (wholeOf(cut?.["argsFull"]) ?? {}), "and so can its arguments");
      assert.match(source("hud-row.tsx"), /<WholeLink whole=\{whole\} \/>/);
    },
  },
  {
    id: "H75",
    says: "Rows that were replayed have a reduced opacity.",
    check: () => assert.ok(Number(styleOf(".row[data-replay]", "opacity")) < 1),
  },
  {
    id: "H76",
    says: "Running rows pulse.",
    check: () => {
      assert.match(styleOf(".row[data-pulse] .dot", "animation") ?? "", /infinite/);
      assert.match(source("hud-row.tsx"), /data-pulse=\{\(state === "running"/);
    },
  },
  {
    id: "H77",
    says: "At most the last 50 nodes are visible, and how many is configurable.",
    check: ({ recorded }) => {
      const frames = Object.values(recorded).flat();
      const state = frames.reduce(applyHudFrame, emptyHud());
      assert.ok(state.entries.length > 50);
      assert.equal(countNodes(visibleNodes(state)), 50);
      assert.equal(countNodes(visibleNodes(state, 20)), 20);
      assert.equal(limitOf(null), 50);
      assert.deepEqual([...LIMITS], [20, 50, 100, 200, 0]);
    },
  },
  {
    id: "H78",
    says: "Replayed nodes can be folded as a group.",
    check: ({ again, live }) => {
      const isReplay = ({ replay }: HudNode) => replay;
      const moment = false;
      const old = splitReplay(treeOf(again.slice(1)), { isReplay, moment });
      assert.ok(old.past.length > 0 && old.news.length === 0);
      assert.equal(splitReplay(treeOf(live), { isReplay, moment }).news.length > 0, true);
    },
  },
  {
    id: "H79",
    says: "Open questions: whether every message is told, whether thoughts are stored, how much text is kept.",
    difference:
      "Every message is told, with a preview of 80 characters; a thought's text is in its `think_end`; texts are kept up to 16 KiB, with a reference to the whole.",
    check: ({ live, recorded: { thinking, plan } }) => {
      assert.equal(of(plan, "received", { subtype: "message" }).length, 2);
      assert.match(String(of(thinking, "think_end")[0]?.["text"]), /^The log should say/);
      const long = of(live, "tool_end", { tool: "exec" })
        .map(({ result }) => result as Fields)
        .find(({ full }) => full !== undefined);
      assert.ok(long?.["truncated"] === true && String(long["stdout"]).length < 17_000);
    },
  },
];
