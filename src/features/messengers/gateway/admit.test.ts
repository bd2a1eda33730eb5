import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { admit } from "./admit.ts";
import { pressed } from "./press.ts";
import { messengerStore } from "../store/store.ts";

const { DEFAULTS } = s;

async function telegram(store: ReturnType<typeof sqliteStore>) {
  const journal = await store.connect();
  const about = { by: "person", secrets: [] };
  await messengerStore(journal).setGatewayPlatform(
    "telegram",
    { enabled: true, mode: "open" },
    about,
  );
  const blob = journal.blobs.create();
  await blob.write(Buffer.from("A"));
  const file = { name: "a.txt", media_type: "text/plain", ...(await blob.finish()) };
  const fetchFiles = async () => ({ attachments: [file], missing: [] });
  const deps = {
    journal,
    store: messengerStore(journal),
    defaults: async () => DEFAULTS,
    fetchFiles,
  };
  const from = { user_id: "u1", user_name: "Ann", direct: true, addressed: true };
  const say = (message_id: string, text: string, channel_id = "c1", more: object = {}) =>
    admit(deps, "telegram", { ...from, channel_id, message_id, text, ...more });
  const set = (change: object) =>
    messengerStore(journal).setGatewayPlatform("telegram", change, about);
  return { journal, say, set };
}

const homeOf = async (journal: Journal) =>
  (await messengerStore(journal).gatewayPlatform("telegram"))?.home_channel ?? null;

const APPROVAL = { request_id: "ap_c", kind: "approval" } as const;

/** The approval of the call "c", as a message of the channel "c1". */
async function shownThere(
  journal: Journal,
  run_id: string,
  choices: readonly string[],
  asked: { request_id: string; kind: "approval" | "clarify" } = APPROVAL,
) {
  await messengerStore(journal).takeGatewayLease({
    platform: "telegram",
    holder: "g1",
    seconds: 600,
    lost: [],
  });
  const request = { ...asked, run_id, plan_hash: null, choices };
  const part = `ask:${asked.request_id}`;
  const about = { platform: "telegram", channel_id: "c1", part, run_id: null };
  const key =
    (await messengerStore(journal).openPost({ ...about, request }, "g1"))?.post.message_key ?? 0;
  await messengerStore(journal).keepPost(key, { state: "sent", platform_message_id: "m1" });
  return key;
}

test("[G3, G8] a /home that a messenger sends again sets home no second time", async () => {
  await using store = sqliteStore();
  const { journal, say, set } = await telegram(store);
  await set({ mode: "allowlist", allow: ["u1"] });
  await say("1", "/home");
  assert.equal(await homeOf(journal), "c1");
  await set({ home_channel: null });
  await say("1", "/home"); // we died before it was acknowledged
  assert.equal(await homeOf(journal), null);
});

test("[G13a] /home counts only in a direct chat of the one person who was let in, and moves no home", async () => {
  await using store = sqliteStore();
  const { journal, say, set } = await telegram(store);
  await say("1", "/home");
  assert.equal(await homeOf(journal), null, "whoever found an open bot decides nothing");
  await set({ mode: "allowlist", allow: ["u1", "u2"] });
  await say("2", "/home");
  assert.equal(await homeOf(journal), null, "one of two");
  await set({ allow: ["u1"] });
  await say("3", "/home", "group", { direct: false });
  assert.equal(await homeOf(journal), null, "in a group");
  await set({ home_channel: "elsewhere" });
  await say("4", "/home");
  assert.equal(await homeOf(journal), "elsewhere", "the owner set it");
  const said = (await messengerStore(journal).waitingPosts("telegram")).map(
    ({ body }) => body ?? "",
  );
  assert.equal(said.length, 4);
  assert.ok(said.every((text) => /page Messengers/.test(text)));
});

test("[G5, G13] in an open platform only people who were let in answer an approval, by button or by word", async () => {
  await using store = sqliteStore();
  const { journal, say, set } = await telegram(store);
  await set({ allow: ["owner"] });
  const taken = await say("1", "go");
  assert.ok(taken.kind === "taken");
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1), d.intent("c"), d.approvalAsked("c"));
  const key = await shownThere(journal, claim.runId, ["once", "deny"]);
  const press = (user_id: string) =>
    pressed({ journal, store: messengerStore(journal) }, "telegram", {
      data: `q:${key}:0`,
      channel_id: "c1",
      user_id,
      user_name: "",
    });
  const waits = async () => (await journal.reads.pending({ runId: claim.runId })).length;
  assert.match(await press("u1"), /who were let in/);
  await say("2", "yes");
  assert.equal(await waits(), 1, "nothing was allowed");
  assert.equal(await press("owner"), "Answered.");
  assert.equal(await waits(), 0);
});

test("[G14] “yes” allows nothing where no button would", async () => {
  await using store = sqliteStore();
  const { journal, say, set } = await telegram(store);
  await set({ mode: "allowlist", allow: ["u1"] });
  await say("1", "go");
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1), d.intent("c"), d.approvalAsked("c"));
  await shownThere(journal, claim.runId, ["deny"]);
  const waits = async () => (await journal.reads.pending({ runId: claim.runId })).length;
  await say("2", "yes");
  assert.equal(await waits(), 1);
  await say("3", "no");
  assert.equal(await waits(), 0);
});

test("[G15] what is written while an approval waits comes after it, and that is said", async () => {
  await using store = sqliteStore();
  const { journal, say, set } = await telegram(store);
  await set({ mode: "allowlist", allow: ["u1"] });
  const taken = await say("1", "go");
  assert.ok(taken.kind === "taken");
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1), d.intent("c"), d.approvalAsked("c"));
  await shownThere(journal, claim.runId, ["once", "deny"]);
  await say("2", "and then look at the tests");
  await say("2", "and then look at the tests"); // sent again
  const runs = await journal.reads.runsOf(taken.session_id);
  assert.deepEqual(
    runs.map(({ prompt, status }) => [prompt, status]),
    [
      ["go", runs[0]?.status],
      ["and then look at the tests", "queued"],
    ],
  );
  const [notice, ...more] = await messengerStore(journal).waitingPosts("telegram");
  assert.match(
    notice?.body ?? "",
    /^Something waits for an answer first.*What you wrote comes after it/,
  );
  assert.deepEqual(more, []);
  await say("2b", "/title Tests"); // done at once: nothing of it comes after anything
  assert.equal((await messengerStore(journal).waitingPosts("telegram")).length, 1);
  await say("3", "yes");
  assert.deepEqual(await journal.reads.pending({ runId: claim.runId }), []);
  assert.equal((await journal.reads.runsOf(taken.session_id)).length, 3, "an answer is no run");
});

test("[G16b] an answer takes its words alone, and a file without words answers nothing", async () => {
  await using store = sqliteStore();
  const { journal, say } = await telegram(store);
  const taken = await say("1", "go");
  assert.ok(taken.kind === "taken");
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1), d.clarifyAsked("cl_c", null));
  const files = [{ ref: "1", name: "a.txt", bytes: 1 }];
  await say("2", "", "c1", { files });
  const prompts = async () =>
    (await journal.reads.runsOf(taken.session_id)).map(({ prompt }) => prompt);
  assert.deepEqual(await prompts(), ["go", "(sent without a text: a.txt)"]);
  await shownThere(journal, claim.runId, [], { request_id: "cl_c", kind: "clarify" });
  await say("3", "the second one", "c1", { files });
  assert.equal((await journal.reads.pending({ runId: claim.runId })).length, 0, "it was answered");
  assert.equal((await prompts()).length, 2);
  const said = (await messengerStore(journal).waitingPosts("telegram")).map(
    ({ body }) => body ?? "",
  );
  assert.match(said.join("\n"), /An answer is text: the file that came with it was not read/);
});

test("[G3b] a message that was not taken, and was told so, is not taken when it comes again", async () => {
  await using store = sqliteStore();
  const { journal, say } = await telegram(store);
  const taken = await say("1", "first");
  assert.ok(taken.kind === "taken");
  const { session_id } = taken;
  for (
    let many = 2;
    (await messengerStore(journal).waitingPosts("telegram")).length === 0;
    many += 1
  ) {
    await say(String(many), "more");
  }
  const runs = await journal.reads.runsOf(session_id);
  const refused = String(runs.length + 1);
  const [notice] = await messengerStore(journal).waitingPosts("telegram");
  assert.match(notice?.body ?? "", /^This was not taken/);
  await journal.commands.cancelRun(runs.at(-1)?.run_id ?? "", {}); // there is room again
  await say(refused, "more");
  assert.equal((await journal.reads.runsOf(session_id)).length, runs.length);
});

test("[G3b, X1] a /stop that a messenger sends again stops nothing that came after it", async () => {
  await using store = sqliteStore();
  const { journal, say } = await telegram(store);
  const taken = await say("1", "first");
  assert.ok(taken.kind === "taken");
  await say("2", "second");
  await say("3", "/stop");
  await say("3", "/stop"); // we died before it was acknowledged
  const runs = await journal.reads.runsOf(taken.session_id);
  assert.deepEqual(
    runs.map(({ prompt, status }) => [prompt, status]),
    [
      ["first", "cancelled"],
      ["second", "queued"],
    ],
  );
});
