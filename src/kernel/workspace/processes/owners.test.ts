import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { createProcessOwners } from "./owners.ts";
import { pidIn, temporaryDirectory, waitUntil } from "../host/test-support.ts";

test("[SB6] a child that left its group and forgot its mark is still its command's once it was seen", async () => {
  await using ws = await temporaryDirectory();
  const child = "env -i setsid /bin/sh -c 'echo $$ > pid; sleep 61'";
  const parent = spawn("/bin/sh", ["-c", `${child} & read line`], {
    cwd: ws.path,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const one = { group: parent.pid ?? 0, mark: "none", lone: false };
  const groups = { leash: () => undefined, isEmpty: () => false };
  const owners = createProcessOwners(new Set([one]), { alone: false, groups });
  const pids = () => {
    const found: number[] = [];
    owners.look((_owner, { pid }) => void found.push(pid));
    return found;
  };
  await waitUntil("it began", () => existsSync(ws.at("pid")));
  const pid = await pidIn(ws.at("pid"));
  try {
    assert.ok(pids().includes(pid), "at the first look, by the group of its parent");
    parent.stdin.end();
    await once(parent, "exit");
    assert.ok(pids().includes(pid), "its parent is gone");
  } finally {
    process.kill(-pid, "SIGKILL");
  }
});
