// Telegram through its real library, with a local Bot API: what the platform cannot be asked is found out.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import {
  fakeTelegram,
  TELEGRAM_TOKEN,
} from "../../../../test/support/messengers/fakes/telegram.ts";
import { gatewayInside } from "../../../../test/support/messengers/gateway-inside.ts";
import { until } from "../../../../test/support/until.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import type { Draft } from "../../../kernel/events/events.ts";
import { messengerStore } from "../store/store.ts";

async function telegramInside() {
  await using made = new AsyncDisposableStack();
  const telegram = made.use(await fakeTelegram());
  const secrets = { telegram: { token: TELEGRAM_TOKEN } };
  const at = made.use(await gatewayInside({ telegram: telegram.url }, secrets));
  await at.switchOn("telegram");
  const disposal = made.move();
  return { telegram, at, [Symbol.asyncDispose]: () => disposal.disposeAsync() };
}
type Inside = Awaited<ReturnType<typeof telegramInside>>["at"];

const heard = (at: Inside, chat: number, ...prompts: string[]) =>
  until(
    async () => (await at.prompts(`telegram:${chat}`)).join() === prompts.join(),
    `${chat} is heard: ${prompts.join()}`,
  );

/** Settles when the conversation was told to its end. */
const emitted = ({ journal }: Inside, session_id: string) =>
  until(async () => {
    const [conversation, log] = await Promise.all([
      messengerStore(journal).conversation(session_id),
      s.sessionEvents(journal, session_id),
    ]);
    return conversation?.told_seq === log.at(-1)?.session_seq;
  }, "everything was told");

test("[G3] a file that comes slowly keeps up its own chat alone, and is asked for again after a stop", async () => {
  await using place = await telegramInside();
  const { telegram, at } = place;
  const file = Promise.withResolvers<void>();
  telegram.holdFiles(file.promise);
  telegram.say("with a file", { user: 7, file: { kind: "voice", data: Buffer.from("OggS") } });
  telegram.say("after it", { user: 7 });
  await until(() => telegram.fetched.length === 1, "the file is asked for");
  telegram.say("elsewhere", { user: 8 });
  await heard(at, 8, "elsewhere");
  telegram.say("once more", { user: 8 });
  await heard(at, 8, "elsewhere", "once more");
  assert.deepEqual(await at.prompts("telegram:7"), [], "the file is still missing");
  await at.stop();
  at.start();
  await until(() => telegram.fetched.length === 2, "the file is asked for again");
  file.resolve();
  await heard(at, 7, "with a file", "after it");
  assert.deepEqual(await at.prompts("telegram:8"), ["elsewhere", "once more"], "taken once");
  telegram.say("at last", { user: 8 });
  await heard(at, 8, "elsewhere", "once more", "at last");
});

test("[G6] a message whose sending nobody saw the end of is found by its number, with its words and its buttons", async () => {
  await using place = await telegramInside();
  const { telegram, at } = place;
  const never = new Promise<void>(() => undefined);
  const session = "telegram:7";
  const shown = () => telegram.in(7).map(({ text }) => text);

  /** What is accepted gets no answer; the gateway stops, people write on, and another gateway starts. */
  async function unanswered(accepted: () => boolean, meanwhile: () => void): Promise<void> {
    await until(accepted, "it is there, and its answer never comes");
    await at.stop();
    meanwhile();
    telegram.onAccepted(() => undefined);
    at.start();
  }

  telegram.onAccepted(() => never);
  telegram.say("first");
  await heard(at, 7, "first");
  const first = await s.claimed(at.journal);
  await s.write(at.journal, first, d.started(), d.turnStarted(1), d.token("m1", "Hello"));
  await unanswered(
    () => shown().length === 1,
    () => {
      telegram.say("a word between"); // its number follows the one that is looked for
      telegram.say("/help", { user: 8 });
    },
  );
  await s.write(at.journal, first, d.said("m1", "Hello, Ann"));
  await s.end(at.journal, first);
  await until(() => shown()[0] === "Hello, Ann", "the same message, with the new words");
  assert.equal(shown().length, 1, "it was found, not sent again");

  const second = await s.claimed(at.journal);
  telegram.onAccepted(() => never);
  const asks: Draft[] = [d.started(), d.turnStarted(1), d.intent("c"), d.approvalAsked("c")];
  await s.write(at.journal, second, ...asks);
  const buttons = () => telegram.in(7).filter(({ keyboard }) => keyboard.length > 0);
  await unanswered(
    () => buttons().length === 1,
    () => undefined,
  );
  await until(() => telegram.calls.at(-1)?.method === "editMessageText", "it is found");
  const [asked] = buttons();
  assert.ok(asked, "its buttons are there again");
  await s.write(at.journal, second, d.approvalGiven("c", "deny"), d.said("m2", "Then not."));
  await s.end(at.journal, second);
  await emitted(at, session);
  assert.deepEqual(buttons(), [], "they went with the answer");
  assert.equal(telegram.in(7).length, 3, shown().join(" | "));
  assert.equal(asked.id, telegram.in(7)[1]?.id);
});
