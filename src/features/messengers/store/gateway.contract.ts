// What the journal keeps for messengers: codes that let in, once; one holder per platform; messages that are opened
// once, whoever sends them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { storeIn } from "../../../../test/support/peer.ts";
import { until } from "../../../../test/support/until.ts";
import type { SystemEvent } from "../../../kernel/events/system-events.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import { messengerStore } from "./store.ts";

const messengersOf = storeIn(import.meta.resolve("./store.ts"), messengerStore);

const person = (user_id: string) => ({
  platform: "telegram",
  user_id,
  user_name: `Name ${user_id}`,
  channel_id: `chat ${user_id}`,
});
const BY = { by: "person", secrets: [] };
const types = async (journal: Journal) => {
  const bodies = await journal.systemLog.events({ limit: 100 });
  return bodies.map((body) => (JSON.parse(body) as SystemEvent).type).toReversed();
};
async function ask(journal: Journal, user: string, hash: string, seconds = 300) {
  const asked = await messengersOf(journal).askPairing(person(user), hash, { seconds });
  await messengersOf(journal).pairingSent("telegram", user);
  return asked;
}

export function gatewayContract(name: string, open: s.OpenStore): void {
  pairingContract(name, open);
  holdingContract(name, open);
}

function pairingContract(name: string, open: s.OpenStore): void {
  test(`${name} [G2b, G2d] a code lets in once, in time, and whoever is revoked is out at once`, async () => {
    await using store = await open();
    const [one, other] = [await store.connect(), await store.connect()];
    assert.equal(await ask(one, "7", "h7"), "asked");
    const [waiting] = await messengersOf(other).gatewayPeople();
    assert.equal(waiting?.state, "pending");
    const left = (waiting?.expires_at ?? 0) - (waiting?.updated_at ?? 0);
    assert.ok(left > 299 && left <= 300, `${left} seconds`);
    assert.equal(await messengersOf(other).isGatewayUser("telegram", "7"), false);
    assert.equal(await messengersOf(one).approvePairing("slack", "h7", "person"), undefined);
    const both = [one, other].map((journal) =>
      messengersOf(journal).approvePairing("telegram", "h7", "person"),
    );
    const let_in = (await Promise.all(both)).filter(
      (found) => found !== undefined && found !== "locked",
    );
    assert.deepEqual(
      let_in.map(({ user_id, state }) => [user_id, state]),
      [["7", "approved"]],
    );
    assert.equal(await messengersOf(other).isGatewayUser("telegram", "7"), true);
    assert.equal(await messengersOf(other).isGatewayUser("slack", "7"), false);
    assert.equal(await messengersOf(other).revokePairing("telegram", "7", "person"), true);
    assert.equal(await messengersOf(one).isGatewayUser("telegram", "7"), false);
    assert.equal(await messengersOf(one).revokePairing("telegram", "7", "person"), false);

    assert.equal(await ask(one, "8", "h8", -1), "asked");
    assert.equal(
      await messengersOf(one).approvePairing("telegram", "h8", "person"),
      undefined,
      "too late",
    );
    assert.equal(await ask(one, "8", "h8b"), "asked", "the old one is none");
    assert.equal(await messengersOf(one).denyPairing("telegram", "8", "person"), true);
    assert.equal(
      await messengersOf(one).approvePairing("telegram", "h8b", "person"),
      undefined,
      "denied",
    );
    await one.upkeep.rebuild();
    const people = await messengersOf(one).gatewayPeople();
    assert.deepEqual(people.map(({ user_id, state }) => `${user_id} ${state}`).toSorted(), [
      "7 revoked",
      "8 denied",
    ]);
    const emitted = (await types(one)).filter((type) => type.startsWith("gateway."));
    assert.deepEqual(emitted, [
      "gateway.pairing_asked",
      "gateway.pairing_approved",
      "gateway.pairing_revoked",
      "gateway.pairing_asked",
      "gateway.pairing_asked",
      "gateway.pairing_denied",
    ]);
  });

  test(`${name} [G2c] five wrong tries lock out who typed them, and end no code`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await ask(journal, "7", "h7");
    assert.equal(await ask(journal, "7", "other"), "waiting");
    for (let tries = 0; tries < 5; tries++) {
      assert.equal(
        await messengersOf(journal).approvePairing("telegram", "wrong", "shell"),
        undefined,
      );
    }
    assert.equal(await messengersOf(journal).approvePairing("telegram", "h7", "shell"), "locked");
    const let_in = await messengersOf(journal).approvePairing("telegram", "h7", "person");
    assert.ok(let_in && let_in !== "locked");
    assert.equal(let_in.user_id, "7");
  });

  test(`${name} [G2a] three codes an hour for one person, thirty for a platform, and who got none is counted`, async () => {
    await using store = await open();
    const journal = await store.connect();
    for (const hash of ["a", "b", "c"]) assert.equal(await ask(journal, "7", hash, -1), "asked");
    assert.equal(await ask(journal, "7", "d"), "limited");
    for (let user = 100; user < 127; user++) await ask(journal, String(user), `h${user}`);
    assert.equal((await messengersOf(journal).gatewayTurnedAway()).get("telegram"), undefined);
    for (const user of ["200", "200", "201"]) {
      assert.equal(await ask(journal, user, `h${user}`), "limited");
    }
    assert.deepEqual([...(await messengersOf(journal).gatewayTurnedAway())], [["telegram", 2]]);
  });

  test(`${name} [G2a] a code nobody was told is none, and counts`, async () => {
    await using store = await open();
    const journal = await store.connect();
    for (const hash of ["h1", "h2", "h3"]) {
      assert.equal(await messengersOf(journal).askPairing(person("7"), hash), "asked");
    }
    assert.equal(await messengersOf(journal).askPairing(person("7"), "h4"), "limited");
    assert.equal(await messengersOf(journal).approvePairing("telegram", "h1", "person"), undefined);
    const let_in = await messengersOf(journal).approvePairing("telegram", "h3", "person");
    assert.equal(let_in && let_in !== "locked" && let_in.user_id, "7");
  });

  test(`${name} [G1] settings are one event when something changed, and modes decide who may talk`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const set = (change: object, secrets: string[] = []) =>
      messengersOf(journal).setGatewayPlatform("telegram", change, { by: "person", secrets });
    assert.equal(await set({ enabled: true }, ["token"]), true);
    assert.equal(await set({ enabled: true, mode: "pair" }), false, "it was so already");
    assert.equal(await set({}, ["token"]), true, "another token");
    const [before] = await messengersOf(journal).gatewayPlatforms();
    assert.equal(await set({ mode: "allowlist", allow: ["7"], home_channel: "c1" }), true);
    const now = await messengersOf(journal).gatewayPlatform("telegram");
    assert.ok((now?.revision ?? 0) > (before?.revision ?? 0));
    assert.deepEqual(
      [now?.enabled, now?.mode, now?.allow, now?.home_channel],
      [true, "allowlist", ["7"], "c1"],
    );
    const may = (user: string) => messengersOf(journal).isGatewayUser("telegram", user);
    assert.deepEqual([await may("7"), await may("8")], [true, false]);
    await set({ mode: "open" });
    assert.equal(await may("8"), true);
    assert.equal(
      await messengersOf(journal).noteGateway("telegram", { state: "connected", account: "@deck" }),
      true,
    );
    assert.equal(
      await messengersOf(journal).noteGateway("telegram", { state: "connected", account: "@deck" }),
      false,
    );
    const failed = { state: "failed", code: "unauthorized", message: "no" } as const;
    assert.equal(await messengersOf(journal).noteGateway("telegram", failed), true);
    await journal.upkeep.rebuild();
    const again = await messengersOf(journal).gatewayPlatform("telegram");
    assert.deepEqual(
      [again?.state, again?.error_code, again?.home_channel],
      ["failed", "unauthorized", "c1"],
    );
  });
}

function holdingContract(name: string, open: s.OpenStore): void {
  test(`${name} [G10] of any number of gateways one holds a platform, until it ends or is dead`, async () => {
    await using store = await open();
    const [one, other] = [await store.connect(), await store.connect()];
    const take = (journal: Journal, holder: string, more: object = {}) =>
      messengersOf(journal).takeGatewayLease({
        platform: "telegram",
        holder,
        seconds: 60,
        lost: [],
        ...more,
      });
    const both = await Promise.all([take(one, "g1"), take(other, "g2")]);
    assert.equal(both.filter(Boolean).length, 1);
    const [holder, standby] = both[0] ? ["g1", "g2"] : ["g2", "g1"];
    assert.equal(await take(one, holder), true, "prolonged");
    assert.equal(await take(other, standby), false);
    const post = {
      platform: "telegram",
      channel_id: "c",
      part: "reply:r1:0",
      run_id: "r1",
      request: null,
    };
    assert.equal(
      await messengersOf(other).openPost(post, standby),
      undefined,
      "only the holder sends",
    );
    assert.equal((await messengersOf(one).openPost(post, holder))?.fresh, true);
    assert.equal(await take(other, standby, { lost: [holder] }), true, "it is dead");
    assert.equal(await messengersOf(one).openPost(post, holder), undefined);
    const opened = await messengersOf(other).openPost(post, standby);
    assert.deepEqual([opened?.fresh, opened?.post.platform_message_id], [false, null]);
    await messengersOf(other).keepPost(opened?.post.message_key ?? 0, {
      state: "sent",
      platform_message_id: "m1",
      content_hash: "x",
    });
    await messengersOf(other).keepPost(opened?.post.message_key ?? 0, { state: "sent" });
    const kept = await messengersOf(one).gatewayPostOf("telegram", "c", "reply:r1:0");
    assert.deepEqual([kept?.platform_message_id, kept?.content_hash], ["m1", "x"]);
    await messengersOf(other).dropGatewayLease("telegram", standby);
    assert.equal(await take(one, "g3", { seconds: -1 }), true);
    assert.equal(await take(one, "g4"), true, "the lease had run out");
  });

  test(`${name} [G3, G8] a conversation is behind until it was told; deliveries wait for whoever holds`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const about = {
      session_id: "telegram:5",
      platform: "telegram",
      channel_id: "5",
      last_user_id: "7",
    };
    await messengersOf(journal).openConversation(about);
    assert.deepEqual(
      await messengersOf(journal).conversationsBehind("telegram"),
      [],
      "nothing happened yet",
    );
    const said = { session_id: "telegram:5", message_id: "1", text: "hi", source: "telegram" };
    await journal.commands.takeChannelMessage(said, s.DEFAULTS);
    await messengersOf(journal).heardUpTo("telegram:5", "1");
    const [behind] = await messengersOf(journal).conversationsBehind("telegram");
    assert.deepEqual([behind?.told_seq, behind?.last_message_id], [0, "1"]);
    const head = (await journal.reads.session("telegram:5"))?.seq ?? 0;
    await messengersOf(journal).deliveredUpTo("telegram:5", head);
    await messengersOf(journal).deliveredUpTo("telegram:5", 1);
    await messengersOf(journal).openConversation(about);
    assert.equal((await messengersOf(journal).conversation("telegram:5"))?.told_seq, head);
    assert.deepEqual(await messengersOf(journal).conversationsBehind("telegram"), []);

    const delivery = { platform: "telegram", id: "tick1", text: "Good morning" };
    assert.equal(await messengersOf(journal).deliver(delivery), false, "there is no home channel");
    await messengersOf(journal).setGatewayPlatform(
      "telegram",
      { enabled: true, home_channel: "home" },
      BY,
    );
    assert.equal(await messengersOf(journal).deliver(delivery), true);
    assert.equal(await messengersOf(journal).deliver(delivery), true);
    const [waiting, ...more] = await messengersOf(journal).waitingPosts("telegram");
    assert.deepEqual([waiting?.channel_id, waiting?.body, more], ["home", "Good morning", []]);
    await messengersOf(journal).keepPost(waiting?.message_key ?? 0, { state: "sent" });
    await messengersOf(journal).setGatewayPlatform(
      "telegram",
      { home_channel: "another home" },
      BY,
    );
    assert.equal(await messengersOf(journal).deliver(delivery), true);
    assert.deepEqual(
      await messengersOf(journal).waitingPosts("telegram"),
      [],
      "once per id, wherever home is",
    );
  });

  test(`${name} [G3d, G11] what was heard never goes back, and old conversations are left alone`, async () => {
    await using store = await open();
    const journal = await store.connect();
    const about = (id: string) => ({ platform: "slack", channel_id: id, last_user_id: "7" });
    const opened = { session_id: "slack:1", last_message_id: "0", ...about("1") };
    await messengersOf(journal).openConversation(opened);
    const heard = async () =>
      (await messengersOf(journal).conversation("slack:1"))?.last_message_id;
    assert.equal(await heard(), "0");
    const seen: unknown[] = [];
    for (const id of ["9", "10", "9", "8", "11"]) {
      await messengersOf(journal).heardUpTo("slack:1", id);
      await messengersOf(journal).openConversation(opened);
      seen.push(await heard());
    }
    assert.deepEqual(seen, ["9", "10", "10", "10", "11"]);
    const ids = async (days: number) =>
      (await messengersOf(journal).conversations("slack", { days })).map(
        ({ channel_id }) => channel_id,
      );
    await until(async () => {
      await messengersOf(journal).openConversation({ session_id: "slack:2", ...about("2") });
      return (await ids(0)).join() === "2"; // as new as the newest
    }, "the clock to move");
    assert.deepEqual(await ids(7), ["2", "1"]);
  });

  test(`${name} [G6c, G4] a message that is no more leaves its part to another, and its name to nobody`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await messengersOf(journal).takeGatewayLease({
      platform: "telegram",
      holder: "g1",
      seconds: 60,
      lost: [],
    });
    const about = { platform: "telegram", channel_id: "c", run_id: "r1", request: null };
    const post = { ...about, part: "reply:r1:0/1" };
    const first = (await messengersOf(journal).openPost(post, "g1"))?.post.message_key ?? 0;
    await messengersOf(journal).keepPost(first, { state: "sent", platform_message_id: "m1" });
    await messengersOf(journal).retirePost(first);
    assert.equal(await messengersOf(journal).gatewayPostOf("telegram", "c", post.part), undefined);
    const next = await messengersOf(journal).openPost(post, "g1");
    assert.deepEqual([next?.fresh, next?.post.platform_message_id], [true, null]);
    assert.ok((next?.post.message_key ?? 0) > first);
    assert.equal((await messengersOf(journal).undelivered()).size, 0);
  });

  test(`${name} [G6] the messages around one of an unknown fate are those of its channel, and its run's`, async () => {
    await using store = await open();
    const journal = await store.connect();
    await messengersOf(journal).takeGatewayLease({
      platform: "telegram",
      holder: "g1",
      seconds: 60,
      lost: [],
    });
    const session_id = "telegram:c";
    const conversation = { session_id, platform: "telegram", channel_id: "c", last_user_id: "7" };
    await messengersOf(journal).openConversation(conversation);
    const emitted = { session_id, source: "telegram", title: "t", metadata: {}, by: "a person" };
    const words = { text: "go", answers: null, unanswered: "queue" } as const;
    const message = { ...emitted, ...words, message_id: "100" };
    const taken = await journal.commands.takeChannelMessage(message, s.DEFAULTS);
    const run_id = taken.message.run_id;
    const put = async (part: string, channel_id: string, id: string | null) => {
      const post = { platform: "telegram", channel_id, part, run_id, request: null };
      const key = (await messengersOf(journal).openPost(post, "g1"))?.post.message_key ?? 0;
      if (id !== null)
        await messengersOf(journal).keepPost(key, { state: "sent", platform_message_id: id });
      return key;
    };
    const first = await put("a", "c", null);
    assert.deepEqual(await messengersOf(journal).messagesAround(first), {
      before: ["100"],
      others: [],
    });
    await messengersOf(journal).keepPost(first, { state: "sent", platform_message_id: "101" });
    await put("b", "elsewhere", "102");
    const unknown = await put("c", "c", null);
    await put("d", "c", "104");
    await put("e", "c", null);
    const around = await messengersOf(journal).messagesAround(unknown);
    assert.deepEqual(around, { before: ["100", "101"], others: ["104"] });
  });
}
