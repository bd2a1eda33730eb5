// Notifications of browsers: what a page needs to ask for them, and what it says to get them.
import { z } from "zod";

const Base64Url = z.string().regex(/^[A-Za-z0-9_-]{1,200}={0,2}$/, "not base64url");
const Endpoint = z.url().max(2_000);

export const PushView = z.object({
  public_key: z.string().describe("the server's own, for PushManager.subscribe"),
  subscriptions: z.array(
    z.object({ endpoint: z.string(), label: z.string(), created_at: z.number() }),
  ),
});
export type PushView = Readonly<z.infer<typeof PushView>>;

/** What a browser's PushSubscription says of itself. */
export const SubscribePush = z.strictObject({
  endpoint: Endpoint,
  keys: z.strictObject({ p256dh: Base64Url, auth: Base64Url }),
  label: z.string().max(200).default(""),
});
export type SubscribePush = z.input<typeof SubscribePush>;
export const UnsubscribePush = z.strictObject({ endpoint: Endpoint });
export const PushDone = z.object({ done: z.boolean() });
/** Of a notification that was sent to be seen: what each push service said. */
export const PushTested = z.object({ sent: z.int(), failed: z.array(z.string()) });
export type PushTested = Readonly<z.infer<typeof PushTested>>;
