import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { CONTROL_GROUPS, needing } from "../../../../test/support/needing.ts";
import { limitTasks } from "./task-limit.ts";

const probe = limitTasks(randomUUID(), 64).at(-1);
if (probe !== undefined) rmdirSync(dirname(probe));
const test = needing(probe !== undefined, CONTROL_GROUPS);

test("[X4, PT1] a host that starts takes no bound from another that is about to start", () => {
  const groups = [1, 2, 3].map(() => limitTasks(randomUUID(), 64).at(-1));
  try {
    for (const procs of groups) assert.ok(procs !== undefined && existsSync(procs), procs);
  } finally {
    for (const procs of groups) if (procs && existsSync(procs)) rmdirSync(dirname(procs));
  }
});
