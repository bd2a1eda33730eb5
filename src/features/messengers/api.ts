// The endpoints of messengers.
import { z } from "zod";
import {
  ApprovePairing,
  DecidePairing,
  GatewayPairingView,
  GatewayPlatformView,
  GatewayPlatforms,
  GatewayTested,
  GatewayView,
  PairingDone,
  SetGatewayPlatform,
  WebhookMessage,
  WebhookTaken,
} from "./records.ts";
import { get, post } from "../../kernel/api/endpoint.ts";

const BY_PLATFORM = {
  platform: z.string().describe("telegram, slack, discord, webhook or webhook-<name>."),
};

export const messengersApi = {
  getGateway: get("/api/gateway", {
    tag: "gateway",
    summary: "Messengers: what runs, every platform, who waits and who may talk.",
    response: GatewayView,
  }),
  listGatewayPlatforms: get("/api/gateway/platforms", {
    tag: "gateway",
    summary: "Every platform with its settings and state; never a secret.",
    response: GatewayPlatforms,
  }),
  setGatewayPlatform: post("/api/gateway/platforms/{platform}", {
    params: BY_PLATFORM,
    tag: "gateway",
    summary: "Switch a platform on or off; set who may talk, the home channel and secrets.",
    body: SetGatewayPlatform,
    response: GatewayPlatformView,
    errors: ["invalid_request", "not_found"],
  }),
  testGatewayPlatform: post("/api/gateway/platforms/{platform}/test", {
    params: BY_PLATFORM,
    tag: "gateway",
    summary: "Ask the platform whether it takes the token that is set; sends nobody anything.",
    response: GatewayTested,
    errors: ["not_found"],
  }),
  getPairing: get("/api/gateway/pairing", {
    tag: "gateway",
    summary: "Who waits with a code, and who may talk.",
    response: GatewayPairingView,
  }),
  approvePairing: post("/api/gateway/pairing/approve", {
    tag: "gateway",
    summary:
      "Let in whoever was given this code. Five wrong ones lock out who types, for five minutes.",
    body: ApprovePairing,
    response: PairingDone,
    errors: ["invalid_request", "not_found", "rate_limited"],
  }),
  denyPairing: post("/api/gateway/pairing/deny", {
    tag: "gateway",
    summary: "Refuse somebody who waits.",
    body: DecidePairing,
    response: PairingDone,
    errors: ["invalid_request", "not_found"],
  }),
  revokePairing: post("/api/gateway/pairing/revoke", {
    tag: "gateway",
    summary: "End it, at once: nothing more is taken from them or said to them.",
    body: DecidePairing,
    response: PairingDone,
    errors: ["invalid_request", "not_found"],
  }),
};

/** Its signature is checked over the bytes, so nothing reads them before. */
export const webhookApi = {
  webhookMessage: post("/api/gateway/webhook/{webhook}", {
    params: { webhook: z.string().describe("`default`, or the webhook's own name.") },
    tag: "gateway",
    summary: "A message of a webhook's other side. Needs its signature instead of a token.",
    open: true,
    raw: "bytes",
    bodyLimit: 262_144,
    body: WebhookMessage,
    response: WebhookTaken,
    errors: ["invalid_request", "invalid_json", "unauthorized", "not_found", "too_large"],
  }),
};
