// Native API: the browser of agents.
import type { FastifyPluginAsync } from "fastify";
import { ConnectBrowser } from "../records.ts";
import { parse } from "../../../kernel/events/errors.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import { browserAccess } from "./access.ts";
import { data } from "../../../kernel/server/routes/replies.ts";

const BY = "person";

export function browserRoutes(deps: AppDeps): FastifyPluginAsync {
  const browser = browserAccess(deps);
  return async (app) => {
    app.get("/browser", async () => data(await browser.view()));
    app.post("/browser/connect", async ({ body }) =>
      data(await browser.connect(parse(ConnectBrowser, body ?? {}), BY)),
    );
    app.post("/browser/disconnect", async () => data(await browser.disconnect(BY)));
  };
}
