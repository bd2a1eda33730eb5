// Whether a platform takes the secrets that are set, asked with plain requests: no library is loaded for it, nobody is
// sent anything (a webhook gets a message of the type `test`).
import { kindOf, PLATFORMS, webhookName, type PlatformKind } from "../platforms.ts";
import type { GatewayTested } from "../records.ts";
import { PlatformProblem, unreachable } from "./adapter.ts";
import { targetOf } from "./adapters/webhook.ts";
import type { AdapterSettings } from "./create-adapter.ts";
import { wanted, type Secrets } from "./gateway.ts";
import { signatureOf, WEBHOOK_HEADERS } from "./webhook-signature.ts";

type Asking = Pick<AdapterSettings, "urls" | "post" | "now"> & {
  readonly platform: string;
  readonly signal: AbortSignal;
};
const TEST_MS = 15_000;

export async function checkPlatform(
  settings: Pick<AdapterSettings, "urls" | "post" | "now">,
  platform: string,
  secrets: Secrets,
): Promise<GatewayTested> {
  const kind = kindOf(platform);
  if (!kind) return { works: false, account: null, problem: "There is no such platform." };
  try {
    for (const { name, label } of PLATFORMS[kind].secrets) wanted(secrets, name, label);
    const asking = { ...settings, platform, signal: AbortSignal.timeout(TEST_MS) };
    return { works: true, account: await CHECKS[kind](asking, secrets), problem: null };
  } catch (error) {
    return { works: false, account: null, problem: unreachable(error).message };
  }
}

const CHECKS: Record<PlatformKind, (asking: Asking, secrets: Secrets) => Promise<string>> = {
  async telegram(asking, { token = "" }) {
    const root = asking.urls.telegram ?? "https://api.telegram.org";
    const emitted = await askJson(asking, `${root}/bot${token}/getMe`, {});
    const { username = "" } = (emitted["result"] ?? {}) as { username?: string };
    return `@${username}`;
  },
  async slack(asking, { bot_token = "", app_token = "" }) {
    const root = asking.urls.slack ?? "https://slack.com/api/";
    const emitted = await askSlack(asking, `${root}auth.test`, bot_token);
    await askSlack(asking, `${root}apps.connections.open`, app_token);
    return `${String(emitted["user"])} in ${String(emitted["team"])}`;
  },
  async discord(asking, { token = "" }) {
    const root = asking.urls.discord ?? "https://discord.com/api";
    const authorization = `Bot ${token}`;
    const emitted = await askJson(asking, `${root}/v10/users/@me`, { headers: { authorization } });
    return String(emitted["username"]);
  },
  async webhook({ platform, post, now, signal }, { url = "", secret = "" }) {
    const name = webhookName(platform);
    const target = targetOf(url);
    const [body, timestamp] = [JSON.stringify({ type: "test" }), String(Math.floor(now()))];
    const id = `test-${timestamp}`;
    const headers = {
      "content-type": "application/json",
      [WEBHOOK_HEADERS.id]: id,
      [WEBHOOK_HEADERS.timestamp]: timestamp,
      [WEBHOOK_HEADERS.signature]: signatureOf(secret, { name, id, timestamp, body }),
    };
    const { status } = await post({ url: target, headers, body, signal });
    if (status >= 200 && status < 300) return target.host;
    throw new PlatformProblem("refused", `The webhook answered ${status}.`);
  },
};

async function askSlack(asking: Asking, url: string, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const emitted = await askJson(asking, url, { method: "POST", headers });
  if (emitted["ok"] === true) return emitted;
  throw new PlatformProblem(
    "unauthorized",
    `Slack said: ${String(emitted["error"]).slice(0, 100)}.`,
  );
}

/** The address may carry the token: no error of its own is passed on. */
async function askJson({ signal }: Asking, url: string, init: RequestInit) {
  let answer: Response;
  try {
    answer = await fetch(url, { ...init, signal, redirect: "error" });
  } catch {
    throw new PlatformProblem("unreachable", "The platform cannot be reached.");
  }
  if (answer.status === 401 || answer.status === 404) {
    throw new PlatformProblem("unauthorized", "The platform does not know this token.");
  }
  if (!answer.ok)
    throw new PlatformProblem("unreachable", `The platform answered ${answer.status}.`);
  return (await answer.json().catch(() => ({}))) as Record<string, unknown>;
}
