// Connections that end, and adapters that do not: no platform is lost for it, and none keeps another up.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DISCORD_TOKEN, fakeDiscord } from "../../../../test/support/messengers/fakes/discord.ts";
import { fakeSlack, SLACK } from "../../../../test/support/messengers/fakes/slack.ts";
import {
  fakeTelegram,
  TELEGRAM_TOKEN,
} from "../../../../test/support/messengers/fakes/telegram.ts";
import { gatewayInside } from "../../../../test/support/messengers/gateway-inside.ts";
import { ledgerMessenger } from "../../../../test/support/messengers/ledger-messenger.ts";
import { until } from "../../../../test/support/until.ts";
import { messengerStore } from "../store/store.ts";

for (const how of ["close", "terminate", "refresh"] as const) {
  test(`[G11] Slack: after a socket ended by ${how} there is another one, and messages are taken`, async () => {
    await using slack = await fakeSlack();
    await using at = await gatewayInside({ slack: slack.url }, { slack: SLACK });
    await at.switchOn("slack");
    slack.end(how);
    await until(() => slack.opened() === 2, "another socket");
    slack.say("after it");
    await until(() => slack.unacked.size === 0, "it was taken");
    assert.deepEqual(await at.prompts("slack:D7"), ["after it"]);
  });
}

test("[G3, G11] Discord: what was written while a socket was rotated, or after a session ended, is taken in order", async () => {
  await using discord = await fakeDiscord();
  const secrets = { discord: { token: DISCORD_TOKEN } };
  await using at = await gatewayInside({ discord: discord.url }, secrets);
  await at.switchOn("discord");
  discord.say("one");
  await until(async () => (await at.prompts("discord:700")).length === 1, "the first");
  discord.end("socket");
  discord.say("two");
  await until(() => discord.resumed() === 1, "the session goes on");
  await until(async () => (await at.prompts("discord:700")).length === 2, "the second");
  discord.end("session");
  discord.say("three", { live: false });
  discord.say("four", { live: false });
  await until(async () => (await at.prompts("discord:700")).length === 4, "all of them");
  assert.deepEqual(await at.prompts("discord:700"), ["one", "two", "three", "four"]);
});

test("[G11a] Slack is switched off and on again while Telegram goes on", async () => {
  await using slack = await fakeSlack();
  await using telegram = await fakeTelegram();
  const urls = { slack: slack.url, telegram: telegram.url };
  const secrets = { slack: SLACK, telegram: { token: TELEGRAM_TOKEN } };
  await using at = await gatewayInside(urls, secrets);
  await at.switchOn("telegram");
  await at.switchOn("slack");
  await at.set("slack", { enabled: false });
  await until(
    async () => (await messengerStore(at.journal).gatewayPlatform("slack"))?.state === "stopped",
    "Slack is off",
  );
  telegram.say("/help");
  await until(() => telegram.in(7).length === 1, "Telegram answers");
  await at.switchOn("slack");
  await until(() => slack.opened() === 2, "another socket");
});

test("[G11a] an adapter that never ends keeps no other platform up", async () => {
  const endless = { ...ledgerMessenger().adapter, [Symbol.asyncDispose]: () => never };
  const never = new Promise<void>(() => undefined);
  await using at = await gatewayInside(
    {},
    {},
    {
      createAdapter: async (platform) =>
        platform === "slack" ? endless : ledgerMessenger().adapter,
    },
  );
  await at.switchOn("slack");
  await at.set("slack", { enabled: false });
  await at.switchOn("telegram");
  await until(
    async () => (await messengerStore(at.journal).gatewayPlatform("slack"))?.state === "stopped",
    "Slack is off",
  );
});
