// What stands in a channel while a session goes on, a platform fails and a gateway comes after another.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { ledgerMessenger } from "../../../../test/support/messengers/ledger-messenger.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../../test/support/until.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import { admit } from "./admit.ts";
import { follow } from "./follower.ts";
import { messengerStore } from "../store/store.ts";

const PLATFORM = "telegram";
const line = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name} ${index} and some words more`).join("\n");

const whole = (text: string) => text.replaceAll("\n", "");

async function place(messenger = ledgerMessenger()) {
  const store = sqliteStore();
  const journal = await store.connect();
  const about = { by: "person", secrets: [] };
  await messengerStore(journal).setGatewayPlatform(
    PLATFORM,
    { enabled: true, mode: "open" },
    about,
  );
  const lease = { platform: PLATFORM, holder: "g1", seconds: 600, lost: [] };
  assert.ok(await messengerStore(journal).takeGatewayLease(lease));
  const from = { channel_id: "c1", user_id: "u1", user_name: "Ann", direct: true, addressed: true };
  const deps = { journal, store: messengerStore(journal), defaults: async () => s.DEFAULTS };
  const taken = await admit(deps, PLATFORM, { ...from, message_id: "1", text: "go" });
  assert.ok(taken.kind === "taken");
  const { session_id } = taken;
  const claim = await s.claimed(journal);
  await s.write(journal, claim, d.started(), d.turnStarted(1));
  const stops: AbortController[] = [];
  return {
    journal,
    claim,
    messenger,
    write: (...drafts: Parameters<typeof s.write>[2][]) => s.write(journal, claim, ...drafts),
    /** A gateway, as it is after a start. */
    async gateway() {
      const conversation = await messengerStore(journal).conversation(session_id);
      assert.ok(conversation);
      const stop = new AbortController();
      stops.push(stop);
      const logError = (_message: string, error: unknown) => assert.fail(error as Error);
      const adapter = messenger.adapter;
      const about = { platform: PLATFORM, holder: "g1", logError };
      const desk = { journal, store: messengerStore(journal), adapter, ...about };
      const follower = follow(desk, conversation, stop.signal);
      const unwatch = journal.watch(() => follower.wake());
      return {
        done: follower.done.finally(unwatch),
        async kill() {
          stop.abort();
          await follower.done;
          unwatch();
        },
      };
    },
    shows: (text: string) =>
      until(
        () => whole(messenger.texts().join("")) === whole(text),
        `${text.slice(0, 60)} is shown`,
      ),
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop.abort();
      await store[Symbol.asyncDispose]();
    },
  };
}

test("[G7a] a reply that becomes shorter and then long again comes whole", async () => {
  await using at = await place();
  const { done } = await at.gateway();
  const [first, second] = [line("first", 20), line("second", 30)];
  await at.write(d.said("m1", first));
  await at.shows(first);
  assert.ok(at.messenger.texts().length > 1, "in pieces");
  await at.write(d.turnStarted(2), d.token("m2", "second 0 and"));
  await at.shows("second 0 and");
  await at.write(d.said("m2", second, "t2.1"));
  await at.shows(second);
  await s.end(at.journal, at.claim);
  await done;
  assert.equal(whole(at.messenger.texts().join("")), whole(second));
  assert.equal(
    (await messengerStore(at.journal).undelivered()).get(PLATFORM),
    undefined,
    "nothing was refused",
  );
});

test("[G4, G6] what a gateway before us sent too much of is taken back by the next one", async () => {
  await using at = await place();
  const before = await at.gateway();
  const first = line("first", 40);
  await at.write(d.said("m1", first));
  await at.shows(first);
  await before.kill();
  await at.write(d.turnStarted(2), d.said("m2", "short", "t2.1"));
  await s.end(at.journal, at.claim);
  await (
    await at.gateway()
  ).done;
  assert.deepEqual(at.messenger.texts(), ["short"]);
});

test("[G4] taking back is tried again when the platform was away", async () => {
  await using at = await place();
  const { done } = await at.gateway();
  await at.write(d.said("m1", line("first", 20)));
  await at.shows(line("first", 20));
  at.messenger.failures.push("remove");
  at.messenger.lostAnswers.push("remove");
  await at.write(d.turnStarted(2), d.said("m2", "short", "t2.1"));
  await s.end(at.journal, at.claim);
  await done;
  assert.deepEqual(at.messenger.texts(), ["short"]);
});

test("[G6] a message whose answer was lost is looked for before it is sent again", async () => {
  await using at = await place();
  at.messenger.lostAnswers.push("send", "edit");
  const { done } = await at.gateway();
  await at.write(d.said("m1", "once"));
  await s.end(at.journal, at.claim);
  await done;
  assert.deepEqual(at.messenger.texts(), ["once"]);
});

test("[G6c] a message that somebody deleted is said anew, once, also when we die right then", async () => {
  await using at = await place();
  const before = await at.gateway();
  await at.write(d.token("m1", "hel"));
  await at.shows("hel");
  at.messenger.drop("m1");
  at.messenger.lostAnswers.push("send"); // it stands there, and whoever sent it never knows
  await at.write(d.token("m1", "lo"));
  await until(() => at.messenger.standing.length === 1, "said anew");
  await before.kill();
  await at.write(d.said("m1", "hello there"));
  await s.end(at.journal, at.claim);
  await (
    await at.gateway()
  ).done;
  assert.deepEqual(at.messenger.texts(), ["hello there"]);
});
