// A generic webhook: what it says comes in through `serve`, which alone listens; what we say is posted to its address,
// signed. The other side recognises a repeated message by its id, so nothing is lost and nothing counts twice there.
import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  PlatformProblem,
  unreachable,
  type Adapter,
  type Limits,
  type Outgoing,
} from "../adapter.ts";
import { signatureOf, WEBHOOK_HEADERS } from "../webhook-signature.ts";

/** The status and Retry-After of an answer; throws a PlatformProblem for an address nobody may post to. */
export type PostJson = (request: {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}) => Promise<{ readonly status: number; readonly retryAfter: string | undefined }>;

export type WebhookOptions = {
  readonly name: string; // as in its address
  readonly url: string;
  readonly secret: string;
  readonly limits: Limits;
  readonly post: PostJson;
  readonly now: () => number; // unix seconds
};

const SEND_MS = 15_000;
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 250;

export function webhookAdapter(options: WebhookOptions): Adapter {
  const url = targetOf(options.url);
  const stop = new AbortController();
  const say = (id: string, message: object) =>
    deliver({ ...options, url }, id, message, stop.signal);
  return {
    limits: options.limits,
    start: async () => ({ account: url.host }),
    async send(channel, outgoing) {
      const { nonce } = outgoing;
      await say(nonce, { type: "message", id: nonce, channel_id: channel, ...emitted(outgoing) });
      return nonce;
    },
    async edit(channel, id, outgoing) {
      const body = { type: "edit", id, channel_id: channel, ...emitted(outgoing) };
      await say(`${id}~${hash("sha256", JSON.stringify(body)).slice(0, 12)}`, body);
    },
    remove: (channel, id) => say(`${id}~removed`, { type: "remove", id, channel_id: channel }),
    find: async () => null, // sent again with its id, it is the same message to the other side
    async [Symbol.asyncDispose]() {
      stop.abort();
    },
  };
}

export function targetOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  const message = "Replies need an http or https address without a user name in it.";
  throw new PlatformProblem("not_configured", message);
}

function emitted({ blocks, buttons }: Outgoing) {
  const text = blocks.map((block) => block.text).join("\n");
  const answers = buttons.map(({ data, label }) => ({ data, label }));
  return { text, blocks, buttons: answers };
}

type Target = Omit<WebhookOptions, "url"> & { readonly url: URL };

async function deliver(
  target: Target,
  id: string,
  message: object,
  signal: AbortSignal,
): Promise<void> {
  let pause = FIRST_PAUSE_MS;
  for (let attempt = 1; ; attempt += 1) {
    const problem = await once(target, id, JSON.stringify(message), signal);
    if (!problem) return;
    if (problem.kind !== "unreachable" || attempt === ATTEMPTS) throw problem;
    await delay(pause, undefined, { signal });
    pause *= 4;
  }
}

async function once(
  { name, url, secret, post, now }: Target,
  id: string,
  body: string,
  signal: AbortSignal,
): Promise<PlatformProblem | undefined> {
  const timestamp = String(Math.floor(now()));
  const headers = {
    "content-type": "application/json",
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: signatureOf(secret, { name, id, timestamp, body }),
  };
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(SEND_MS)]);
    const { status, retryAfter } = await post({ url, headers, body, signal: limit });
    if (status >= 200 && status < 300) return undefined;
    if (status === 429) {
      const seconds = /^\d{1,5}$/.test(retryAfter ?? "") ? Number(retryAfter) : 1;
      return new PlatformProblem("rate_limited", "The webhook wants us to wait.", seconds * 1_000);
    }
    const kind = status >= 500 || status === 408 ? "unreachable" : "refused";
    return new PlatformProblem(kind, `The webhook answered ${status}.`);
  } catch (error) {
    return unreachable(error);
  }
}
