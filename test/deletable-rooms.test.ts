// Every feature and window can be deleted: it is used only in lines of lists, or by rooms that build on it. This plans
// each deletion and writes nothing; test/rooms carries three of them out.
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { neededBy, planDeletion, readSources } from "../scripts/delete-room/plan-deletion.ts";

const ROOT = join(import.meta.dirname, "..");
/** A room and the one that is built on it and has to be deleted first. The list may only become shorter. */
const BUILT_ON: readonly string[] = [
  "features/messengers features/schedules",
  "features/share features/replay",
  "windows/webui windows/v1",
];

test("every room can be deleted, or says which other room needs it", () => {
  const sources = readSources(ROOT);
  const rooms = globSync("src/{features,windows}/*/", { cwd: ROOT });
  const names = rooms.map((folder) => folder.slice("src/".length)).toSorted();
  assert.ok(names.length > 5, "there are rooms");
  const needed = names.flatMap((room) => {
    const { left } = planDeletion(ROOT, sources, room);
    const users = neededBy(left);
    assert.ok(users, `these use ${room} and are no lines of a list:\n  ${left.join("\n  ")}`);
    return users.map((user) => `${room} ${user}`);
  });
  assert.deepEqual(needed, BUILT_ON);
});
