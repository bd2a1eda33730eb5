// Messengers, as the API tells them. Secrets go in and never come out: that one is there is all that is said.
import { z } from "zod";

const Mode = z.enum(["pair", "allowlist", "open"]);

export const GatewaySecret = z.object({
  name: z.string(),
  label: z.string(),
  present: z.boolean(),
  fixed: z.boolean().describe("by the environment: what is set here has no effect"),
});

export const GatewayPlatformView = z.object({
  platform: z.string(),
  kind: z.string(),
  label: z.string(),
  enabled: z.boolean(),
  configured: z.boolean().describe("everything it needs is there"),
  state: z
    .enum(["off", "waiting", "connected", "failed"])
    .describe("waiting: switched on, and no gateway has it yet"),
  account: z.string().describe("what we are called there"),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
  mode: Mode,
  allow: z.array(z.string()).describe("user ids that need no pairing"),
  home_channel: z.string().nullable().describe("where what nobody asked for is delivered"),
  undelivered: z
    .int()
    .nonnegative()
    .describe("messages the platform refused, and updates that could not be handled"),
  turned_away: z
    .int()
    .nonnegative()
    .describe("people who got no code within the hour: the platform's limit was reached"),
  secrets: z.array(GatewaySecret),
  packages: z.array(z.string()),
  steps: z.array(z.string()),
  webhook_path: z.string().nullable().describe("where a webhook's other side posts to"),
  updated_at: z.number().nullable(),
});
export type GatewayPlatformView = Readonly<z.infer<typeof GatewayPlatformView>>;

export const GatewayPersonView = z.object({
  platform: z.string(),
  user_id: z.string(),
  user_name: z.string(),
  channel_id: z.string(),
  state: z.enum(["pending", "approved", "denied", "revoked"]),
  expires_at: z.number().nullable().describe("of the code, while it waits"),
  updated_at: z.number(),
});
export type GatewayPersonView = Readonly<z.infer<typeof GatewayPersonView>>;

export const GatewayPairingView = z.object({
  pending: z.array(GatewayPersonView).describe("codes that are good now"),
  approved: z.array(GatewayPersonView),
});
export type GatewayPairingView = Readonly<z.infer<typeof GatewayPairingView>>;

export const GatewayView = z.object({
  running: z.boolean(),
  processes: z.array(z.object({ id: z.string(), pid: z.int(), host: z.string() })),
  platforms: z.array(GatewayPlatformView),
  pairing: GatewayPairingView,
});
export type GatewayView = Readonly<z.infer<typeof GatewayView>>;

export const GatewayPlatforms = z.object({ platforms: z.array(GatewayPlatformView) });

const Id = z.string().min(1).max(200);
/** What is left out stays. A secret that is null is forgotten. */
export const SetGatewayPlatform = z.strictObject({
  enabled: z.boolean().optional(),
  mode: Mode.optional(),
  confirm_open: z.boolean().optional().describe("needed for the mode `open`: everybody may write"),
  allow: z.array(Id).max(1_000).optional(),
  home_channel: Id.nullable().optional(),
  secrets: z
    .record(
      z.string().max(64),
      z
        .string()
        .min(8)
        .max(4_096)
        .regex(/^[\x21-\x7e]+$/, "visible ASCII without spaces")
        .nullable(),
    )
    .optional(),
});
export type SetGatewayPlatform = z.infer<typeof SetGatewayPlatform>;

export const ApprovePairing = z.strictObject({
  platform: z.string().max(64),
  code: z.string().min(1).max(64),
});
export type ApprovePairing = z.infer<typeof ApprovePairing>;
export const DecidePairing = z.strictObject({ platform: z.string().max(64), user_id: Id });
export type DecidePairing = z.infer<typeof DecidePairing>;
export const PairingDone = z.object({ done: z.boolean(), person: GatewayPersonView.nullable() });
export type PairingDone = Readonly<z.infer<typeof PairingDone>>;

export const GatewayTested = z.object({
  works: z.boolean(),
  account: z.string().nullable(),
  problem: z.string().nullable(),
});
export type GatewayTested = Readonly<z.infer<typeof GatewayTested>>;

/** What a webhook's other side says. Signed: see docs/gateway.md. */
export const WebhookMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message"),
    channel_id: Id,
    user_id: Id.default("webhook"),
    user_name: z.string().max(200).default(""),
    text: z.string().min(1).max(131_072),
  }),
  z.object({
    type: z.literal("press"),
    channel_id: Id,
    user_id: Id.default("webhook"),
    user_name: z.string().max(200).default(""),
    data: z.string().min(1).max(64),
  }),
]);
export type WebhookMessage = z.infer<typeof WebhookMessage>;
export const WebhookTaken = z.object({
  accepted: z.boolean(),
  duplicate: z.boolean(),
  session_id: z.string().nullable(),
  said: z
    .string()
    .nullable()
    .describe("what a person may be told: a code to pair with, or what a press did"),
});
export type WebhookTaken = Readonly<z.infer<typeof WebhookTaken>>;
