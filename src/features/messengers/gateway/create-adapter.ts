// The adapter of a platform. Each is loaded when its platform is switched on; its library may not be installed.
import { kindOf, PLATFORMS, webhookName, type PlatformKind } from "../platforms.ts";
import { PlatformProblem, type Adapter, type Limits } from "./adapter.ts";
import type { PostJson } from "./adapters/webhook.ts";
import { wanted, type Secrets } from "./gateway.ts";

export type AdapterSettings = {
  /** Where a platform's API is, if not where everybody's is. */
  readonly urls: Readonly<Partial<Record<PlatformKind, string>>>;
  /** Between two edits of a message that grows, where it is not the platform's own pace. */
  readonly editMs: number | undefined;
  readonly post: PostJson;
  readonly now: () => number;
};

const LIMITS: Record<PlatformKind, Limits> = {
  telegram: { length: 4_096, editMs: 1_500 },
  slack: { length: 2_900, editMs: 1_500 },
  discord: { length: 1_950, editMs: 1_200 },
  webhook: { length: 100_000, editMs: null },
};

export async function createAdapter(
  settings: AdapterSettings,
  platform: string,
  secrets: Secrets,
): Promise<Adapter> {
  const kind = kindOf(platform);
  if (!kind) throw new PlatformProblem("not_configured", "There is no such platform.");
  const [one = "", other = ""] = PLATFORMS[kind].secrets.map(({ name, label }) =>
    wanted(secrets, name, label),
  );
  const apiRoot = settings.urls[kind];
  const own = LIMITS[kind];
  const limits = own.editMs === null ? own : { ...own, editMs: settings.editMs ?? own.editMs };
  switch (kind) {
    case "telegram": {
      const { telegramAdapter } = await import("./adapters/telegram.ts");
      return telegramAdapter({ token: one, apiRoot, limits });
    }
    case "slack": {
      const { slackAdapter } = await import("./adapters/slack.ts");
      return slackAdapter({ botToken: one, appToken: other, apiRoot, limits });
    }
    case "discord": {
      const { discordAdapter } = await import("./adapters/discord.ts");
      return discordAdapter({ token: one, apiRoot, limits });
    }
    case "webhook": {
      const { webhookAdapter } = await import("./adapters/webhook.ts");
      const { post, now } = settings;
      const name = webhookName(platform);
      return webhookAdapter({ name, secret: one, url: other, limits, post, now });
    }
    default:
      return kind satisfies never;
  }
}
