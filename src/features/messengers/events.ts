// Events of messengers in the system log. They never hold tokens, codes or addresses, only that these changed.
import { z } from "zod";
import { defineSystemEvent } from "../../kernel/events/event.ts";
import type {} from "../../kernel/events/system-events.ts";

const by = z.string().min(1).max(300);
const platform = z.string();
const user_id = z.string();

/** A platform's settings as they are from now on; `changed` names also what is kept elsewhere (secrets). */
export const GatewayPlatformSet = defineSystemEvent("gateway.platform_set", {
  by,
  platform,
  enabled: z.boolean(),
  mode: z.enum(["pair", "allowlist", "open"]),
  allow: z.array(z.string()),
  changed: z.array(z.string()),
});
/** Where what nobody asked for is delivered; null: nowhere. */
export const GatewayHomeSet = defineSystemEvent("gateway.home_set", {
  by,
  platform,
  channel_id: z.string().nullable(),
});
/** Somebody unknown wrote and was given a code. */
export const GatewayPairingAsked = defineSystemEvent("gateway.pairing_asked", {
  by,
  platform,
  user_id,
  user_name: z.string(),
  channel_id: z.string(),
  expires_at: z.number(),
});
export const GatewayPairingApproved = defineSystemEvent("gateway.pairing_approved", {
  by,
  platform,
  user_id,
  user_name: z.string(),
});
export const GatewayPairingDenied = defineSystemEvent("gateway.pairing_denied", {
  by,
  platform,
  user_id,
});
export const GatewayPairingRevoked = defineSystemEvent("gateway.pairing_revoked", {
  by,
  platform,
  user_id,
});
/** Only when it was not so before: a connection that comes back ten times is one event. */
export const GatewayConnected = defineSystemEvent("gateway.connected", {
  by,
  platform,
  account: z.string(),
});
export const GatewayFailed = defineSystemEvent("gateway.failed", {
  by,
  platform,
  code: z.string(),
  message: z.string(),
});
export const GatewayStopped = defineSystemEvent("gateway.stopped", { by, platform });

export const GATEWAY_EVENTS = [
  GatewayPlatformSet,
  GatewayHomeSet,
  GatewayPairingAsked,
  GatewayPairingApproved,
  GatewayPairingDenied,
  GatewayPairingRevoked,
  GatewayConnected,
  GatewayFailed,
  GatewayStopped,
] as const;

declare module "../../kernel/events/system-events.ts" {
  interface SystemEvents {
    messengers: z.infer<(typeof GATEWAY_EVENTS)[number]>;
  }
}
