// A platform while it is held: what waits for it is sent when it may be.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ledgerMessenger } from "../../../../test/support/messengers/ledger-messenger.ts";
import { sqliteStore } from "../../../../test/support/journal/sqlite-store.ts";
import { until } from "../../../../test/support/until.ts";
import { DEFAULTS } from "../../../kernel/journal/contract/store.contract.ts";
import { PlatformProblem, type Adapter } from "./adapter.ts";
import { holdPlatform } from "./platform.ts";
import { messengerStore } from "../store/store.ts";

const WAIT_MS = 2_500;

test("[G7b, G8] a delivery waits as long as the platform says", async () => {
  await using store = sqliteStore();
  const journal = await store.connect();
  const about = { by: "person", secrets: [] };
  await messengerStore(journal).setGatewayPlatform(
    "telegram",
    { enabled: true, home_channel: "home" },
    about,
  );
  await messengerStore(journal).takeGatewayLease({
    platform: "telegram",
    holder: "g1",
    seconds: 600,
    lost: [],
  });
  await messengerStore(journal).deliver({ platform: "telegram", id: "tick", text: "Good morning" });
  const ledger = ledgerMessenger();
  let [openAt, tooSoon] = [Number.POSITIVE_INFINITY, 0];
  const adapter: Adapter = {
    ...ledger.adapter,
    send(channel, outgoing) {
      if (openAt === Number.POSITIVE_INFINITY) openAt = performance.now() + WAIT_MS;
      else if (performance.now() < openAt - 5) tooSoon += 1;
      else return ledger.adapter.send(channel, outgoing);
      return Promise.reject(new PlatformProblem("rate_limited", "wait", WAIT_MS));
    },
  };
  const stop = new AbortController();
  const logError = (_message: string, error: unknown) => assert.fail(error as Error);
  const keepFile = () => assert.fail("no file came");
  const about_it = { platform: "telegram", holder: "g1", logError, keepFile };
  const held = {
    journal,
    store: messengerStore(journal),
    defaults: async () => DEFAULTS,
    ...about_it,
  };
  const done = holdPlatform({ ...held, adapter: async () => adapter }, stop.signal);
  await until(() => ledger.texts().length === 1, "it was sent");
  stop.abort();
  await done;
  assert.equal(tooSoon, 0);
});
