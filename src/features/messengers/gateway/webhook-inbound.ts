// What a webhook's other side posted: believed when its signature is right and fresh, and taken once per id.
import { WebhookMessage, type WebhookTaken } from "../records.ts";
import { ApiError, parse } from "../../../kernel/events/errors.ts";
import { kindOf, webhookPlatform } from "../platforms.ts";
import { admit, type Admission } from "./admit.ts";
import { shownCode } from "./codes.ts";
import type { Secrets } from "./gateway.ts";
import { pressed } from "./press.ts";
import { refusalOf, WEBHOOK_HEADERS } from "./webhook-signature.ts";

export type WebhookChannel = Admission & {
  readonly secrets: (platform: string) => Promise<Secrets>;
  readonly parseBody: (body: Buffer) => unknown;
  readonly now: () => number;
};
type Posted = {
  readonly name: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
};

export async function takeWebhook(service: WebhookChannel, posted: Posted): Promise<WebhookTaken> {
  const { store } = service;
  const platform = webhookPlatform(posted.name);
  const { secret = "" } = kindOf(platform) === "webhook" ? await service.secrets(platform) : {};
  const settings = await store.gatewayPlatform(platform);
  if (secret === "" || !settings?.enabled)
    throw new ApiError("not_found", "There is no such webhook.");
  const id = checkedId(service, posted, secret);
  const message = parse(WebhookMessage, service.parseBody(posted.body));
  const { channel_id, user_id, user_name } = message;
  if (message.type === "press") {
    const said = await pressed(service, platform, message);
    return { accepted: true, duplicate: false, session_id: null, said };
  }
  const about = { channel_id, user_id, user_name, text: message.text };
  const incoming = { ...about, message_id: id, direct: true, addressed: true };
  const admitted = await admit(service, platform, incoming);
  if (admitted.kind === "taken") {
    const { session_id, duplicate } = admitted;
    return { accepted: !duplicate, duplicate, session_id, said: null };
  }
  if (admitted.kind === "ignored") throw new ApiError("forbidden", "This user may not write here.");
  await store.pairingSent(platform, user_id);
  return { accepted: false, duplicate: false, session_id: null, said: shownCode(admitted.code) };
}

const WRONG = {
  missing: "The headers for id (without dots), timestamp and signature are needed.",
  wrong: "The signature is wrong.",
  stale: "The timestamp is more than five minutes off.",
} as const;

function checkedId({ now }: WebhookChannel, posted: Posted, secret: string): string {
  const { name, headers, body } = posted;
  const said = (header: string) => {
    const value = headers[header];
    return typeof value === "string" ? value : "";
  };
  const [id, timestamp] = [said(WEBHOOK_HEADERS.id), said(WEBHOOK_HEADERS.timestamp)];
  const signed = { name, id, timestamp, body };
  const given = { signature: said(WEBHOOK_HEADERS.signature), now: now() };
  const refused = refusalOf(secret, signed, given);
  if (refused) throw new ApiError("unauthorized", WRONG[refused]);
  return id;
}
