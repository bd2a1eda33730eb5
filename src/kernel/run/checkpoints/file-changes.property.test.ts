// The way back against an oracle: a world of files that an agent and somebody else change in turn.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../../test/support/tries.ts";
import type { ChangeRecord } from "../../api/records/records.ts";
import type { FileVersion } from "../../events/catalogue/files.ts";
import { netChanges, selectChanges, type NetChange } from "./file-changes.ts";

type World = Map<string, string>;
type Step = { who: "agent" | "somebody"; path: string; content: string | null };

const steps = fc.array(
  fc.record({
    who: fc.constantFrom("agent" as const, "somebody" as const),
    path: fc.constantFrom("a", "b", "/outside/c"),
    content: fc.constantFrom("1", "2", "3", null),
  }),
  { maxLength: 14 },
);

function versionOf(content: string | null | undefined): FileVersion | null {
  return content == null ? null : { sha256: `hash of ${content}`, bytes: 1, mode: 0o644 };
}

/** What the journal would have of it, and the world before and after. */
function played(history: readonly Step[]) {
  const world: World = new Map([["a", "0"]]);
  const first = new Map(world);
  const records: ChangeRecord[] = [];
  for (const { who, path, content } of history) {
    const before = versionOf(world.get(path));
    const after = versionOf(content);
    if (content === null) world.delete(path);
    else world.set(path, content);
    if (who === "somebody" || before?.sha256 === after?.sha256) continue;
    records.push(recordOf({ path, before, after }, records.length + 1));
  }
  return { records, world, first };
}

function recordOf(
  change: Pick<ChangeRecord, "path" | "before" | "after">,
  seq: number,
): ChangeRecord {
  const about = { run_id: "r", call_id: "c", workspace: "/w", seq, session_seq: seq };
  return { ...change, ...about, checkpoint_id: `ck_${seq}` };
}

function isPossible(world: World, { path, after, broken }: NetChange): boolean {
  return !broken && versionOf(world.get(path))?.sha256 === after?.sha256;
}

test("where only the agent wrote, going back ends exactly where it began", () => {
  fc.assert(
    fc.property(steps, (history) => {
      const { records, world, first } = played(history.map((step) => ({ ...step, who: "agent" })));
      for (const change of netChanges(records)) {
        assert.ok(isPossible(world, change));
        if (change.before) world.set(change.path, change.before.sha256.slice(-1));
        else world.delete(change.path);
      }
      assert.deepEqual(Object.fromEntries(world), Object.fromEntries(first));
    }),
  );
});

test("going back never loses what somebody else wrote last", () => {
  fc.assert(
    fc.property(steps, (history) => {
      const { records, world } = played(history);
      for (const change of netChanges(records)) {
        if (!isPossible(world, change)) continue; // refused: nothing is lost
        // Everything after somebody's last word on this file is the agent's, and goes.
        const last = history.findLastIndex((s) => s.path === change.path && s.who === "somebody");
        const changedByThem = last >= 0 && differs(history, last);
        const firstOfAgent = history.findIndex(
          (step, index) =>
            step.path === change.path && step.who === "agent" && differs(history, index),
        );
        if (!changedByThem || last < firstOfAgent) continue; // their content is where it began
        const ours = played(history.slice(0, last)).records.findLast((r) => r.path === change.path);
        const theirs = versionOf(history[last]?.content);
        if (ours?.after?.sha256 === theirs?.sha256) continue; // they wrote what we had written
        assert.equal(change.before?.sha256, theirs?.sha256);
      }
    }),
    { numRuns: tries(2_000) },
  );
});

/** Whether the step really changed something. */
function differs(history: readonly Step[], index: number): boolean {
  const { world } = played(history.slice(0, index));
  const step = history[index];
  return step !== undefined && (world.get(step.path) ?? null) !== step.content;
}

test("a file that is back where it was needs nothing, and every file is named once", () => {
  fc.assert(
    fc.property(steps, (history) => {
      const changes = netChanges(played(history).records);
      assert.equal(new Set(changes.map(({ path }) => path)).size, changes.length);
      assert.ok(changes.every(({ before, after }) => before?.sha256 !== after?.sha256));
    }),
  );
});

const [v0, v1, v2, theirs] = ["0", "1", "2", "theirs"].map(versionOf);

test("broken is a file somebody wrote in between, unless going back ends at their content", () => {
  const broken = (...pairs: [FileVersion | null | undefined, FileVersion | null | undefined][]) =>
    netChanges(
      pairs.map(([before = null, after = null], at) =>
        recordOf({ path: "f", before, after }, at + 1),
      ),
    )[0]?.broken;

  assert.equal(broken([v0, v1], [v1, v2]), false);
  assert.equal(broken([v0, v1], [theirs, v2]), true);
  assert.equal(broken([v0, v1], [theirs, v2], [v2, v1]), true);
  assert.equal(broken([v0, v1], [v0, v2]), false); // they had put it back themselves
  assert.equal(broken([v0, v1], [theirs, v2], [v0, v1]), false);
  assert.equal(broken([null, v1], [null, v2]), false); // the same, by removing it
});

test("a change of mode alone is a change; two workspaces are two files", () => {
  const executable = v0 && { ...v0, mode: 0o755 };
  const one = recordOf({ path: "f", before: v0 ?? null, after: executable ?? null }, 1);
  const two = { ...one, workspace: "/other", seq: 2 };
  assert.equal(netChanges([one, two]).length, 2);
  const absolute = { ...one, path: "/x/f" };
  assert.equal(netChanges([absolute, { ...absolute, workspace: "/other" }]).length, 1);
});

test("changes are selected by call, by file and by what came after", () => {
  const records = ["a", "b", "a"].map((path, at) =>
    recordOf({ path, before: null, after: v1 ?? null }, at + 1),
  );
  const seqs = (selection: Parameters<typeof selectChanges>[1]) =>
    selectChanges(records, selection).map(({ seq }) => seq);
  assert.deepEqual(seqs({}), [1, 2, 3]);
  assert.deepEqual(seqs({ checkpointId: "ck_2" }), [2]);
  assert.deepEqual(seqs({ paths: ["a"] }), [1, 3]);
  assert.deepEqual(seqs({ paths: ["a"], afterSessionSeq: 1 }), [3]);
});
