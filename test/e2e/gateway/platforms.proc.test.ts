// Slack, Discord and a webhook, end to end: one real program, a local fake of each platform with a ledger.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DISCORD_TOKEN, fakeDiscord } from "../../support/messengers/fakes/discord.ts";
import { fakeSlack, SLACK, slackText } from "../../support/messengers/fakes/slack.ts";
import { fakeWebhook, sign, WEBHOOK_SECRET } from "../../support/messengers/fakes/webhook.ts";
import * as g from "../../support/messengers/gateway-place.ts";
import { call } from "../../support/http.ts";
import { newTestHome } from "../../support/program.ts";
import { until } from "../../support/until.ts";

async function deck() {
  const [slack, discord, webhook] = [await fakeSlack(), await fakeDiscord(), await fakeWebhook()];
  const place = newTestHome({
    gateway_urls: { slack: slack.url, discord: discord.url },
    gateway_edit_ms: g.EDIT_MS,
    gateway_lease_ms: 4_000,
    allow_private_hosts: ["127.0.0.1"],
  });
  const program = await g.gatewayProgram(place);
  return {
    slack,
    discord,
    webhook,
    program,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      for (const fake of [slack, discord, webhook]) await fake[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}
let at: Awaited<ReturnType<typeof deck>>;
before(async () => {
  at = await deck();
});
after(() => at[Symbol.asyncDispose]());

test("[G1, G3, G4, G5] Slack: pair, talk, buttons, mentions in threads, and no text becomes a mention", async () => {
  const { slack, program } = at;
  await g.switchOn(program, "slack", { secrets: SLACK });
  const shown = (channel: string, text: string | RegExp) =>
    until(
      () =>
        slack
          .in(channel)
          .find((sent) =>
            typeof text === "string" ? slackText(sent) === text : text.test(slackText(sent)),
          ),
      `in Slack: ${String(text)}`,
    );
  slack.say("hello");
  const asked = await shown("D7", g.CODE);
  await g.approve(program, "slack", g.CODE.exec(slackText(asked))?.[0] ?? "");
  assert.equal((await g.view(program)).pairing.approved.at(0)?.user_id, "U7");
  const ts = slack.say("say <!everyone> *bold* & <@U1>");
  const reply = await shown("D7", "<!everyone> *bold* & <@U1>");
  assert.ok(
    reply.blocks.every(({ type, text }) => type !== "section" || text?.type === "plain_text"),
  );
  assert.equal(reply.text, "&lt;!everyone&gt; *bold* &amp; &lt;@U1&gt;");
  slack.say("say <!everyone> *bold* & <@U1>", { ts });
  slack.limit(1);
  slack.say("exec echo slack-did-it\nsay finished");
  const ask = await until(
    () => slack.in("D7").find(({ blocks }) => blocks.some(({ type }) => type === "actions")),
    "buttons",
  );
  assert.match(slackText(ask), /echo slack-did-it/);
  slack.press(ask, "Allow once");
  await shown("D7", "finished");
  assert.match(slackText(ask), /Allowed once by ann\.$/);
  assert.ok(ask.blocks.every(({ type }) => type !== "actions"));
  assert.equal(slack.in("D7").filter((sent) => slackText(sent) === slackText(reply)).length, 1);
  const thread = slack.mention("say in a thread");
  await until(
    () => slack.in("C1").find((sent) => sent.thread_ts === thread),
    "a reply in the thread",
  );
  await until(() => slack.unacked.size === 0, "everything was acknowledged");
});

test("[G6, G8] Slack: killed between the platform's yes and ours, a message is found and not sent again", async () => {
  const { slack, program } = at;
  const accepted = Promise.withResolvers<void>();
  slack.onAccepted(async ({ channel }) => {
    if (channel !== "D7") return;
    slack.onAccepted(() => undefined);
    accepted.resolve(g.killGateway(program).then(() => undefined));
    await accepted.promise; // its answer never reaches whoever sent it
  });
  const thread_ts = slack.in("C1")[0]?.thread_ts ?? "";
  slack.note("say among ourselves", { thread_ts });
  slack.note("<@UBOT> say to you", { thread_ts });
  slack.say("say only once please");
  await accepted.promise;
  slack.say("say written meanwhile", { live: false });
  await until(
    () => slack.in("D7").find((sent) => slackText(sent) === "written meanwhile"),
    "what was missed",
  );
  await until(
    () => slack.in("D7").find((sent) => slackText(sent) === "only once please"),
    "the reply",
  );
  await until(
    () => slack.in("C1").find((sent) => slackText(sent) === "to you"),
    "what was missed in the thread",
  );
  const heard = slack.in("C1").map(slackText);
  assert.ok(!heard.includes("among ourselves"), "[G8] what is not meant for us does not count");
  const nonces = slack.sent.map(({ metadata }) => metadata.event_payload.nonce);
  assert.equal(new Set(nonces).size, nonces.length, "no message was sent twice");
});

test("[G1, G3, G4, G5] Discord: pair, talk, buttons; nobody is pinged and links say where they lead", async () => {
  const { discord, program } = at;
  await g.switchOn(program, "discord", { secrets: { token: DISCORD_TOKEN } });
  const shown = (channel: string, text: string | RegExp) =>
    until(
      () =>
        discord
          .in(channel)
          .find(({ content }) =>
            typeof text === "string" ? content === text : text.test(content),
          ),
      `in Discord: ${String(text)}`,
    );
  discord.say("hello");
  const asked = await shown("700", g.CODE);
  await g.approve(program, "discord", g.CODE.exec(asked.content)?.[0] ?? "");
  const messageId = discord.say("say @everyone [here](https://evil.example/x)");
  const reply = await shown("700", "@everyone here (https://evil.example/x)");
  assert.deepEqual(reply.allowed_mentions, { parse: [] });
  discord.say("say @everyone [here](https://evil.example/x)", { messageId });
  discord.limit(1);
  discord.say("exec echo '```' discord-did-it\nsay finished");
  const ask = await until(
    () => discord.in("700").find(({ components }) => components.length > 0),
    "buttons",
  );
  assert.equal(ask.content.split("```").length, 3, "nothing inside closes the fence");
  discord.press(ask, "Deny", "71");
  await until(
    () => discord.answered.some(({ body }) => /may not/.test(String(body["content"]))),
    "refused",
  );
  discord.press(ask, "Allow once");
  await shown("700", "finished");
  assert.match(ask.content, /Allowed once by Ann\.$/);
  assert.deepEqual(ask.components, []);
  assert.equal(discord.in("700").filter(({ content }) => content === reply.content).length, 1);
  discord.say("not for us", { channel: "800" });
  discord.say("say on a server", { channel: "800", mention: true });
  await shown("800", "on a server");
  assert.equal(discord.in("800").length, 1);
});

test("[G6] Discord: killed between the platform's yes and ours, nothing is lost or doubled", async () => {
  const { discord, program } = at;
  const accepted = Promise.withResolvers<void>();
  discord.onAccepted(async () => {
    discord.onAccepted(() => undefined);
    accepted.resolve(g.killGateway(program).then(() => undefined));
    await accepted.promise;
  });
  discord.say("say only once please");
  await accepted.promise;
  discord.say("say written meanwhile", { live: false });
  await until(
    () => discord.in("700").find(({ content }) => content === "only once please"),
    "the reply",
  );
  await until(
    () => discord.in("700").find(({ content }) => content === "written meanwhile"),
    "what was missed",
  );
  assert.equal(discord.in("700").filter(({ content }) => content.startsWith("only")).length, 1);
});

test("[G12c] Discord: a packet its library cannot handle ends no process", async () => {
  const { discord, program } = at;
  const pid = (await g.view(program)).processes[0]?.pid;
  discord.dispatch("INTERACTION_CREATE", { id: "1", type: 3, token: "t", application_id: "1" });
  discord.dispatch("MESSAGE_CREATE", { id: "2" });
  discord.say("say still here");
  await until(() => discord.in("700").find(({ content }) => content === "still here"), "a reply");
  assert.equal((await g.view(program)).processes[0]?.pid, pid);
});

test("[G9] a webhook: signed in and out, fresh, once per id, and posted again until it is taken", async () => {
  const { webhook, program } = at;
  const say = (message: object, id: string, headers?: Record<string, string>) => {
    const body = JSON.stringify(message);
    const signed = { ...sign(body, id), ...headers, authorization: "" };
    return call<Record<string, unknown>>(
      program,
      "POST",
      "/api/gateway/webhook/default",
      body,
      signed,
    );
  };
  const hello = { type: "message", channel_id: "ci", text: "say built" };
  assert.equal((await say(hello, "m0")).status, 404, "it is not switched on");
  const short = { enabled: true, secrets: { secret: "tooshort" } };
  assert.equal((await call(program, "POST", "/api/gateway/platforms/webhook", short)).status, 400);
  await g.switchOn(program, "webhook", { secrets: { secret: WEBHOOK_SECRET, url: webhook.url } });
  const now = Math.floor(Date.now() / 1_000);
  const body = JSON.stringify(hello);
  for (const [headers, why] of [
    [{ "x-quarterdeck-signature": "v2=00" }, /wrong/],
    [{ "x-quarterdeck-id": "other" }, /wrong/],
    [sign(body, "m1", now - 301), /five minutes/],
    [sign(body, "m1", now + 302), /five minutes/],
    [{ "x-quarterdeck-timestamp": "soon" }, /needed/],
    [sign(body, "m1.x"), /without dots/],
    [sign(body, "m1", now, "other"), /wrong/],
  ] as const) {
    const refused = await say(hello, "m1", headers);
    assert.deepEqual([refused.status, refused.body.error.code], [401, "unauthorized"]);
    assert.match(refused.body.error.message, why);
  }
  webhook.fail(2);
  const taken = await say(hello, "m1");
  assert.deepEqual([taken.status, taken.body.data["accepted"]], [200, true]);
  const again = await say(hello, "m1");
  assert.deepEqual([again.body.data["accepted"], again.body.data["duplicate"]], [false, true]);
  await until(() => webhook.emitted().some(({ text }) => text === "built"), "the reply");
  assert.equal(webhook.emitted().filter(({ text }) => text === "built").length, 1);

  await say({ ...hello, text: "exec echo by-hook\nsay hooked" }, "m2");
  const asked = await until(
    () => webhook.emitted().find(({ buttons }) => buttons?.length > 0),
    "buttons",
  );
  const data = asked.buttons.find(({ label }) => label === "Allow once")?.data;
  await say({ type: "press", channel_id: "elsewhere", data }, "m3");
  assert.ok(!webhook.emitted().some(({ text }) => text === "hooked"));
  const pressed = await say({ type: "press", channel_id: "ci", data }, "m4");
  assert.equal(pressed.body.data["said"], "Answered.");
  await until(() => webhook.emitted().some(({ text }) => text === "hooked"), "the rest");
  assert.deepEqual(webhook.wrong, [], "what came was signed");
  assert.equal((await say({ type: "message", channel_id: "ci" }, "m5")).status, 400);
  const huge = await say({ ...hello, text: "x".repeat(300_000) }, "m6");
  assert.deepEqual([huge.status, huge.body.error.code], [413, "too_large"]);
  const none = await call(program, "POST", "/api/gateway/webhook/nope", body, sign(body, "m7"));
  assert.equal(none.status, 404);
});

test("[G7, O1] a reply that is refused for good is counted, and the log says why", async () => {
  const { program } = at;
  const url = "http://10.0.0.1/replies"; // private, and nobody allowed it
  await g.switchOn(program, "webhook-inside", { secrets: { secret: WEBHOOK_SECRET, url } });
  const body = JSON.stringify({ type: "message", channel_id: "ci", text: "say unheard" });
  const signed = { ...sign(body, "in1", undefined, "inside"), authorization: "" };
  await call(program, "POST", "/api/gateway/webhook/inside", body, signed);
  type Page = { lines: { message: string; fields?: Record<string, unknown> }[] };
  const line = await until(async () => {
    const { body: page } = await call<Page>(program, "GET", "/api/logs?kind=gateway");
    return page.data.lines.find(
      ({ message, fields }) =>
        message === "undelivered" && fields?.["platform"] === "webhook-inside",
    );
  }, "a line about it");
  assert.deepEqual([line.fields?.["platform"], line.fields?.["channel"]], ["webhook-inside", "ci"]);
  assert.match(String(line.fields?.["message"]), /allow_private_hosts/);
  assert.equal((await g.platformOf(program, "webhook-inside")).undelivered, 1);
});
