// Health and capabilities: what the console's client requests first.
import type { FastifyPluginAsync } from "fastify";
import { CONSOLE_SCHEMA_VERSION, VERSION } from "../../kernel/events/version.ts";
import type { AppDeps } from "../../kernel/server/app.ts";
import { both } from "./envelopes.ts";
import { gatewayAbilities } from "./gateway.ts";
import { mediaAbilities } from "./media.ts";

const PRODUCT = "hermes-web-console";

/** True only for what works here. */
const FEATURES = {
  chat: true,
  background: true,
  btw: true,
  retry: true,
  undo: true,
  stop: true,
  compress: true,
  approvals: true,
  clarify: true,
  yolo: true,
  stream: true,
  stream_resume: true,
  sessions: true,
  session_search: true,
  export: true,
  commands: true,
  metrics: true,
  workspace: true,
  workspace_git: true,
  processes: true,
  cron: true,
  media: false,
  gateway_admin: false,
  voice: false,
};

export function metaPages(deps: AppDeps): FastifyPluginAsync {
  const features = { ...FEATURES, ...gatewayAbilities(deps), ...mediaAbilities(deps) };
  return async (app) => {
    app.get("/health", async () =>
      both({ status: "ok", product: PRODUCT, service: "gui-backend" }),
    );

    app.get("/meta", async () =>
      both({
        product: PRODUCT,
        server: "quarterdeck",
        adapter: "quarterdeck",
        version: VERSION,
        schema_version: CONSOLE_SCHEMA_VERSION,
        gui_mount_path: "/app",
        app_base_path: "/app/",
        api_base: "/api/gui",
        api_base_path: "/api/gui",
        stream_base: "/api/gui/stream",
        v1_base: "/v1",
        features,
      }),
    );

    app.get("/version", async () =>
      both({
        product: PRODUCT,
        server: "quarterdeck",
        version: VERSION,
        schema_version: CONSOLE_SCHEMA_VERSION,
      }),
    );
  };
}
