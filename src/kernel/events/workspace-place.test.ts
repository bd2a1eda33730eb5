import assert from "node:assert/strict";
import { test } from "node:test";
import { localPath, onVolume, spelledPlace, workspacePlace } from "./workspace-place.ts";

const VOLUMES = { home: "/mnt/home", big: "/mnt/home/big/", root: "/", "a.b-c_1": "/x" };

test("[J13] a workspace is a plain path, or a path on a volume", () => {
  assert.deepEqual(workspacePlace("/a/b"), { volume: "", path: "/a/b" });
  assert.deepEqual(workspacePlace("home:/a/b"), { volume: "home", path: "/a/b" });
  assert.deepEqual(workspacePlace("home:a"), { volume: "", path: "home:a" });
  assert.deepEqual(workspacePlace("/mnt/x:/a"), { volume: "", path: "/mnt/x:/a" });
  assert.deepEqual(workspacePlace("..:/a"), { volume: "", path: "..:/a" });
});

test("[J13] a place on a volume has one spelling, and never one that could leave it", () => {
  assert.equal(spelledPlace("home://a/./b//"), "home:/a/b");
  assert.equal(spelledPlace("home:/"), "home:/");
  assert.equal(spelledPlace("home:/..a/b.."), "home:/..a/b..");
  for (const leaving of ["home:/..", "home:/a/../b", "home:/../../etc", "home:/a/.."]) {
    assert.equal(spelledPlace(leaving), undefined);
    assert.equal(localPath(leaving, VOLUMES), undefined);
  }
  assert.equal(spelledPlace("/a/../b"), "/a/../b");
});

test("[J13] a machine finds a workspace below where it has the volume, or not at all", () => {
  assert.equal(localPath("/a//b", VOLUMES), "/a//b");
  assert.equal(localPath("home:/a/b", VOLUMES), "/mnt/home/a/b");
  assert.equal(localPath("home:/", VOLUMES), "/mnt/home");
  assert.equal(localPath("big:/x", VOLUMES), "/mnt/home/big/x");
  assert.equal(localPath("root:/", VOLUMES), "/");
  assert.equal(localPath("a.b-c_1:/y", VOLUMES), "/x/y");
  assert.equal(localPath("other:/a", VOLUMES), undefined);
  assert.equal(localPath("constructor:/a", VOLUMES), undefined);
});

test("[J13c] a path of a machine is named by the innermost volume that it is on", () => {
  const { home, big } = VOLUMES;
  assert.equal(onVolume("/mnt/home/a", { home, big }), "home:/a");
  assert.equal(onVolume("/mnt/home/big/a/../b/", { home, big }), "big:/b");
  assert.equal(onVolume("/mnt/home", { home, big }), "home:/");
  assert.equal(onVolume("/mnt/home2", { home, big }), "/mnt/home2");
  assert.equal(onVolume("/mnt/home/../etc", { home, big }), "/mnt/home/../etc");
  assert.equal(onVolume("mnt/home/a", { home, big }), "mnt/home/a");
  assert.equal(onVolume("home:/a", { home, big }), "home:/a");
});
