// People nobody let in: what they do stops no platform, and nobody but the owner's people decides anything.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DISCORD_TOKEN, fakeDiscord } from "../../../../test/support/messengers/fakes/discord.ts";
import {
  fakeTelegram,
  TELEGRAM_TOKEN,
  tooMany,
} from "../../../../test/support/messengers/fakes/telegram.ts";
import { gatewayInside } from "../../../../test/support/messengers/gateway-inside.ts";
import { CODE } from "../../../../test/support/messengers/gateway-place.ts";
import { until } from "../../../../test/support/until.ts";
import { messengerStore } from "../store/store.ts";

const TELEGRAM = { telegram: { token: TELEGRAM_TOKEN } };
const DISCORD = { discord: { token: DISCORD_TOKEN } };
const OWNER = { mode: "pair", allow: ["7", "70"] } as const;

test("[G2, G12] Telegram: a stranger who blocked the bot keeps nobody else from being answered", async () => {
  await using telegram = await fakeTelegram();
  await using at = await gatewayInside({ telegram: telegram.url }, TELEGRAM);
  await at.switchOn("telegram", OWNER);
  telegram.block(9);
  telegram.say("hello", { user: 9 });
  telegram.say("/help");
  await until(() => telegram.in(7).length === 1, "the owner is answered");
  await until(
    async () => (await messengerStore(at.journal).undelivered()).get("telegram") === 1,
    "it is counted",
  );
  assert.equal(telegram.calls.filter(({ method }) => method === "getMe").length, 1);
});

test("[G2, G12] Discord: a stranger who takes no direct messages ends no connection", async () => {
  await using discord = await fakeDiscord();
  await using at = await gatewayInside({ discord: discord.url }, DISCORD);
  await at.switchOn("discord", OWNER);
  discord.closeMessages("709");
  discord.say("hello", { user: "9", channel: "709" });
  discord.say("/help");
  await until(() => discord.in("700").length === 1, "the owner is answered");
  await until(
    async () => (await messengerStore(at.journal).undelivered()).get("discord") === 1,
    "it is counted",
  );
  assert.equal(discord.identified(), 1);
});

test("[G2] a code that Telegram wants us to wait with is sent afterwards, and is in no row", async () => {
  await using telegram = await fakeTelegram();
  await using at = await gatewayInside({ telegram: telegram.url }, TELEGRAM);
  await at.switchOn("telegram", OWNER);
  let refused = 0;
  telegram.rule((method) => {
    if (method !== "sendMessage" || refused > 0) return undefined;
    refused += 1;
    return tooMany(1);
  });
  telegram.say("hello", { user: 9 });
  const emitted = await until(() => telegram.in(9)[0], "a code");
  assert.match(emitted.text, CODE);
  const posts = await messengerStore(at.journal).waitingPosts("telegram");
  assert.ok(posts.every(({ body }) => !CODE.test(body ?? "")));
});
