// Native API: settings of this server and its profiles.
import type { FastifyPluginAsync } from "fastify";
import { settingsApi } from "../../api/routes/settings.ts";
import type { AppDeps } from "../app.ts";
import { mount } from "../mount.ts";

const BY = "person";

export function settingsRoutes({ settings }: Pick<AppDeps, "settings">): FastifyPluginAsync {
  if (!settings) return async () => undefined;
  return mount(settingsApi, {
    getSettings: () => settings.read(),
    changeSettings: ({ body }) => settings.change(body, BY),
    setKey: ({ body }) => settings.setKey(body, BY),
  });
}
