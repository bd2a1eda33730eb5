import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { reapMarked } from "./reap.ts";

async function startMarked(marker: string) {
  const child = spawn("/bin/sh", ["-c", "echo up; sleep 60 & wait"], {
    env: { PATH: process.env["PATH"] ?? "", QUARTERDECK_RUN: marker },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  const exited = once(child, "exit");
  await once(child.stdout, "data");
  return { exited, kill: () => void process.kill(-(child.pid ?? 0), "SIGKILL") };
}

test("[X4] every process with the run's marker is killed, and no other", async () => {
  const marker = crypto.randomUUID();
  const mine = await startMarked(marker);
  const longer = await startMarked(`${marker}-2`);

  const count = await reapMarked(marker);

  assert.deepEqual(await mine.exited, [null, "SIGKILL"]);
  assert.ok(count >= 1 && count <= 2); // the shell, and its sleep once it exists
  assert.equal(await reapMarked(marker), 0);
  longer.kill(); // throws when it was reaped too
  await longer.exited;
});
