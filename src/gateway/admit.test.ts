import assert from "node:assert/strict";
import { test } from "node:test";
import { sqliteStore } from "../../test/support/sqlite-store.ts";
import { DEFAULTS } from "../journal/contract/store.contract.ts";
import { admit } from "./admit.ts";

async function telegram(store: ReturnType<typeof sqliteStore>) {
  const journal = await store.connect();
  const about = { by: "person", secrets: [] };
  await journal.setGatewayPlatform("telegram", { enabled: true, mode: "open" }, about);
  const means = { journal, defaults: async () => DEFAULTS };
  const from = { user_id: "u1", user_name: "Ann", direct: true, addressed: true };
  const say = (message_id: string, text: string, channel_id = "c1") =>
    admit(means, "telegram", { ...from, channel_id, message_id, text });
  return { journal, say };
}

test("[G3, G8] a /home that a messenger sends again moves home no second time", async () => {
  await using store = sqliteStore();
  const { journal, say } = await telegram(store);
  await say("1", "/home", "c1");
  await say("1", "/home", "c2"); // ids are of a channel
  await say("1", "/home", "c1"); // we died before it was acknowledged
  assert.equal((await journal.gatewayPlatform("telegram"))?.home_channel, "c2");
});

test("[G3] a message that was not taken, and was told so, is not taken when it comes again", async () => {
  await using store = sqliteStore();
  const { journal, say } = await telegram(store);
  const taken = await say("1", "first");
  assert.ok(taken.kind === "taken");
  const { session_id } = taken;
  for (let many = 2; (await journal.waitingPosts("telegram")).length === 0; many += 1) {
    await say(String(many), "more");
  }
  const runs = await journal.runsOf(session_id);
  const refused = String(runs.length + 1);
  const [notice] = await journal.waitingPosts("telegram");
  assert.match(notice?.body ?? "", /^This was not taken/);
  await journal.cancelRun(runs.at(-1)?.run_id ?? "", {}); // there is room again
  await say(refused, "more");
  assert.equal((await journal.runsOf(session_id)).length, runs.length);
});

test("[G3, X1] a /stop that a messenger sends again stops nothing that came after it", async () => {
  await using store = sqliteStore();
  const { journal, say } = await telegram(store);
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
