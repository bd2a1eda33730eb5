// What people write is taken in order, once, and survives whatever ends in between.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DISCORD_TOKEN, fakeDiscord } from "../../../../test/support/messengers/fakes/discord.ts";
import { fakeSlack, SLACK, slackText } from "../../../../test/support/messengers/fakes/slack.ts";
import {
  fakeTelegram,
  TELEGRAM_TOKEN,
} from "../../../../test/support/messengers/fakes/telegram.ts";
import { gatewayInside } from "../../../../test/support/messengers/gateway-inside.ts";
import { until } from "../../../../test/support/until.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { messengerStore } from "../store/store.ts";

const words = Array.from({ length: 12 }, (_, index) => `m${index}`);
const DISCORD = { discord: { token: DISCORD_TOKEN } };
const TELEGRAM = { telegram: { token: TELEGRAM_TOKEN } };

/** As if it were killed when it comes to a text: that one and nothing after it in its place ends. */
function stuckAt(journal: Journal, text: string): { journal: Journal; reached: Promise<void> } {
  const reached = Promise.withResolvers<void>();
  const takeChannelMessage: Journal["commands"]["takeChannelMessage"] = async (
    message,
    defaults,
  ) => {
    if (message.text !== text) return journal.commands.takeChannelMessage(message, defaults);
    reached.resolve();
    return new Promise(() => undefined);
  };
  return {
    journal: { ...journal, commands: { ...journal.commands, takeChannelMessage } },
    reached: reached.promise,
  };
}

test("[G3c] Discord: a burst is taken in its order, and what a kill left out is taken afterwards", async () => {
  await using discord = await fakeDiscord();
  await using at = await gatewayInside({ discord: discord.url }, DISCORD);
  await at.switchOn("discord");
  discord.say("first");
  await until(async () => (await at.prompts("discord:700")).length === 1, "the first");
  await at.stop();
  const stuck = stuckAt(at.journal, "m3");
  at.start(stuck.journal);
  await until(() => discord.identified() === 2, "connected");
  for (const word of words) discord.say(word);
  await stuck.reached;
  await at.stop();
  at.start();
  const all = ["first", ...words];
  await until(async () => (await at.prompts("discord:700")).length === all.length, "all of them");
  assert.deepEqual(await at.prompts("discord:700"), all);
});

test("[G3c] Slack: a burst is taken in its order, and what a kill left out is taken afterwards", async () => {
  await using slack = await fakeSlack();
  await using at = await gatewayInside({ slack: slack.url }, { slack: SLACK });
  await at.switchOn("slack");
  slack.say("first");
  await until(async () => (await at.prompts("slack:D7")).length === 1, "the first");
  await at.stop();
  const stuck = stuckAt(at.journal, "m3");
  at.start(stuck.journal);
  await until(() => slack.opened() === 2, "connected");
  for (const word of words) slack.say(word);
  await stuck.reached;
  await at.stop();
  at.start();
  const all = ["first", ...words];
  await until(async () => (await at.prompts("slack:D7")).length === all.length, "all of them");
  assert.deepEqual(await at.prompts("slack:D7"), all);
  await until(() => slack.unacked.size === 0, "all were acknowledged");
});

test("[G3c] what was written while we were away comes before what is written now, however much it is", async () => {
  await using slack = await fakeSlack();
  await using discord = await fakeDiscord();
  const secrets = { slack: SLACK, ...DISCORD };
  await using at = await gatewayInside({ slack: slack.url, discord: discord.url }, secrets);
  await at.switchOn("slack");
  await at.switchOn("discord");
  slack.say("/help");
  discord.say("/help");
  await until(() => slack.in("D7").length === 1 && discord.in("700").length === 1, "both know us");
  await at.stop();
  const many = Array.from({ length: 130 }, (_, index) => `/help ${index}`);
  for (const text of many) slack.say(text, { live: false });
  for (const text of many) discord.say(text, { live: false });
  at.start();
  await until(() => slack.in("D7").length === 131, "all of Slack");
  await until(() => discord.in("700").length === 131, "all of Discord");
});

test("[G11b] Slack: 70 conversations, of which 50 may be read at a time, are caught up with beside everything else", async () => {
  await using slack = await fakeSlack();
  await using at = await gatewayInside({ slack: slack.url }, { slack: SLACK });
  await at.switchOn("slack");
  slack.say("first");
  await until(async () => (await at.prompts("slack:D7")).length === 1, "the first");
  await at.stop();
  slack.limitHistory(50, 1);
  const [platform, last_user_id] = ["slack", "U7"];
  const threads = Array.from({ length: 70 }, (_, index) => `${1_600_000_000 + index}.000100`);
  for (const thread_ts of threads) {
    const [session_id, channel_id] = [`slack:C1_${thread_ts}`, `C1/${thread_ts}`];
    await messengerStore(at.journal).openConversation({
      session_id,
      platform,
      channel_id,
      last_user_id,
    });
    await messengerStore(at.journal).heardUpTo(session_id, thread_ts);
    slack.note("<@UBOT> /help", { thread_ts });
  }
  at.start();
  await until(() => slack.opened() === 2, "connected");
  slack.say("live");
  await until(async () => (await at.prompts("slack:D7")).length === 2, "what is said now");
  await until(() => slack.in("C1").length === threads.length, "all that was missed");
  assert.equal(slack.opened(), 2, "one connection did it");
  assert.ok(slack.tooMany() > 0, "it was told to wait");
});

test("[G3] Slack: text that comes with a file, or is also sent to the channel, gets through", async () => {
  await using slack = await fakeSlack();
  await using at = await gatewayInside({ slack: slack.url }, { slack: SLACK });
  await at.switchOn("slack");
  slack.say("look at this", { subtype: "file_share", files: [{ id: "F1", name: "a.png" }] });
  slack.say("for all", { subtype: "thread_broadcast" });
  slack.say("");
  slack.say("not said by anybody", { subtype: "channel_topic" });
  await until(() => slack.unacked.size === 0, "all were acknowledged");
  assert.deepEqual(await at.prompts("slack:D7"), ["look at this", "for all"]);
  await until(() => slack.in("D7").length === 2, "two notices");
  const [missing, mute] = slack.in("D7").map(slackText);
  assert.match(missing ?? "", /“a.png” was not read/);
  assert.equal(mute, "Only text and files are read here.");
});

test("[G12b] Telegram: an update that cannot be read is logged, counted and left out", async () => {
  await using telegram = await fakeTelegram();
  await using at = await gatewayInside({ telegram: telegram.url }, TELEGRAM);
  await at.switchOn("telegram");
  const from = { id: 7, is_bot: false, first_name: "Ann" };
  telegram.again({ message: { message_id: 1, from, date: 0, text: "no chat" } });
  telegram.say("/help");
  await until(() => telegram.in(7).length === 1, "the next one is answered");
  await until(
    async () => (await messengerStore(at.journal).undelivered()).get("telegram") === 1,
    "it is counted",
  );
  assert.equal(at.logged.length, 3);
  assert.ok(at.logged.every(({ error }) => error instanceof TypeError));
});

test("[G12b] a message the journal cannot take is tried three times, and the next one is taken", async () => {
  await using telegram = await fakeTelegram();
  await using at = await gatewayInside({ telegram: telegram.url }, TELEGRAM);
  await at.stop();
  let tries = 0;
  const takeChannelMessage: Journal["commands"]["takeChannelMessage"] = async (
    message,
    defaults,
  ) => {
    if (message.text !== "poison") return at.journal.commands.takeChannelMessage(message, defaults);
    tries += 1;
    throw new TypeError("a bug of ours");
  };
  at.start({ ...at.journal, commands: { ...at.journal.commands, takeChannelMessage } });
  await at.switchOn("telegram");
  telegram.say("poison");
  telegram.say("after it");
  await until(async () => (await at.prompts("telegram:7")).length === 1, "the next one");
  assert.equal(tries, 3);
  assert.equal((await messengerStore(at.journal).undelivered()).get("telegram"), 1);
});
