// The routes of messengers.
import { get, post, type ApiRoute } from "../../kernel/api/api-route.ts";

export const GATEWAY_ROUTES: readonly ApiRoute[] = [
  get("/api/gateway", {
    id: "getGateway",
    tag: "gateway",
    summary: "Messengers: what runs, every platform, who waits and who may talk.",
    answer: { data: "GatewayView" },
  }),
  get("/api/gateway/platforms", {
    id: "listGatewayPlatforms",
    tag: "gateway",
    summary: "Every platform with its settings and state; never a secret.",
    answer: { data: "GatewayPlatforms" },
  }),
  post("/api/gateway/platforms/{platform}", {
    id: "setGatewayPlatform",
    tag: "gateway",
    summary: "Switch a platform on or off; set who may talk, the home channel and secrets.",
    body: "SetGatewayPlatform",
    answer: { data: "GatewayPlatformView" },
    errors: ["invalid_request", "not_found"],
  }),
  post("/api/gateway/platforms/{platform}/test", {
    id: "testGatewayPlatform",
    tag: "gateway",
    summary: "Ask the platform whether it takes the token that is set; sends nobody anything.",
    answer: { data: "GatewayTested" },
    errors: ["not_found"],
  }),
  get("/api/gateway/pairing", {
    id: "getPairing",
    tag: "gateway",
    summary: "Who waits with a code, and who may talk.",
    answer: { data: "GatewayPairingView" },
  }),
  post("/api/gateway/pairing/approve", {
    id: "approvePairing",
    tag: "gateway",
    summary:
      "Let in whoever was given this code. Five wrong ones lock out who types, for five minutes.",
    body: "ApprovePairing",
    answer: { data: "PairingDone" },
    errors: ["invalid_request", "not_found", "rate_limited"],
  }),
  post("/api/gateway/pairing/deny", {
    id: "denyPairing",
    tag: "gateway",
    summary: "Refuse somebody who waits.",
    body: "DecidePairing",
    answer: { data: "PairingDone" },
    errors: ["invalid_request", "not_found"],
  }),
  post("/api/gateway/pairing/revoke", {
    id: "revokePairing",
    tag: "gateway",
    summary: "End it, at once: nothing more is taken from them or said to them.",
    body: "DecidePairing",
    answer: { data: "PairingDone" },
    errors: ["invalid_request", "not_found"],
  }),
  post("/api/gateway/webhook/{webhook}", {
    id: "webhookMessage",
    tag: "gateway",
    summary: "A message of a webhook's other side. Needs its signature instead of a token.",
    open: true,
    body: "WebhookMessage",
    answer: { data: "WebhookTaken" },
    errors: ["invalid_request", "invalid_json", "unauthorized", "not_found", "too_large"],
  }),
];
