// Every feature and window can be deleted: it is used only in lines of lists, or by rooms that build on it. This plans
// each deletion and writes nothing; test/rooms carries three of them out.
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  goesWith,
  neededBy,
  planDeletion,
  readSources,
} from "../scripts/delete-room/plan-deletion.ts";

const ROOT = join(import.meta.dirname, "..");
/** A room and the one that is built on it and has to be deleted first. The list may only become shorter. */
const BUILT_ON: readonly string[] = [
  "features/messengers features/schedules",
  "features/share features/replay",
  "windows/webui windows/v1",
];

const ROOMS = globSync("src/{features,windows}/*/", { cwd: ROOT })
  .map((folder) => folder.slice("src/".length))
  .toSorted();

test("what a room.json names exists", () => {
  const missing = ROOMS.flatMap((room) =>
    goesWith(ROOT, room)
      .filter((pattern) => globSync(pattern, { cwd: ROOT }).length === 0)
      .map((pattern) => `${room}: ${pattern}`),
  );
  assert.deepEqual(missing, []);
});

test("every room can be deleted, or says which other room needs it", () => {
  const sources = readSources(ROOT);
  assert.ok(ROOMS.length > 5, "there are rooms");
  const needed = ROOMS.flatMap((room) => {
    const { left } = planDeletion(ROOT, sources, room);
    const users = neededBy(left);
    assert.ok(users, `these use ${room} and are no lines of a list:\n  ${left.join("\n  ")}`);
    return users.map((user) => `${room} ${user}`);
  });
  assert.deepEqual(needed, BUILT_ON);
});
