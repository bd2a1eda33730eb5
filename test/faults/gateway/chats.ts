// A chat in each messenger, as the person in it sees it: what they wrote, and what stands there.
import { DISCORD_TOKEN, fakeDiscord } from "../../support/messengers/fakes/discord.ts";
import { fakeSlack, SLACK, slackText } from "../../support/messengers/fakes/slack.ts";
import { fakeTelegram, TELEGRAM_TOKEN } from "../../support/messengers/fakes/telegram.ts";
import { fakeWebhook, sign, WEBHOOK_SECRET } from "../../support/messengers/fakes/webhook.ts";
import { call, type Server } from "../../support/http.ts";

export type Chat = {
  readonly platform: string;
  readonly sessionId: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly mode: Readonly<Record<string, unknown>>;
  readonly say: (server: Server, text: string) => Promise<unknown>;
  readonly shown: () => readonly string[];
};

export async function gatewayChats() {
  await using made = new AsyncDisposableStack();
  const telegram = made.use(await fakeTelegram());
  const slack = made.use(await fakeSlack());
  const discord = made.use(await fakeDiscord());
  const webhook = made.use(await fakeWebhook());
  slack.limitHistory(1_000_000, 1); // every gateway reads it: limits are tried elsewhere
  const open = { mode: "open", confirm_open: true };
  let posted = 0;
  const chats: readonly Chat[] = [
    {
      platform: "telegram",
      sessionId: "telegram:7",
      secrets: { token: TELEGRAM_TOKEN },
      mode: open,
      say: async (_server, text) => telegram.say(text),
      shown: () => telegram.in(7).map(({ text }) => text),
    },
    {
      platform: "slack",
      sessionId: "slack:D7",
      secrets: SLACK,
      mode: open,
      say: async (_server, text) => slack.say(text),
      shown: () => slack.in("D7").map(slackText),
    },
    {
      platform: "discord",
      sessionId: "discord:700",
      secrets: { token: DISCORD_TOKEN },
      mode: open,
      say: async (_server, text) => discord.say(text),
      shown: () => discord.in("700").map(({ content }) => content),
    },
    {
      platform: "webhook",
      sessionId: "webhook:ci",
      secrets: { secret: WEBHOOK_SECRET, url: webhook.url },
      mode: {},
      say: async (server, text) => {
        const body = JSON.stringify({ type: "message", channel_id: "ci", text });
        const signed = { ...sign(body, `m${posted++}`), authorization: "" };
        return call(server, "POST", "/api/gateway/webhook/default", body, signed);
      },
      // An edit is of the message whose id it has.
      shown: () => [...new Map(webhook.emitted().map(({ id, text }) => [id, text])).values()],
    },
  ];
  const disposal = made.move();
  return {
    chats,
    settings: {
      gateway_urls: { telegram: telegram.url, slack: slack.url, discord: discord.url },
      allow_private_hosts: ["127.0.0.1"],
    },
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  };
}
