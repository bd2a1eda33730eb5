// Native API: messengers, who may talk through them, and the door for signed webhooks.
import type { FastifyPluginAsync } from "fastify";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { mount } from "../../../kernel/server/mount.ts";
import { messengersApi, webhookApi } from "../api.ts";
import { kindOf } from "../platforms.ts";
import { approve, decide, setPlatform } from "./commands.ts";
import type { MessengerService } from "./service.ts";
import { gatewayView, pairingView, platformViews } from "./view.ts";
import type { Room } from "../../../kernel/server/room.ts";
import { requireFound } from "../../../kernel/server/routes/replies.ts";

const BY = "person";
const NO_PLATFORM = { code: "not_found", message: "There is no such platform." } as const;

export const gatewayRoom: Room = ({ journal, gateway }) => {
  if (!gateway) return {};
  return {
    routes: gatewayRoutes(journal, gateway),
    prefix: "/api/gateway",
    open: ["/api/gateway/webhook/:webhook"], // a signature, instead
  };
};

function gatewayRoutes(journal: Journal, service: MessengerService): FastifyPluginAsync {
  const deps = { journal, service };
  const routes = mount(messengersApi, {
    getGateway: () => gatewayView(deps),
    listGatewayPlatforms: async () => ({ platforms: await platformViews(deps) }),
    setGatewayPlatform: async ({ params: { platform }, body }) => {
      await setPlatform(deps, platform, { ...body, by: BY });
      const views = await platformViews(deps);
      return requireFound(
        views.find((view) => view.platform === platform),
        NO_PLATFORM,
      );
    },
    testGatewayPlatform: async ({ params: { platform } }) => {
      requireFound(kindOf(platform), NO_PLATFORM);
      return service.test(platform);
    },
    getPairing: () => pairingView(journal),
    approvePairing: ({ body }) => approve(deps, { ...body, by: BY }),
    denyPairing: ({ body }) => decide(deps, "deny", { ...body, by: BY }),
    revokePairing: ({ body }) => decide(deps, "revoke", { ...body, by: BY }),
  });
  return async (app) => {
    await routes(app, {});
    await app.register(webhookRoute(service));
  };
}

/** What is signed are the bytes: nothing reads them before the signature is checked. */
function webhookRoute(service: MessengerService): FastifyPluginAsync {
  const routes = mount(webhookApi, {
    webhookMessage: ({ params: { webhook: name }, body, request: { headers } }) =>
      service.webhook({ name, headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) }),
  });
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      "application/json",
      { parseAs: "buffer" },
      async (_request: unknown, body: Buffer) => body,
    );
    await routes(app, {});
  };
}
