import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../test/support/sqlite-store.ts";
import { DEFAULTS } from "../journal/contract/store.contract.ts";
import { admit } from "./admit.ts";

test("[G3, X1] a /stop that a messenger sends again stops nothing that came after it", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const about = { by: "person", secrets: [] };
  await journal.setGatewayPlatform("telegram", { enabled: true, mode: "open" }, about);
  const means = { journal, defaults: async () => DEFAULTS };
  const from = { channel_id: "c1", user_id: "u1", user_name: "Ann", direct: true, addressed: true };
  const say = (message_id: string, text: string) =>
    admit(means, "telegram", { ...from, message_id, text });

  const taken = await say("1", "first");
  assert.ok(taken.kind === "taken");
  await say("2", "second");
  await say("3", "/stop");
  await say("3", "/stop"); // we died before it was acknowledged
  const runs = await journal.runsOf(taken.session_id);
  assert.deepEqual(
    runs.map(({ prompt, status }) => [prompt, status]),
    [
      ["first", "cancelled"],
      ["second", "queued"],
    ],
  );
});
