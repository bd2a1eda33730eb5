// SIGKILL of the gateway in the middle of bursts: nothing is lost, doubled or reordered within a chat.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DISCORD_TOKEN, fakeDiscord } from "../support/fake-discord.ts";
import { fakeSlack, SLACK, slackText } from "../support/fake-slack.ts";
import { fakeTelegram, TELEGRAM_TOKEN } from "../support/fake-telegram.ts";
import * as g from "../support/gateway-place.ts";
import { newPlace } from "../support/program.ts";
import { until } from "../support/until.ts";

const KILLS = 4;
const BURST = 8;

type Chat = {
  readonly secrets: Readonly<Record<string, string>>;
  readonly say: (text: string) => unknown;
  readonly shown: () => readonly string[];
};

test("[G3, G6] bursts in three messengers with kills in between are answered once each, in order", async () => {
  await using telegram = await fakeTelegram();
  await using slack = await fakeSlack();
  await using discord = await fakeDiscord();
  using place = newPlace({
    gateway_urls: { telegram: telegram.url, slack: slack.url, discord: discord.url },
    gateway_edit_ms: g.EDIT_MS,
    gateway_lease_ms: 4_000,
  });
  await using program = await g.gatewayProgram(place);
  const chats: Readonly<Record<string, Chat>> = {
    telegram: {
      secrets: { token: TELEGRAM_TOKEN },
      say: (text) => telegram.say(text),
      shown: () => telegram.in(7).map(({ text }) => text),
    },
    slack: {
      secrets: SLACK,
      say: (text) => slack.say(text),
      shown: () => slack.in("D7").map(slackText),
    },
    discord: {
      secrets: { token: DISCORD_TOKEN },
      say: (text) => discord.say(text),
      shown: () => discord.in("700").map(({ content }) => content),
    },
  };
  const expected: string[] = [];
  for (const [platform, { secrets, say, shown }] of Object.entries(chats)) {
    await g.switchOn(program, platform, { secrets, mode: "open", confirm_open: true });
    say("say hello");
    await until(() => shown().includes("hello"), `${platform} answers`);
  }
  expected.push("hello");
  for (let kill = 0; kill < KILLS; kill += 1) {
    const burst = Array.from({ length: BURST }, (_, index) => `k${kill}-${index}`);
    for (const word of burst) for (const { say } of Object.values(chats)) say(`say ${word}`);
    const some = kill % BURST; // at another moment each time
    await until(
      () => chats["discord"]?.shown().some((text) => text === burst[some - 1]) || some === 0,
    );
    await g.killGateway(program);
    for (const [platform, { shown }] of Object.entries(chats)) {
      await until(() => burst.every((word) => shown().includes(word)), `${platform}: ${burst[0]}…`);
    }
    expected.push(...burst);
  }
  for (const [platform, { shown }] of Object.entries(chats)) {
    // Telegram has no way to ask whether a message was sent: one may come twice (docs/gateway.md).
    const replies = platform === "telegram" ? [...new Set(shown())] : shown();
    assert.deepEqual(replies, expected, platform);
  }
});
