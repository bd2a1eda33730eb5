// A lock is one process's at a time, and is let go by being killed. Real processes, really killed.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { lock, tryLock } from "./lock.ts";
import { openMemory } from "../../features/memory/home/memory.ts";
import { temporaryHome } from "./test-support.ts";

const at = (name: string) => JSON.stringify(join(import.meta.dirname, name));

/** Holds the lock of a profile's memory until it is killed. */
const HOLDER = `
  import { lock } from ${at("lock.ts")};
  const held = await lock({ folder: process.argv[1], what: "default/memory/MEMORY.md" });
  process.stdout.write("held");
  setInterval(() => held, 1_000);
`;

async function holder(folder: string) {
  const args = ["--input-type=module", "--eval", HOLDER, folder];
  const process_ = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(process_.stdout, "data");
  return {
    kill: async () => {
      const closed = once(process_, "close");
      process_.kill("SIGKILL");
      await closed;
    },
  };
}

test("[M2b] a lock is one process's at a time, and free at the moment its holder is killed", async () => {
  await using home = await temporaryHome();
  const locked = { folder: home.at(""), what: "default/memory/MEMORY.md" };
  const other = await holder(home.at(""));
  assert.equal(tryLock(locked), undefined);
  assert.ok(tryLock({ ...locked, what: "another" }), "of another name");
  await other.kill();
  {
    using held = tryLock(locked);
    assert.ok(held, "at once");
    assert.equal(tryLock(locked), undefined, "in one process, too");
  }
  using _again = await lock(locked);
});

test("[M2b] many who wait for a killed holder's lock get it one after another, and lose nothing", async () => {
  await using home = await temporaryHome();
  const other = await holder(home.at(""));
  const store = openMemory(home.profile("default"));
  const adding = Array.from({ length: 40 }, (_, index) => store.add("memory", `entry ${index}`));
  await other.kill();
  await Promise.all(adding);
  assert.equal((await store.list("memory")).usage.entries, 40);
});
