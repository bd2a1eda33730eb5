// Native API: settings of this server and its profiles.
import type { FastifyPluginAsync } from "fastify";
import { ChangeSettings, SetKey } from "../../api/records/settings.ts";
import { parse } from "../../events/errors.ts";
import type { AppDeps } from "../app.ts";
import { data } from "./replies.ts";

export function settingsRoutes({ settings }: Pick<AppDeps, "settings">): FastifyPluginAsync {
  return async (app) => {
    if (!settings) return;
    app.get("/settings", async () => data(await settings.read()));
    app.post("/settings", async ({ body }) =>
      data(await settings.change(parse(ChangeSettings, body ?? {}), "person")),
    );
    app.post("/settings/keys", async ({ body }) =>
      data(await settings.setKey(parse(SetKey, body ?? {}), "person")),
    );
  };
}
