// How a webhook's messages are signed, in both directions: HMAC-SHA256 with the shared secret over
// `<name>.<timestamp>.<id>.<body>`. No part before the body has a dot in it, so a signature is of one message to one
// webhook and can be read in no other way. The timestamp is good for five minutes, and an id counts once.
import { createHmac, timingSafeEqual } from "node:crypto";

export const WEBHOOK_HEADERS = {
  id: "x-quarterdeck-id",
  timestamp: "x-quarterdeck-timestamp", // unix seconds
  signature: "x-quarterdeck-signature", // "v2=" and hex
} as const;
const WINDOW_SECONDS = 300;
const ID = /^[\x21-\x2d\x2f-\x7e]{1,200}$/; // visible, without dots

export type Signed = {
  readonly name: string; // of the webhook, as in its address
  readonly id: string;
  readonly timestamp: string;
  readonly body: Uint8Array | string;
};

export function signatureOf(secret: string, { name, id, timestamp, body }: Signed): string {
  const hmac = createHmac("sha256", secret).update(`${name}.${timestamp}.${id}.`).update(body);
  return `v2=${hmac.digest("hex")}`;
}

export type Refusal = "missing" | "stale" | "wrong";

/** Undefined when it is as it should be. Takes as long for a wrong signature as for a right one. */
export function refusalOf(
  secret: string,
  signed: Signed,
  { signature, now }: { signature: string; now: number },
): Refusal | undefined {
  if (!ID.test(signed.id) || !/^\d{1,12}$/.test(signed.timestamp)) return "missing";
  const expected = Buffer.from(signatureOf(secret, signed));
  const given = Buffer.from(signature);
  const isRight = given.length === expected.length && timingSafeEqual(given, expected);
  if (!isRight) return "wrong";
  return Math.abs(now - Number(signed.timestamp)) > WINDOW_SECONDS ? "stale" : undefined;
}
