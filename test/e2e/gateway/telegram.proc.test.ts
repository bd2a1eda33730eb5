// Telegram, end to end: the real program against a local Bot API that keeps a ledger of everything.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  fakeTelegram,
  TELEGRAM_TOKEN,
  tooMany,
  type FakeTelegram,
} from "../../support/messengers/fakes/telegram.ts";
import * as g from "../../support/messengers/gateway-place.ts";
import { call } from "../../support/http.ts";
import { until } from "../../support/until.ts";

async function deck() {
  const fake = await fakeTelegram();
  const place = g.gatewayPlace({ kind: "telegram", url: fake.url });
  const program = await g.gatewayProgram(place);
  await g.switchOn(program, "telegram", { secrets: { token: TELEGRAM_TOKEN } });
  return {
    fake,
    place,
    program,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await fake[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

let at: Awaited<ReturnType<typeof deck>>;
before(async () => {
  at = await deck();
});
after(() => at[Symbol.asyncDispose]());

async function paired(fake: FakeTelegram, program: Parameters<typeof g.view>[0], user = 7) {
  fake.say("hello", { user });
  const asked = await until(() => fake.in(user).find(({ text }) => g.CODE.test(text)), "a code");
  const code = g.CODE.exec(asked.text)?.[0] ?? "";
  assert.equal((await g.approve(program, "telegram", code)).status, 200);
}
const showing = (fake: FakeTelegram, chat: number, text: RegExp | string) =>
  until(
    () =>
      fake
        .in(chat)
        .find((sent) => (typeof text === "string" ? sent.text === text : text.test(sent.text))),
    `a message like ${String(text)}`,
  );

test("[G1, G2, G3] an unknown person gets a code and nothing else; once approved they talk, twice the same is once", async () => {
  const { fake, program } = at;
  const me = 7;
  fake.say("exec rm -rf /", { user: 9, name: "Mallory" });
  await until(() => fake.in(9).length === 1, "a code");
  fake.say("exec rm -rf /", { user: 9 });
  fake.say("hello", { user: me });
  const asked = await until(() => fake.in(me)[0], "another code");
  assert.equal(fake.in(9).length, 1, "no second code while one waits");
  const { pairing } = await g.view(program);
  assert.deepEqual(pairing.pending.map(({ user_id }) => user_id).toSorted(), ["7", "9"]);
  const { body } = await call<{ sessions: unknown[] }>(program, "GET", "/api/sessions");
  assert.deepEqual(body.data.sessions, [], "nothing ran");

  const code = g.CODE.exec(asked.text)?.[0] ?? "";
  assert.equal((await g.approve(program, "telegram", "AAAAA-AAAAA")).status, 404);
  assert.equal(
    (await g.approve(program, "telegram", code.toLowerCase().replace("-", " "))).status,
    200,
  );
  assert.equal((await g.approve(program, "telegram", code)).status, 404, "a code is used once");

  fake.say("say **bold** <b>html</b> @everyone", { user: me, id: 555 });
  const reply = await showing(fake, me, "**bold** <b>html</b> @everyone");
  assert.deepEqual(reply.entities, [], "nothing in a text becomes markup");
  fake.say("say **bold** <b>html</b> @everyone", { user: me, id: 555 });
  fake.say("say after it", { user: me });
  await showing(fake, me, "after it");
  assert.equal(fake.in(me).filter(({ text }) => text === reply.text).length, 1, "taken once");

  const log = JSON.stringify((await call(program, "GET", "/api/audit?limit=200")).body);
  assert.ok(log.includes("gateway.pairing_approved") && !log.includes(TELEGRAM_TOKEN));
  assert.ok(!program.output().includes("telegram-token"), "no token in what was printed");
  const emitted = JSON.stringify(await g.view(program));
  assert.ok(!emitted.includes("telegram-token") && emitted.includes('"present":true'));
});

test("[G4, G5] a reply grows by edits, an approval has buttons bound to its plan, and who answered is said", async () => {
  const { fake, program } = at;
  const me = 21;
  await paired(fake, program, me);
  const words = Array.from({ length: 300 }, (_, index) => `w${index}`).join(" ");
  fake.say(`say ${words}\nexec echo allowed-it\nsay done with it`, { user: me });
  const ask = await until(() => fake.in(me).find(({ keyboard }) => keyboard.length > 0), "buttons");
  assert.ok(ask.text.includes("echo allowed-it"));
  const [pre] = ask.entities;
  assert.equal(
    pre && ask.text.slice(pre.offset, pre.offset + pre.length).includes("echo allowed-it"),
    true,
  );

  fake.press(ask, "Allow once", { user: 9, name: "Mallory" });
  await until(() => fake.answers.some(({ text }) => /may not/.test(text)), "refused");
  fake.say("maybe", { user: me });
  await showing(fake, me, /^Something waits for an answer/);
  fake.press(ask, "Allow once", { user: me });
  await showing(fake, me, "done with it");
  assert.match(ask.text, /Allowed once by Ann\.$/);
  assert.deepEqual(ask.keyboard, [], "the buttons are gone");
  fake.press(ask, "q:1:0", { user: me });
  fake.press({ ...ask, chat: "8" }, "q:2:0", { user: me, chat: 8 });
  await until(
    () => fake.answers.filter(({ text }) => /no longer asked/.test(text)).length >= 1,
    "it is nobody's",
  );
  const grown = fake.in(me).find(({ text }) => text.startsWith("w0 w1"));
  assert.ok(grown && grown.edits.length > 1, "it was streamed by edits");
  assert.ok(grown.edits.every((text) => grown.text.startsWith(text.replace(/\n⋯.*$/, "").trim())));
});

test("[G6a] kill -9 of the gateway in the middle of a reply: nothing is lost and nothing comes twice", async () => {
  const { fake, program } = at;
  const me = 31;
  await paired(fake, program, me);
  const words = Array.from({ length: 400 }, (_, index) => `w${index}`).join(" ");
  fake.say(`say ${words}`, { user: me });
  await until(() => fake.in(me).some(({ edits }) => edits.length > 2), "a reply that grows");
  fake.say("say said while it was away", { user: me });
  await g.killGateway(program);
  await showing(fake, me, words);
  await showing(fake, me, "said while it was away");
  const replies = fake.in(me).filter(({ text }) => text.startsWith("w0"));
  assert.equal(replies.length, 1, "one message for one reply");
  assert.equal(fake.in(me).filter(({ text }) => text === "said while it was away").length, 1);
});

test("[G7] long and hostile texts come whole, in pieces; a platform that wants us to wait is waited for", async () => {
  const { fake, program } = at;
  const me = 41;
  await paired(fake, program, me);
  let refused = 0;
  fake.rule((method) => {
    if (method !== "sendMessage" || refused >= 2) return undefined;
    refused += 1;
    return tooMany(1);
  });
  const long = `${"x".repeat(6_000)} \u202Ertl\u202C ${"é😀".repeat(1_500)} end`;
  fake.say(`say ${long}`, { user: me });
  await showing(fake, me, / end$/);
  const pieces = fake.in(me).filter(({ text }) => !g.CODE.test(text));
  assert.equal(pieces.map(({ text }) => text).join(""), long);
  assert.ok(pieces.length >= 3 && pieces.every(({ text }) => text.length <= 4_096));
  assert.equal(refused, 2, "it was sent again after both refusals");
});

test("[G2, G8] revoking ends it at once; a wrong token, a group and a home channel", async () => {
  const { fake, program } = at;
  const me = 51;
  await paired(fake, program, me);
  fake.say("hello all", { user: me, chat: -5, type: "group" });
  fake.say("@deck_bot say in the group", { user: me, chat: -5, type: "group" });
  await showing(fake, -5, "in the group");
  assert.equal(fake.in(-5).length, 1, "what was not meant for us is nothing");
  fake.say("@deck_bot let me in", { user: 11, chat: -5, type: "group" });
  fake.say("/home", { user: me });
  await showing(fake, me, /set on the page Messengers/);
  assert.equal((await g.platformOf(program, "telegram")).home_channel, null, "others were let in");
  assert.equal(fake.in(-5).length, 1, "no code where others read it");

  const revoke = { platform: "telegram", user_id: String(me) };
  assert.equal((await call(program, "POST", "/api/gateway/pairing/revoke", revoke)).status, 200);
  assert.equal((await call(program, "POST", "/api/gateway/pairing/revoke", revoke)).status, 404);
  const before = fake.in(me).length;
  fake.say("say still there?", { user: me });
  await until(() => fake.in(me).length > before, "an answer");
  assert.match(fake.in(me).at(-1)?.text ?? "", g.CODE, "a code, as for everybody unknown");

  const wrong = { secrets: { token: "1234:wrong-token-altogether" } };
  await call(program, "POST", "/api/gateway/platforms/telegram", wrong);
  await until(
    async () => (await g.platformOf(program, "telegram")).error_code === "unauthorized",
    "an error",
  );
  const off = await call(program, "POST", "/api/gateway/platforms/telegram", { enabled: false });
  assert.equal(off.body.data["state"], "off");
});
