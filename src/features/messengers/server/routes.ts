// Native API: messengers, who may talk through them, and the door for signed webhooks.
import type { FastifyPluginAsync } from "fastify";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { ApprovePairing, DecidePairing, SetGatewayPlatform } from "../records.ts";
import { ApiError, parse } from "../../../kernel/events/errors.ts";
import { kindOf } from "../platforms.ts";
import { approve, decide, setPlatform } from "./commands.ts";
import type { MessengerService } from "./service.ts";
import { gatewayView, pairingView, platformViews } from "./view.ts";
import type { Room } from "../../../kernel/server/room.ts";
import { data } from "../../../kernel/server/routes/replies.ts";

const BY = "person";
const MAX_WEBHOOK = 262_144;

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
  return async (app) => {
    app.get("/", async () => data(await gatewayView(deps)));
    app.get("/platforms", async () => data({ platforms: await platformViews(deps) }));

    app.post("/platforms/:platform", async ({ params, body }) => {
      const { platform } = params as { platform: string };
      const asked = parse(SetGatewayPlatform, body ?? {});
      await setPlatform(deps, platform, { ...asked, by: BY });
      const views = await platformViews(deps);
      return data(views.find((view) => view.platform === platform));
    });
    app.post("/platforms/:platform/test", async ({ params }) => {
      const { platform } = params as { platform: string };
      if (!kindOf(platform)) throw new ApiError("not_found", "There is no such platform.");
      return data(await service.test(platform));
    });

    app.get("/pairing", async () => data(await pairingView(journal)));
    app.post("/pairing/approve", async ({ body }) => {
      const asked = parse(ApprovePairing, body ?? {});
      return data(await approve(deps, { ...asked, by: BY }));
    });
    for (const what of ["deny", "revoke"] as const) {
      app.post(`/pairing/${what}`, async ({ body }) => {
        const asked = parse(DecidePairing, body ?? {});
        return data(await decide(deps, what, { ...asked, by: BY }));
      });
    }
    await app.register(webhookRoute(service));
  };
}

/** What is signed are the bytes: nothing reads them before the signature is checked. */
function webhookRoute(service: MessengerService): FastifyPluginAsync {
  return async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      "application/json",
      { parseAs: "buffer" },
      async (_request: unknown, body: Buffer) => body,
    );
    app.post("/webhook/:webhook", { bodyLimit: MAX_WEBHOOK }, async ({ params, headers, body }) => {
      const { webhook: name } = params as { webhook: string };
      const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      return data(await service.webhook({ name, headers, body: bytes }));
    });
  };
}
