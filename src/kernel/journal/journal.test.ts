import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../../test/support/journal/sqlite-store.ts";

const MAX = 35;

test("a journal stays small: features keep their own stores, and the rest is in parts", async () => {
  await using store = sqliteStore();
  const members = Reflect.ownKeys(await store.connect());
  assert.ok(members.length <= MAX, `${members.length}: ${members.map(String).join(", ")}`);
});
