// Files that come with a message, and pictures that go out: through the real libraries, with local fakes.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { DISCORD_TOKEN, fakeDiscord } from "../../../../test/support/messengers/fakes/discord.ts";
import { fakeSlack, SLACK, slackText } from "../../../../test/support/messengers/fakes/slack.ts";
import {
  fakeTelegram,
  TELEGRAM_TOKEN,
} from "../../../../test/support/messengers/fakes/telegram.ts";
import { gatewayInside } from "../../../../test/support/messengers/gateway-inside.ts";
import { until } from "../../../../test/support/until.ts";
import { webServer } from "../../../../test/support/servers/web-server.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import type { Draft } from "../../../kernel/events/events.ts";
import { messengerStore } from "../store/store.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const OGG = Buffer.concat([Buffer.from("OggS"), Buffer.alloc(60)]);
const NOTES = Buffer.from("Ahoy!\n");
const TOO_LARGE = 20_000_001;

type Inside = Awaited<ReturnType<typeof gatewayInside>>;

/** What was taken in a conversation: words and files. */
async function taken({ journal }: Inside, sessionId: string) {
  const runs = await journal.reads.runsOf(sessionId);
  const all = await Promise.all(runs.map(({ run_id }) => s.runEvents(journal, run_id)));
  return all.flat().flatMap((event) => {
    if (event.type !== "message.user") return [];
    const { text, attachments } = event.payload;
    return [{ text, files: attachments.map(({ name, sha256 }) => [name, sha256] as const) }];
  });
}
const kept = (name: string, data: Buffer) => [name, hash("sha256", data)] as const;
const many = (at: Inside, sessionId: string, count: number) =>
  until(async () => (await at.prompts(sessionId)).length === count, `${count} messages`);

test("[G16] Telegram: a photo, a document and a voice are fetched by their ids and come with the words", async () => {
  await using telegram = await fakeTelegram();
  await using at = await gatewayInside(
    { telegram: telegram.url },
    { telegram: { token: TELEGRAM_TOKEN } },
  );
  await at.switchOn("telegram", { mode: "allowlist", allow: ["7"] });
  telegram.say("a stranger's", { user: 9, file: { kind: "photo", data: PNG } });
  telegram.say("what is this?", { file: { kind: "photo", data: PNG } });
  telegram.say("", { file: { kind: "voice", data: OGG } });
  const big = { kind: "document", name: "big.zip", data: NOTES, size: TOO_LARGE } as const;
  telegram.say("read it", { file: big });
  const outside = { kind: "document", name: "x", data: NOTES, path: "../../etc/passwd" } as const;
  telegram.say("and this", { file: outside });
  const doc = { kind: "document", name: "C:\\home\\notes ü.txt", data: NOTES } as const;
  telegram.say("sum up", { file: doc });
  await many(at, "telegram:7", 5);
  assert.deepEqual(await taken(at, "telegram:7"), [
    { text: "what is this?", files: [kept("photo.jpg", PNG)] },
    { text: "(sent without a text: voice.ogg)", files: [kept("voice.ogg", OGG)] },
    { text: "read it", files: [["big.zip", undefined]] },
    { text: "and this", files: [["x", undefined]] },
    { text: "sum up", files: [kept("notes ü.txt", NOTES)] },
  ]);
  await until(() => telegram.in(7).length === 2, "two sentences");
  assert.deepEqual(
    telegram.in(7).map(({ text }) => text),
    [
      "“big.zip” was not read: it has more than 20 MB.",
      "“x” was not read: Telegram does not say where it is.",
    ],
  );
  assert.equal(telegram.fetched.length, 3, "nothing of a stranger, nothing elsewhere");
});

test("[G16a] Slack: files come with the token from Slack alone; what cannot be had is said, and the words are taken", async () => {
  await using elsewhere = await webServer((_request, response) => response.end("caught"));
  await using slack = await fakeSlack();
  await using at = await gatewayInside({ slack: slack.url }, { slack: SLACK });
  await at.switchOn("slack");
  const share = (text: string, ...files: object[]) =>
    slack.say(text, { subtype: "file_share", files });
  share("two", slack.file("a.txt", NOTES), slack.file("b.png", PNG));
  share("outside", slack.file("evil.png", PNG, `${elsewhere.origin}/steal`));
  share("gone", { id: "F999", name: "gone.txt", size: 1 });
  share("", { id: "F999", name: "mute.txt", size: 1 });
  share("large", slack.file("large.bin", Buffer.alloc(TOO_LARGE)));
  share("lies", { ...slack.file("lies.bin", Buffer.alloc(TOO_LARGE)), size: 1 });
  await many(at, "slack:D7", 5);
  await until(() => slack.unacked.size === 0, "all were acknowledged");
  assert.deepEqual(await taken(at, "slack:D7"), [
    { text: "two", files: [kept("a.txt", NOTES), kept("b.png", PNG)] },
    { text: "outside", files: [["evil.png", undefined]] },
    { text: "gone", files: [["gone.txt", undefined]] },
    { text: "large", files: [["large.bin", undefined]] },
    { text: "lies", files: [["lies.bin", undefined]] },
  ]);
  await until(() => slack.in("D7").length === 5, "five sentences");
  assert.deepEqual(slack.in("D7").map(slackText), [
    "“evil.png” was not read: it is not on the platform's own servers.",
    "“gone.txt” was not read: Slack refused it: file_not_found.",
    "“mute.txt” was not read: Slack refused it: file_not_found.",
    "“large.bin” was not read: it has more than 20 MB.",
    "“lies.bin” was not read: it has more than 20 MB.",
  ]);
  assert.equal(elsewhere.requests.length, 0, "no token went elsewhere");
  const nobody = [...slack.fetched].filter(({ authorization }) => !authorization);
  assert.deepEqual(nobody, []);
});

test("[G16, G3] Discord: attachments are fetched from its own servers, also those of messages that were missed", async () => {
  await using elsewhere = await webServer((_request, response) => response.end("caught"));
  await using discord = await fakeDiscord();
  await using at = await gatewayInside(
    { discord: discord.url },
    { discord: { token: DISCORD_TOKEN } },
  );
  await at.switchOn("discord");
  discord.say("look", { attachments: [discord.file("b.png", PNG)] });
  const evil = discord.file("evil.png", PNG, `${elsewhere.origin}/attachments/1/x.png`);
  discord.say("outside", { attachments: [evil] });
  await many(at, "discord:700", 2);
  await at.stop();
  discord.say("missed", { live: false, attachments: [discord.file("a.txt", NOTES)] });
  at.start();
  await many(at, "discord:700", 3);
  assert.deepEqual(await taken(at, "discord:700"), [
    { text: "look", files: [kept("b.png", PNG)] },
    { text: "outside", files: [["evil.png", undefined]] },
    { text: "missed", files: [kept("a.txt", NOTES)] },
  ]);
  assert.equal(elsewhere.requests.length, 0);
});

/** A run's tools made these pictures; then it ended. */
async function drawn({ journal }: Inside, ...pictures: readonly string[]): Promise<void> {
  const claim = await s.claimed(journal);
  const draw = (sha256: string): Draft => {
    const { payload } = d.toolDone("c") as Extract<Draft, { type: "tool.done" }>;
    const images = [{ sha256, bytes: PNG.length, media_type: "image/png" }];
    return {
      type: "tool.done",
      payload: { ...payload, name: "mcp__draw__it", result: { images } },
    };
  };
  await s.write(journal, claim, d.started(), d.turnStarted(1), ...pictures.map(draw));
  await s.write(journal, claim, d.said("m1", "here it is"));
  await s.end(journal, claim);
}

test("[G17] the pictures of a run's tools come after its answer, once, in every messenger", async () => {
  await using telegram = await fakeTelegram();
  await using slack = await fakeSlack();
  await using discord = await fakeDiscord();
  const urls = { telegram: telegram.url, slack: slack.url, discord: discord.url };
  const secrets = { telegram: { token: TELEGRAM_TOKEN }, discord: { token: DISCORD_TOKEN } };
  await using at = await gatewayInside(urls, { ...secrets, slack: SLACK });
  const blob = at.journal.blobs.create();
  await blob.write(PNG);
  const { sha256 } = await blob.finish();
  const gone = "0".repeat(64);

  await at.switchOn("telegram");
  telegram.say("draw");
  await many(at, "telegram:7", 1);
  await drawn(at, gone, sha256, sha256);
  await until(() => telegram.pictures.length === 1, "in Telegram");
  const emitted = telegram.in(7).map(({ text }) => text);
  assert.deepEqual(emitted, ["here it is"]);
  assert.deepEqual(telegram.pictures, [{ chat: "7", method: "sendPhoto", data: PNG }]);
  assert.equal(
    (await messengerStore(at.journal).undelivered()).get("telegram"),
    1,
    "one is no longer here",
  );

  await at.switchOn("discord");
  discord.say("draw");
  await many(at, "discord:700", 1);
  await drawn(at, sha256);
  await until(() => discord.in("700").length === 2, "in Discord");
  assert.deepEqual(discord.in("700")[1]?.file, PNG);

  await at.switchOn("slack");
  slack.onAccepted(async ({ files }) => {
    if (files) await new Promise(() => undefined); // it is there, and its answer never comes
  });
  slack.say("draw");
  await many(at, "slack:D7", 1);
  await drawn(at, sha256);
  await until(() => slack.in("D7").length === 2, "in Slack");
  await at.stop();
  slack.onAccepted(() => undefined);
  at.start();
  const session_id = "slack:D7";
  await until(async () => {
    const [conversation, log] = await Promise.all([
      messengerStore(at.journal).conversation(session_id),
      s.sessionEvents(at.journal, session_id),
    ]);
    return conversation?.told_seq === log.at(-1)?.session_seq;
  }, "everything was told");
  assert.equal(slack.in("D7").length, 2, "it was found, not sent again");
  assert.deepEqual(
    slack.uploaded().map(({ data }) => data),
    [PNG],
  );
});
