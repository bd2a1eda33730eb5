import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import * as d from "../../../test/support/drafts.ts";
import {
  seal,
  sealAll,
  sessions,
  type AnyDraft,
  type Entry,
} from "../../../test/support/events.ts";
import { folded, type Folded } from "../../kernel/client/sessions/store.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { values } from "../../kernel/state/vector.ts";
import { outline, type Outline } from "./outline.ts";
import { createTreeBuilder, type TreeBuilder } from "./build-tree.ts";
import { factsOf } from "./labels.ts";
import type { TreeNode } from "./node.ts";

type Fold = { readonly view: Folded; readonly facts: Outline };
const START: Fold = { view: folded.empty("s1"), facts: outline.empty("s1") };
const fold = ({ view, facts }: Fold, events: readonly RunEvent[]): Fold => ({
  view: folded.apply(view, events),
  facts: outline.apply(facts, events),
});
const tree = ({ view, facts }: Fold, build: TreeBuilder = createTreeBuilder(), runId = "r1") =>
  build({ runs: view.runs, outline: facts, runId, rewound: false });
const all = (node: TreeNode): TreeNode[] => [node, ...node.children.flatMap(all)];
/** The words of a tree, indented. */
const drawn = (node: TreeNode | null, depth = 0): string[] =>
  node
    ? [
        `${"  ".repeat(depth)}${factsOf(node).label}`,
        ...node.children.flatMap((one) => drawn(one, depth + 1)),
      ]
    : [];
const RECORDED = join(import.meta.dirname, "../../../test/journals/sessions");
const recorded = (name: string): RunEvent[] =>
  readFileSync(join(RECORDED, `${name}.events.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RunEvent);

const BEGUN: AnyDraft[] = [d.userMessage("Go"), d.queued, d.started(), d.turnStarted(1)];

test("[UX] a run reads as its message, its turns, and in each what was thought, said and done", () => {
  const events = seal("r1", [
    ...BEGUN,
    d.thought("m1", "hm"),
    d.thoughtDone("m1", "hm"),
    d.token("m2", "I look"),
    d.said("m2", "I look."),
    d.used(1, 120),
    d.intent("c1"),
    d.toolStarted("c1"),
    d.toolDone("c1"),
    d.turnCompleted(1),
    d.userMessage("also this", "steer"),
    d.turnStarted(2),
    d.token("m3", "Done"),
    d.said("m3", "Done.", "t2.1"),
    d.turnCompleted(2),
    d.done(19),
  ]);
  assert.deepEqual(drawn(tree(fold(START, events))), [
    "Go",
    "  Go",
    "  Turn 1 · demo/demo",
    "    Thinking: hm",
    "    I look.",
    "    ls",
    "  also this",
    "  Turn 2 · demo/demo",
    "    Done.",
  ]);
});

test("[UX] every node names the event it began with, and no key is there twice", () => {
  for (const path of globSync("*.events.jsonl", { cwd: RECORDED })) {
    const events = recorded(path.replace(".events.jsonl", ""));
    const state = fold({ view: folded.empty(events[0]?.session_id ?? ""), facts: {} }, events);
    for (const { runId } of values(state.view.session.runs)) {
      const root = tree(state, createTreeBuilder(), runId);
      const nodes = root ? all(root) : [];
      assert.equal(new Set(nodes.map(({ key }) => key)).size, nodes.length, `${path} ${runId}`);
      for (const { seq, runId: of } of nodes) {
        const named = events.some((event) => event.run_id === of && event.seq === seq);
        assert.ok(seq === null || named, `${path}: ${of} has no event ${seq}`);
      }
      const items = state.view.runs[runId]?.items;
      const shown = nodes.filter((one) => one.runId === runId && one.source.kind === "item");
      assert.equal(shown.length, items?.length, `${path}: every item of ${runId} is in the tree`);
    }
  }
});

test("[UX] turns stand under the plan step that was going on when they began; what is to come stands last", () => {
  const events = recorded("plan");
  const first = events.find(({ type }) => type === "run.queued")?.run_id ?? "";
  const whole = fold({ view: folded.empty(""), facts: {} }, events);
  const lines = drawn(tree(whole, createTreeBuilder(), first));
  const at = lines.indexOf("  Step: Rig");
  assert.match(lines[at + 1] ?? "", /^ {4}Turn 3 /);
  assert.ok(lines.indexOf("  Step: Sail") > at);

  const cut = events.slice(0, events.findIndex(({ type }) => type === "plan.step_started") + 1);
  const begun = tree(fold({ view: folded.empty(""), facts: {} }, cut), createTreeBuilder(), first);
  const last = begun?.children.at(-1);
  assert.deepEqual(
    [last?.source.kind, last?.seq, last && factsOf(last).state],
    ["pending", null, "Not begun"],
  );
});

test("[UX] below a call that started a subagent stands what that run did, and how it stands", () => {
  const events = recorded("subagents");
  const state = fold({ view: folded.empty(""), facts: {} }, events);
  const runId = events.find(({ type }) => type === "run.queued")?.run_id ?? "";
  const root = tree(state, createTreeBuilder(), runId);
  const calls = root
    ? all(root).filter(({ childRunId, key }) => childRunId !== null && key !== runId)
    : [];
  assert.ok(calls.length >= 2);
  for (const call of calls) {
    const { childRunId, children } = call;
    assert.ok(children.some(({ source }) => source.kind === "turn"));
    assert.ok(children.every((child) => child.runId === childRunId));
    assert.match(factsOf(call).note ?? "", /turn/);
  }
});

test("[UX] a cut attempt is marked and dim, and counts as a problem up to the root", () => {
  const events = seal("r1", [
    ...BEGUN,
    d.token("m1", "Half a"),
    d.recovery(1),
    d.superseded(1),
    d.turnStarted(1, 2),
    d.token("m2", "Whole"),
  ]);
  const root = tree(fold(START, events));
  const [, first, second] = root?.children ?? [];
  assert.ok(first && second && first.children[0]);
  assert.equal(first.mark, "problem");
  const { dim, state } = factsOf(first);
  assert.deepEqual([dim, state], [true, "Interrupted"]);
  assert.equal(factsOf(first.children[0]).dim, true);
  assert.equal(factsOf(second).label, "Turn 1 · attempt 2 · demo/demo");
  assert.equal(root?.marked, 2, "the turn and the notice");
});

test("[UX] a call that waits for a person has the mark, until it is answered", () => {
  const asked = [...BEGUN, d.said("m1", ""), d.intent("c1"), d.approvalAsked("c1")];
  const marks = (drafts: AnyDraft[]) => {
    const root = tree(fold(START, seal("r1", drafts)));
    return root ? all(root).filter(({ mark }) => mark === "waiting") : [];
  };
  assert.deepEqual(
    marks(asked).map(({ source }) => source.kind),
    ["run", "item"],
  );
  assert.deepEqual(marks([...asked, d.approvalGiven("c1", "once")]), []);
});

test("[S2] a token changes its own node and those above it; every other keeps its identity", () => {
  const run: Entry[] = [...BEGUN, d.said("m1", "one"), d.turnCompleted(1), d.turnStarted(2)].map(
    (draft) => ({ logId: "r1", draft }),
  );
  const text = ["a", "b"].map((delta) => ({ logId: "r1", draft: d.token("m2", delta) }));
  const events = sealAll([...run, ...text]);
  const build = createTreeBuilder();
  const before = fold(START, events.slice(0, -1));
  const one = tree(before, build);
  const two = tree(fold(before, events.slice(-1)), build);
  assert.ok(one && two);
  const known = new Set(all(one));
  const changed = all(two).filter((node) => !known.has(node));
  assert.deepEqual(
    changed.map((node) => factsOf(node).label),
    ["Go", "Turn 2 · demo/demo", "ab"],
  );
});

test("[V2] built event by event or at once, in any session, it is the same tree", () => {
  fc.assert(
    fc.property(sessions, (events) => {
      const build = createTreeBuilder();
      let state = START;
      for (const event of events) {
        state = fold(state, [event]);
        tree(state, build);
      }
      assert.deepEqual(tree(state, build), tree(fold(START, events)));
    }),
    { numRuns: 60 },
  );
});
