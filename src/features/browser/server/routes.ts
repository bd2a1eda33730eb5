// Native API: the browser of agents.
import type { FastifyPluginAsync } from "fastify";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { mount } from "../../../kernel/server/mount.ts";
import { browserApi } from "../api.ts";
import { browserAccess } from "./access.ts";

const BY = "person";

export function browserRoutes(deps: AppDeps): FastifyPluginAsync {
  const browser = browserAccess(deps);
  return mount(browserApi, {
    getBrowser: () => browser.view(),
    connectBrowser: ({ body }) => browser.connect(body, BY),
    disconnectBrowser: () => browser.disconnect(BY),
  });
}
