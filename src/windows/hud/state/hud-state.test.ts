// The HUD's tree: pairing, labels, and what must not break it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyHudFrame, emptyHud, hudTree, pendingRequests, visibleNodes } from "./hud-state.ts";
import type { HudNode } from "./hud-state.ts";

type Fields = Record<string, unknown>;
let count = 0;
const frame = (event: string, fields: Fields = {}): Fields => ({
  type: "hud",
  event,
  id: `f${(count += 1)}`,
  ts: 1_000 + count,
  ...fields,
});
const fold = (frames: readonly unknown[]) => frames.reduce(applyHudFrame, emptyHud());
const treeOf = (...frames: readonly unknown[]) => hudTree(fold(frames));
const tool = (name: string, fields: Fields = {}) => frame("tool_start", { tool: name, ...fields });
const ended = (name: string, result: Fields, fields: Fields = {}) =>
  frame("tool_end", { tool: name, result, ...fields });
const states = (nodes: readonly HudNode[]) => nodes.map(({ state }) => state);
const results = (nodes: readonly HudNode[]) => nodes.map(({ result }) => result?.["n"]);

const labelOf = (name: string, args: Fields, result?: Fields) => {
  const start = tool(name, { correlationId: "c", args });
  const end = result ? [ended(name, { ok: true, ...result }, { correlationId: "c" })] : [];
  return treeOf(start, ...end)[0]?.label;
};

test("[W6] labels are those of the document's table", () => {
  const area = (startLine: number, endLine: number) => ({ area: { startLine, endLine } });
  assert.equal(labelOf("read", { path: "a.md" }), "👁 a.md");
  assert.equal(labelOf("read", { path: "a.md", offset: 10, limit: 41 }), "👁 a.md:L10–L50");
  assert.equal(labelOf("read", { path: "a.md", limit: 5 }), "👁 a.md:L1–L5");
  assert.equal(labelOf("read", { path: "a.md" }, area(10, 50)), "👁 a.md:L10–L50");
  assert.equal(labelOf("read", { path: "a.md" }, { file: area(3, 4) }), "👁 a.md:L3–L4");
  assert.equal(labelOf("read", { path: "a.md", offset: 1, limit: 9 }, area(0, 0)), "👁 a.md");
  assert.equal(labelOf("read", { path: "a.md", offset: 2, limit: 3 }, {}), "👁 a.md:L2–L4");
  assert.equal(labelOf("read", { path: "a.md" }, area(1, 0)), "👁 a.md", "an empty file");
  assert.equal(labelOf("write", { path: "a.md", operation: "write" }), "✏️ a.md (overwrite)");
  assert.equal(labelOf("write", { path: "a.md" }, area(1, 9)), "✏️ a.md (overwrite)");
  assert.equal(labelOf("edit", { path: "a.md" }), "✏️ a.md");
  assert.equal(labelOf("edit", { path: "a.md" }, area(22, 28)), "✏️ a.md:L22–L28");
  assert.equal(labelOf("append", { path: "a.md" }, area(180, 195)), "✏️ a.md:L180–L195");
  assert.equal(labelOf("exec", { command: "ls -l" }), "⚡ ls -l");
  assert.equal(labelOf("exec", { command: "a \\\n  b" }), "⚡ a \\ b", "one row");
  assert.equal(labelOf("web_fetch", { url: "https://a.example" }), "🌐 https://a.example");
  assert.equal(labelOf("web_search", { query: "moon" }), "🔍 moon");
  assert.equal(labelOf("browser", { action: "open" }), "browser: open");
  assert.equal(labelOf("todo", { items: [] }), "todo");
  assert.equal(labelOf("read", { path: 7 }), "read");
  assert.equal(labelOf("constructor", {}), "constructor");
  assert.equal(labelOf("exec", { command: "x".repeat(9_000) })?.length, 200);
});

test("[W6] an end finds its start by correlationId, whatever came between", () => {
  const nodes = treeOf(
    tool("read", { correlationId: "a" }),
    tool("read", { correlationId: "b" }),
    ended("read", { ok: true, n: 2 }, { correlationId: "b" }),
    ended("read", { ok: false, n: 1 }, { correlationId: "a" }),
  );
  assert.deepEqual(results(nodes), [1, 2]);
  assert.deepEqual(states(nodes), ["error", "done"]);
});

test("[W6] without one it finds it by id, then the oldest that runs of the same tool or kind", () => {
  const byId = treeOf(
    tool("read", { id: "x" }),
    tool("read", { id: "y" }),
    ended("read", { n: 2 }, { id: "y" }),
    ended("read", { n: 1 }, { id: "x" }),
  );
  assert.deepEqual(results(byId), [1, 2]);
  const byAge = treeOf(
    tool("read"),
    tool("exec"),
    tool("read"),
    ended("exec", { n: 2 }),
    ended("read", { n: 1 }, { correlationId: "unheard of" }),
    frame("tool_end", { result: { n: 3 } }),
    frame("think_end"),
  );
  assert.deepEqual(results(byAge), [1, 2, 3, undefined]);
  assert.deepEqual(states(byAge), ["done", "done", "done", "done"]);
});

test("[W6] an end without a start is kept as what it is, and completed when its start comes", () => {
  const end = ended("read", { ok: true, n: 1 }, { correlationId: "a", durationMs: 5 });
  const [alone] = treeOf(end);
  assert.deepEqual([alone?.state, alone?.tool, alone?.durationMs], ["done", "read", 5]);
  assert.equal((alone?.endedAt ?? 0) - (alone?.startedAt ?? 0), 5);
  const start = tool("read", { correlationId: "a", args: { path: "p" }, ts: 1 });
  const nodes = treeOf(end, start);
  assert.equal(nodes.length, 1);
  assert.deepEqual(
    [nodes[0]?.id, nodes[0]?.label, nodes[0]?.startedAt, nodes[0]?.state],
    [start["id"], "👁 p", 1, "done"],
  );
});

test("[W6] an end that was taken for another's is given back when the right start or end comes", () => {
  const [a, b] = [tool("read", { correlationId: "a" }), tool("read", { correlationId: "b" })];
  const endA = ended("read", { ok: true, n: 1 }, { correlationId: "a" });
  const endB = ended("read", { ok: true, n: 2 }, { correlationId: "b" });
  for (const order of [
    [a, endB, b, endA],
    [a, endB, endA, b],
    [endB, endA, a, b],
    [b, endA, a, endB],
  ]) {
    const hud = fold(order);
    const byId = new Map(hudTree(hud).map((node) => [node.id, node.result?.["n"]]));
    assert.deepEqual([byId.get(String(a["id"])), byId.get(String(b["id"]))], [1, 2]);
    assert.deepEqual([hud.running, byId.size], [[], 2]);
  }
});

test("[W6] what was given back is again the oldest that runs", () => {
  const nodes = treeOf(
    tool("read", { correlationId: "a" }),
    tool("read", { correlationId: "c" }),
    ended("read", { n: 2 }, { correlationId: "b" }),
    tool("read", { correlationId: "b" }),
    ended("read", { n: 1 }),
  );
  assert.deepEqual(results(nodes), [1, undefined, 2]);
});

test("[W6] the first end stands, also when a name is used again", () => {
  const nodes = treeOf(
    tool("read", { correlationId: "a" }),
    ended("read", { n: 1 }, { correlationId: "a" }),
    ended("read", { n: 9 }, { correlationId: "a" }),
    tool("read", { correlationId: "a" }),
    tool("read", { correlationId: "a" }),
    ended("read", { n: 2 }, { correlationId: "a" }),
    ended("read", { n: 3 }, { correlationId: "a" }),
  );
  assert.deepEqual(results(nodes), [1, 2, 3]);
});

test("[W6] tools and thoughts nest in turns, turns in calls, and strangers stand at the root", () => {
  const nodes = treeOf(
    frame("turn_start", { correlationId: "r1" }),
    frame("think_start", { parentId: "r1" }),
    tool("delegate", { correlationId: "c1", parentId: "r1" }),
    frame("turn_start", { correlationId: "r2", parentId: "c1", label: "subagent: Look" }),
    tool("read", { parentId: "r2" }),
    frame("received", { subtype: "approval", label: "waiting", parentId: "r2" }),
    tool("exec", { parentId: "nobody" }),
  );
  const outline = (node: HudNode): unknown => [node.label, ...node.children.map(outline)];
  assert.deepEqual(nodes.map(outline), [
    ["turn", ["think"], ["delegate", ["subagent: Look", ["read"], ["waiting"]]]],
    ["exec"],
  ]);
});

test("[W6] a thought keeps its words for whoever opens it", () => {
  const [node] = treeOf(
    frame("think_start", { correlationId: "t" }),
    frame("think_end", { correlationId: "t", text: "Hm.", bytes: 3 }),
  );
  assert.deepEqual(node?.result, { text: "Hm.", bytes: 3 });
});

test("[W4] requests wait until they are settled", () => {
  const asked = frame("received", {
    subtype: "approval",
    label: "waiting",
    payload: { request_id: "__proto__", status: "pending" },
  });
  const settled = frame("received", {
    subtype: "approval",
    label: "approved",
    payload: { request_id: "__proto__", status: "approved" },
  });
  assert.deepEqual(
    pendingRequests(fold([asked])).map(({ requestId, label }) => [requestId, label]),
    [["__proto__", "waiting"]],
  );
  assert.deepEqual(pendingRequests(fold([asked, settled])), []);
  assert.deepEqual(pendingRequests(fold([asked, settled, asked])), [], "a replay asks nobody");
});

test("[W4] a changed plan is shown on the call it is of", () => {
  const payload = { correlationId: "c1", args: { command: "ls -l" } };
  const start = tool("exec", { correlationId: "c1", args: { command: "ls" } });
  const changed = frame("received", { subtype: "replanned", label: "changed", payload });
  assert.equal(treeOf(start, changed)[0]?.label, "⚡ ls -l");
  const end = ended("exec", { ok: true }, { correlationId: "c1" });
  assert.equal(treeOf(start, end, changed)[0]?.label, "⚡ ls", "not once it has ended");
});

test("[W6] what is no frame of ours changes nothing", () => {
  const hud = fold([tool("read")]);
  for (const odd of [
    null,
    7,
    "text",
    [],
    {},
    { type: "pong" },
    { type: "error", error: {} },
    frame("tool_progress"),
    frame("constructor"),
    frame("tool_start", { id: 7 }),
    frame("tool_start", { ts: "now" }),
    frame("tool_start", { ts: Number.NaN }),
  ]) {
    assert.equal(applyHudFrame(hud, odd), hud);
  }
});

test("[W6] a chain of parents of any length is shown, and breaks nothing", () => {
  const frames = Array.from({ length: 20_000 }, (_, at) =>
    frame("turn_start", { correlationId: `t${at}`, ...(at > 0 && { parentId: `t${at - 1}` }) }),
  );
  const depth = (node: HudNode): number => 1 + Math.max(0, ...node.children.slice(0, 2).map(depth));
  const [root] = hudTree(fold(frames));
  assert.ok(root && depth(root) === 32);
});

test("[W6] the newest nodes are visible with what they are nested in, and whatever runs", () => {
  const turn = (at: number) => [
    frame("turn_start", { correlationId: `t${at}` }),
    ...Array.from({ length: 9 }, (_, n) => [
      tool("read", { correlationId: `c${at}.${n}`, parentId: `t${at}` }),
      ended("read", { n }, { correlationId: `c${at}.${n}` }),
    ]).flat(),
    frame("turn_end", { correlationId: `t${at}` }),
  ];
  const old = tool("exec", { correlationId: "old" });
  const hud = fold([old, ...Array.from({ length: 20 }, (_, at) => turn(at)).flat()]);
  const size = (nodes: readonly HudNode[]): number =>
    nodes.reduce((sum, { children }) => sum + 1 + size(children), 0);
  const shown = visibleNodes(hud);
  assert.equal(size(shown), 50);
  assert.deepEqual(
    shown.map(({ label, children }) => [label, children.length]),
    [
      ["exec", 0],
      ["turn", 8],
      ["turn", 9],
      ["turn", 9],
      ["turn", 9],
      ["turn", 9],
    ],
  );
  assert.deepEqual(shown[1]?.children[0]?.result, { n: 1 }, "of a cut turn the newest");
  assert.equal(size(visibleNodes(hud, 1_000)), 201);
  assert.deepEqual(visibleNodes(hud, 1_000), hudTree(hud));
  assert.equal(size(visibleNodes(hud, 1)), 1, "what runs is always there");
});

test("[F2, W6] a frame changes only the nodes on its way to the root", () => {
  const frames = [
    frame("turn_start", { correlationId: "t1" }),
    tool("read", { correlationId: "a", parentId: "t1" }),
    frame("turn_start", { correlationId: "t2" }),
    tool("read", { correlationId: "b", parentId: "t2" }),
    tool("read", { correlationId: "c", parentId: "t2" }),
  ];
  const before = fold(frames);
  const after = applyHudFrame(before, ended("read", { n: 1 }, { correlationId: "b" }));
  const [one, two] = [hudTree(before), hudTree(after)];
  assert.equal(one[0], two[0]);
  assert.notEqual(one[1], two[1]);
  assert.notEqual(one[1]?.children[0], two[1]?.children[0]);
  assert.equal(one[1]?.children[1], two[1]?.children[1]);
  assert.equal(one[1]?.children[0]?.state, "running", "what was seen stays as it was");
});

// Counted, not timed.
test("[F5, W6] a frame late in a long turn copies no more than an early one", () => {
  const nodes = (node: unknown, stop?: ReadonlySet<unknown>): unknown[] =>
    Array.isArray(node) && !stop?.has(node)
      ? [node, ...node.flatMap((child: unknown) => nodes(child, stop))]
      : [];
  let hud = fold([frame("turn_start", { correlationId: "t" })]);
  let worst = 0;
  for (let at = 0; at < 3_000; at += 1) {
    const correlationId = `c${at}`;
    const started = applyHudFrame(hud, tool("read", { correlationId, parentId: "t" }));
    const next = applyHudFrame(started, ended("read", { n: at }, { correlationId }));
    if (at % 250 === 249) {
      const known = new Set([...nodes(hud.entries.root), ...nodes(hud.index)]);
      const copied = [...nodes(next.entries.root, known), ...nodes(next.index, known)];
      worst = Math.max(worst, copied.length, next.running.length);
    }
    hud = next;
  }
  assert.ok(worst <= 40, `two frames copied ${worst} nodes of up to 32`);
  assert.equal(hudTree(hud)[0]?.children.length, 3_000);
});

test("[W6] arguments that are cut say so on their node, with their size and where they are", () => {
  const argsFull = { bytes: 40_000, href: "/api/runs/r1/events?after_seq=7" };
  const cut = { args: { path: "a" }, argsTruncated: true, argsFull };
  const [node] = treeOf(tool("write", { correlationId: "c", ...cut }));
  assert.deepEqual([node?.argsTruncated, node?.argsFull], [true, argsFull]);
  const payload = { correlationId: "c", args: { path: "b" } };
  const changed = frame("received", { subtype: "replanned", label: "changed", payload });
  const [now] = treeOf(tool("write", { correlationId: "c", ...cut }), changed);
  assert.deepEqual(
    [now?.args, now?.argsTruncated, now?.argsFull],
    [{ path: "b" }, undefined, undefined],
  );
});
