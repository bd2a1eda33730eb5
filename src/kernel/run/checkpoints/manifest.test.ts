import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareManifests, type Manifest, type ManifestEntry } from "./manifest.ts";

const entry = (path: string, content: string | null): ManifestEntry => [path, content, 1, 0o644];
const manifest = (files: ManifestEntry[], complete = true): Manifest => ({ complete, files });

test("what was not looked at is never taken for created or deleted", () => {
  const large = entry("large", null);
  const cut = manifest([entry("a", "1")], false);

  // Known before, not listed or not hashed now: looked at one by one.
  const gone = compareManifests(manifest([entry("a", "1"), entry("b", "1")]), cut);
  assert.deepEqual([gone.changes, gone.lookAt.map(({ path }) => path)], [[], ["b"]]);
  const grown = compareManifests(manifest([entry("large", "1")]), manifest([large]));
  assert.deepEqual([grown.changes, grown.lookAt.map(({ path }) => path)], [[], ["large"]]);
  // Not known before: whether it was made cannot be said.
  const found = compareManifests(cut, manifest([entry("a", "1"), entry("b", "1")]));
  assert.deepEqual([found.changes, found.lookAt, found.doubtful], [[], [], true]);
  const same = compareManifests(manifest([large]), manifest([large]));
  assert.deepEqual(same, { changes: [], lookAt: [], doubtful: false });
});

test("[T2] a folder that could not be looked into hides what is in it, and nothing else", () => {
  const before = { ...manifest([entry("a", "1")], false), unseen: ["data"] };
  const now = [entry("a", "1"), entry("data/x", "1"), entry("database", "1")];
  const made = compareManifests(before, manifest(now));
  assert.deepEqual([made.changes.map(({ path }) => path), made.doubtful], [["database"], true]);
  const gone = compareManifests(manifest(now), before);
  assert.deepEqual(
    [gone.changes.map(({ path }) => path), gone.lookAt.map(({ path }) => path)],
    [["database"], ["data/x"]],
  );
});

test("between complete manifests the changes lead from one to the other", () => {
  const worlds = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom("1", "2"));
  fc.assert(
    fc.property(worlds, worlds, (one, other) => {
      const of = (world: Record<string, string>) =>
        manifest(Object.entries(world).map(([path, content]) => entry(path, content)));
      const { changes, lookAt, doubtful } = compareManifests(of(one), of(other));
      const world = new Map<string, string>(Object.entries(one));
      for (const { path, before, after } of changes) {
        assert.equal(before?.sha256, world.get(path));
        if (after) world.set(path, after.sha256);
        else world.delete(path);
      }
      assert.deepEqual(Object.fromEntries(world), { ...other });
      assert.deepEqual([lookAt, doubtful], [[], false]);
    }),
  );
});
