// Web push for real: keys of our own (in the home, or shared by all machines), messages encrypted for one browser,
// and requests that go to the public internet only (a subscription's address comes from a page).
import { setTimeout as delay } from "node:timers/promises";
import { readText } from "../../../kernel/home/profile/files.ts";
import { changeFile } from "../../../kernel/home/replace-file.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import { AddressRefused, createResolver } from "../../../kernel/run/web/resolve-host.ts";
import { sendRequest } from "../../../kernel/run/web/send-request.ts";
import type { BesideServer } from "../../../cli/beside-runs.ts";
import type { Config } from "../../../config.ts";
import { startNotifier, type Notification, type PushService, type Sent } from "../server/push.ts";
import { pushStore } from "../store/push.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import type { PushSubscription } from "../store/push-journal.ts";

const SEND_MS = 15_000;
const PAUSES_MS = [1_000, 5_000]; // between attempts: a push service is away for a moment at most
const KEPT_SECONDS = 86_400; // how long a push service keeps it for a browser that is away
const CONTACT = "https://github.com/quarterdeck"; // push services want to know whom to ask
type Keys = { readonly publicKey: string; readonly privateKey: string };
type ReadKeys = () => Promise<Keys>;

export function pushServiceOf(
  { home, allow_private_hosts }: Pick<Config, "home" | "allow_private_hosts">,
  journal: Journal,
): PushService {
  const isShared = journal.storage().backend === "postgres";
  return createPushService(isShared ? sharedKeys(journal) : keysInHome(home), allow_private_hosts);
}

export const pushBeside: BesideServer = ({ journal, push: service, logError }) => {
  if (!service) return { stop: () => undefined };
  const now = () => Date.now() / 1_000;
  return startNotifier({ journal, store: pushStore(journal), service, logError, now });
};

export function createPushService(
  readKeys: ReadKeys,
  allowPrivateHosts: readonly string[],
): PushService {
  let keys: Promise<Keys> | undefined;
  const ownKeys = () => {
    keys ??= readKeys().catch((error: unknown) => {
      keys = undefined; // a full disk passes, and a database comes back
      throw error;
    });
    return keys;
  };
  const resolver = () => createResolver({ allowPrivateHosts });

  const check = async (endpoint: string) => {
    const url = new URL(endpoint);
    const named = allowPrivateHosts.includes(url.hostname);
    if (url.protocol !== "https:" && !named) {
      throw new ApiError("invalid_request", "A push service has an https address.");
    }
    try {
      await resolver()(url.hostname);
    } catch (error) {
      const refused = error instanceof AddressRefused;
      throw new ApiError(
        "invalid_request",
        refused ? error.message : `The push service ${url.hostname} cannot be found.`,
      );
    }
  };
  const attempt = async (to: PushSubscription, notification: Notification): Promise<Sent> => {
    try {
      await check(to.endpoint);
      return await deliver({ to, notification, keys: await ownKeys(), resolver: resolver() });
    } catch (error) {
      const gone = error instanceof ApiError; // an address nobody may send to stays one
      return { ok: false, gone, problem: error instanceof Error ? error.message : String(error) };
    }
  };
  return {
    publicKey: async () => (await ownKeys()).publicKey,
    check,
    async send(to, notification) {
      let sent = await attempt(to, notification);
      for (const pause of PAUSES_MS) {
        if (sent.ok || sent.gone) break;
        await delay(pause, undefined, { ref: false });
        sent = await attempt(to, notification);
      }
      return sent;
    },
  };
}

type Delivery = {
  readonly to: PushSubscription;
  readonly notification: Notification;
  readonly keys: Keys;
  readonly resolver: ReturnType<typeof createResolver>;
};

async function deliver({ to, notification, keys, resolver }: Delivery): Promise<Sent> {
  const { default: webPush } = await import("web-push"); // only where somebody subscribed
  const { endpoint, p256dh, auth } = to;
  const { method, headers, body } = webPush.generateRequestDetails(
    { endpoint, keys: { p256dh, auth } },
    JSON.stringify(notification),
    { vapidDetails: { subject: CONTACT, ...keys }, TTL: KEPT_SECONDS },
  );
  const answer = await sendRequest({
    url: new URL(endpoint),
    method,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ),
    body,
    resolve: resolver,
    signal: AbortSignal.timeout(SEND_MS),
  });
  answer.destroy();
  const status = answer.statusCode ?? 0;
  if (status >= 200 && status < 300) return { ok: true };
  const gone = status === 404 || status === 410;
  return { ok: false, gone, problem: `The push service answered ${status}.` };
}

/** Made once. Of two processes that make them at once both get those of the first. */
export function keysInHome(home: string): ReadKeys {
  const file = { folder: { root: home, path: home }, name: "push-keys.json", limit: 4_096 };
  return async () => {
    const made = (await readText(file.folder, file.name, file.limit)) ?? (await newKeys());
    const keys = await changeFile(file, (kept) => ({
      text: kept === undefined ? made : undefined,
      result: kept ?? made,
    }));
    return JSON.parse(keys) as Keys;
  };
}

/** The same for all machines: a browser subscribes to one public key, whichever server it asked. */
export function sharedKeys(journal: Pick<Journal, "registry">): ReadKeys {
  return async () => {
    const kept =
      (await journal.registry.shared("push-keys")) ??
      (await journal.registry.keepShared("push-keys", await newKeys()));
    return JSON.parse(kept) as Keys;
  };
}

async function newKeys(): Promise<string> {
  const { default: webPush } = await import("web-push");
  return JSON.stringify(webPush.generateVAPIDKeys());
}
