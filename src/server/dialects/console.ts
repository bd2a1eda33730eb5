// The first part of the web console seed's API. Bodies are a superset of the document's shape
// (`data`) and of what its real client reads (the same fields flat).
import type { FastifyPluginAsync } from "fastify";
import type { z } from "zod";
import { ConsoleSend, ConsoleStop } from "../../protocol/api-records.ts";
import { StartRun } from "../../protocol/commands.ts";
import { ApiError, parse } from "../../protocol/errors.ts";
import { ClientKey } from "../../protocol/ids.ts";
import { CONSOLE_SCHEMA_VERSION, VERSION } from "../../protocol/version.ts";
import type { AppDeps } from "../app.ts";
import { defaultsFor } from "../defaults.ts";
import { noRun } from "./replies.ts";

export function consoleRoutes(deps: AppDeps): FastifyPluginAsync {
  const { journal } = deps;
  return async (app) => {
    app.get("/health", async () => both({ status: "ok", product: "hermes-web-console" }));

    app.get("/meta", async () =>
      both({
        product: "hermes-web-console",
        server: "quarterdeck",
        version: VERSION,
        schema_version: CONSOLE_SCHEMA_VERSION,
        gui_mount_path: "/app",
        api_base: "/api/gui",
        stream_base: "/api/gui/stream",
        v1_base: "/v1",
        features: { workspace: false, gateway_admin: false, voice: false },
      }),
    );

    app.post("/chat/send", async ({ body, headers }) => {
      const asked = parse(ConsoleSend, body ?? {});
      const key = asked.message_id ?? headers["idempotency-key"];
      const command = parse(StartRun, {
        message: asked.message ?? asked.prompt,
        source: "console",
        ...(asked.session_id !== undefined && { session_id: asked.session_id }),
        ...(asked.model?.includes("/") && { model: asked.model }),
        ...(key !== undefined && { message_id: parse(ClientKey, key) }),
        ...instructionsOf(asked),
      });
      const { session_id, run_id } = await journal.startRun(
        command,
        await defaultsFor(deps, undefined),
      );
      return both({ session_id, run_id, status: "started" });
    });

    app.post("/chat/stop", async ({ body }) => {
      const { run_id } = parse(ConsoleStop, body ?? {});
      const outcome = await journal.cancelRun(run_id, {});
      if (!outcome) throw new ApiError("run_not_found", noRun(run_id).message);
      const { session_id, accepted } = outcome;
      const status = accepted ? "stopping" : "not_active";
      const fields = { supported: true, action: "stop", run_id, session_id, status };
      return both({ ...fields, stop_requested: accepted });
    });
  };
}

function instructionsOf({ instructions, ephemeral_system_prompt }: z.infer<typeof ConsoleSend>) {
  const text = instructions ?? ephemeral_system_prompt;
  return text === undefined || text === "" ? {} : { instructions: text };
}

function both<Fields extends object>(fields: Fields): { ok: true; data: Fields } & Fields {
  return { ok: true, data: fields, ...fields };
}
