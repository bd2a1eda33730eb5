// The messengers there are: what each needs, where that comes from, and what a person has to do. A platform is named by
// its kind; of webhooks there may be many ("webhook-ci").

export const PLATFORM_KINDS = ["telegram", "slack", "discord", "webhook"] as const;
export type PlatformKind = (typeof PLATFORM_KINDS)[number];

/** `env`: where it is looked for first. */
export type PlatformSecret = {
  readonly name: string;
  readonly label: string;
  readonly env: string | null;
};
export type PlatformLabels = {
  readonly label: string;
  readonly packages: readonly string[];
  readonly secrets: readonly PlatformSecret[];
  readonly steps: readonly string[];
};

export const PLATFORMS: Record<PlatformKind, PlatformLabels> = {
  telegram: {
    label: "Telegram",
    packages: ["grammy"],
    secrets: [{ name: "token", label: "Bot token", env: "TELEGRAM_BOT_TOKEN" }],
    steps: [
      "In Telegram, write /newbot to @BotFather and copy the token it gives you.",
      "Paste the token here and switch the platform on.",
      "Write to your bot. It answers with a code; enter that code on this page.",
    ],
  },
  slack: {
    label: "Slack",
    packages: ["@slack/web-api", "@slack/socket-mode"],
    secrets: [
      { name: "bot_token", label: "Bot token (xoxb-…)", env: "SLACK_BOT_TOKEN" },
      { name: "app_token", label: "App token (xapp-…)", env: "SLACK_APP_TOKEN" },
    ],
    steps: [
      "Create an app at api.slack.com/apps: Socket Mode and Interactivity on, bot events message.im and app_mention, scopes chat:write, im:history, app_mentions:read, channels:history, users:read.",
      "Install it; paste its bot token and an app token with connections:write here and switch the platform on.",
      "Write the app a direct message. It answers with a code; enter that code on this page.",
    ],
  },
  discord: {
    label: "Discord",
    packages: ["discord.js"],
    secrets: [{ name: "token", label: "Bot token", env: "DISCORD_BOT_TOKEN" }],
    steps: [
      "Create an application with a bot at discord.com/developers; switch on its Message Content intent.",
      "Invite the bot to a server, paste its token here and switch the platform on.",
      "Write the bot a direct message. It answers with a code; enter that code on this page.",
    ],
  },
  webhook: {
    label: "Webhook",
    packages: [],
    secrets: [
      { name: "secret", label: "Shared secret", env: null },
      { name: "url", label: "Where replies are posted", env: null },
    ],
    steps: [
      "Choose a secret of at least 32 characters and give it to the other side.",
      "Enter it here with the address replies are posted to, and switch the platform on.",
      "The other side posts signed messages to /api/gateway/webhook/default; docs/gateway.md says how.",
    ],
  },
};

const NAME = /^(telegram|slack|discord|webhook)(?:-([a-z0-9](?:[a-z0-9-]{0,29}[a-z0-9])?))?$/;

/** Undefined when there is no such platform. Only webhooks have names of their own. */
export function kindOf(platform: string): PlatformKind | undefined {
  const found = NAME.exec(platform);
  const kind = found?.[1] as PlatformKind | undefined;
  return found?.[2] !== undefined && kind !== "webhook" ? undefined : kind;
}

export function labelOf(platform: string): string {
  const kind = kindOf(platform);
  if (!kind) return platform;
  const own = platform.slice(kind.length + 1);
  return own === "" ? PLATFORMS[kind].label : `${PLATFORMS[kind].label} “${own}”`;
}

/** The last part of a webhook's address, and back. */
export function webhookName(platform: string): string {
  return platform === "webhook" ? "default" : platform.slice("webhook-".length);
}
export function webhookPlatform(name: string): string {
  return name === "default" ? "webhook" : `webhook-${name}`;
}
