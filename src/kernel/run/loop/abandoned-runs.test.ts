// When a server takes care of runs that nobody works on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import * as d from "../../../../test/support/drafts.ts";
import { claimed, start, write } from "../../journal/contract/store.contract.ts";
import { thisProcess } from "../../journal/liveness.ts";
import { abandonedWatch } from "./abandoned-runs.ts";

const DEAD = { ...thisProcess("runner", "runner_a"), pid: 2 ** 22 + 1 }; // beyond any pid

test("[R20] runs wait visibly once no runner was left for a while, and not before", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const runId = await start(journal);
  await journal.registry.register(DEAD);
  await write(journal, await claimed(journal), d.started());
  let now = 0;
  const end = async () => assert.fail("nothing was stopped");
  const look = abandonedWatch({
    journal,
    serverId: "serve_a",
    leaseMs: 1_000,
    end,
    now: () => now,
  });
  const status = async () => (await journal.reads.run(runId))?.status;
  await look();
  now = 9_000;
  await look();
  assert.equal(await status(), "running", "it may be back in a moment");

  await journal.registry.register(thisProcess("runner", "runner_b"));
  await look();
  await journal.registry.unregister("runner_b");
  now = 15_000;
  await look();
  assert.equal(await status(), "running", "there was one in between");
  now = 26_000;
  await look();
  assert.equal(await status(), "paused");
});

test("[R20a, C4] a stop reaches its end though the server that saw to it failed, or was killed", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const runId = await start(journal);
  await journal.registry.register(DEAD);
  await write(journal, await claimed(journal), d.started());
  await journal.commands.cancelRun(runId, {});
  let now = 0;
  const ends: string[] = [];
  const server = (serverId: string, fails: boolean) =>
    abandonedWatch({
      journal,
      serverId,
      leaseMs: 1_000,
      now: () => now,
      end: async (claim) => {
        ends.push(serverId);
        if (fails) throw new Error("the disk is full");
        await write(
          journal,
          claim,
          d.done(((await journal.reads.run(runId))?.seq ?? 0) + 1, "cancelled"),
        );
      },
    });
  const [first, second] = [server("serve_a", true), server("serve_b", false)];
  await Promise.all([first(), second()]);
  now = 20_000;
  await assert.rejects(first(), /disk/);
  await assert.rejects(first(), /disk/, "it is tried again");
  await second();
  assert.deepEqual(ends, ["serve_a", "serve_a"], "a server that lives sees to it itself");
  await journal.registry.register({ ...DEAD, process_id: "serve_a", kind: "serve" });
  await second();
  assert.equal((await journal.reads.run(runId))?.status, "cancelled");
});
