// Capabilities in the form that third-party clients of `/v1` check: they compare `object`, `platform` and exact paths
// before they use anything.
import type { FastifyPluginAsync } from "fastify";
import { VERSION } from "../../kernel/events/version.ts";
import type { Journal } from "../../kernel/journal/journal.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { inTime, refuseWhileAway, runners } from "../../kernel/server/routes/status.ts";

const at = (method: string, path: string) => ({ method, path });
const ENDPOINTS = {
  health: at("GET", "/health"),
  health_detailed: at("GET", "/health/detailed"),
  models: at("GET", "/v1/models"),
  capabilities: at("GET", "/v1/capabilities"),
  chat_completions: at("POST", "/v1/chat/completions"),
  responses: at("POST", "/v1/responses"),
  response: at("GET", "/v1/responses/{response_id}"),
  response_cancel: at("POST", "/v1/responses/{response_id}/cancel"),
  runs: at("POST", "/v1/runs"),
  run_status: at("GET", "/v1/runs/{run_id}"),
  run_events: at("GET", "/v1/runs/{run_id}/events"),
  run_approval: at("POST", "/v1/runs/{run_id}/approval"),
  run_clarification: at("POST", "/v1/runs/{run_id}/clarifications/{request_id}/respond"),
  run_steer: at("POST", "/v1/runs/{run_id}/steer"),
  run_messages: at("POST", "/v1/runs/{run_id}/messages"),
  run_stop: at("POST", "/v1/runs/{run_id}/stop"),
  session_goal: at("POST", "/v1/sessions/{session_id}/goal"),
} as const;
const FEATURES = {
  chat_completions: true,
  chat_completions_streaming: true,
  responses_api: true,
  responses_streaming: true,
  responses_background: true,
  reasoning_streaming: true,
  run_submission: true,
  run_status: true,
  run_events_sse: true,
  run_events_replay: true, // with ids, for any number of readers
  run_events_polling: true,
  run_stop: true,
  run_steer: true,
  run_approval_response: true,
  approval_identity_v1: true,
  run_clarify_response: true,
  tool_progress_events: true,
  approval_events: true,
  session_continuity_header: true,
  session_key_header: true,
  cors: false,
  runs_idempotency: { supported: true, durable: true, retention_seconds: null }, // kept for ever
} as const;

export function v1Capabilities({ auth, info, journal }: AppDeps): FastifyPluginAsync {
  const model = `${info.model.provider}/${info.model.id}`;
  return async (app) => {
    app.get("/capabilities", async () => ({
      object: "hermes.api_server.capabilities",
      platform: "hermes-agent",
      server: "quarterdeck",
      version: VERSION,
      model,
      auth: { type: "bearer", required: auth.required },
      runtime: { mode: "server_agent", tool_execution: "server", split_runtime: true },
      features: FEATURES,
      endpoints: ENDPOINTS,
    }));
    app.get("/health", async () => alive(journal));
  };
}

const HEALTHY = { status: "ok", platform: "hermes-agent", server: "quarterdeck" } as const;

/** This process answers, also while the database is away: restarting it would not help. */
function alive(journal: Journal) {
  return { ...HEALTHY, storage: journal.storage() };
}

/** At the root, where monitors look. */
export function healthRoutes({ journal, info }: AppDeps): FastifyPluginAsync {
  return async (app) => {
    app.get("/health", async () => alive(journal));
    app.get("/health/detailed", async () => {
      refuseWhileAway(journal);
      const owned = await inTime(journal, journal.registry.owned());
      const runs = [...owned.values()].reduce((sum, each) => sum + each.length, 0);
      const living = await runners(journal);
      return {
        ...alive(journal),
        version: VERSION,
        epoch: journal.epoch,
        model: `${info.model.provider}/${info.model.id}`,
        sandbox: await info.sandbox(),
        runners: living.length,
        active_runs: runs,
        pending_requests: (await journal.reads.pending({})).length,
      };
    });
  };
}
