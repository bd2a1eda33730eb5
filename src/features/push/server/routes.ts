// Native API: which browsers are told when something needs a person.
import type { FastifyPluginAsync } from "fastify";
import { SubscribePush, UnsubscribePush } from "../records.ts";
import { ApiError, parse } from "../../../kernel/events/errors.ts";
import type { Push } from "../store/push-journal.ts";
import { emitAll, type PushService } from "./push.ts";
import type { Room } from "../../../kernel/server/room.ts";
import { data } from "../../../kernel/server/routes/replies.ts";
import { pushStore } from "../store/push.ts";

const MAX_BROWSERS = 50;
const HELLO = {
  title: "Quarterdeck",
  body: "Notifications reach this browser.",
  url: "/inbox",
  tag: "test",
};

export const pushRoom: Room = ({ journal, push }) =>
  push ? { routes: pushRoutes(pushStore(journal), push), prefix: "/api/push" } : {};

function pushRoutes(store: Push, push: PushService): FastifyPluginAsync {
  return async (app) => {
    app.get("/", async () => {
      const known = await store.pushSubscriptions();
      const subscriptions = known.map(({ endpoint, label, created_at }) => ({
        endpoint,
        label,
        created_at,
      }));
      return data({ public_key: await push.publicKey(), subscriptions });
    });

    app.post("/subscribe", async ({ body }) => {
      const { endpoint, keys, label } = parse(SubscribePush, body ?? {});
      const known = await store.pushSubscriptions();
      const isNew = known.every((one) => one.endpoint !== endpoint);
      if (isNew && known.length >= MAX_BROWSERS) {
        throw new ApiError("invalid_request", `At most ${MAX_BROWSERS} browsers can be told.`);
      }
      await push.check(endpoint); // before it is kept: a bad address is a clear error now
      await store.addPush({ endpoint, ...keys, label });
      return data({ done: isNew });
    });

    app.post("/unsubscribe", async ({ body }) => {
      const { endpoint } = parse(UnsubscribePush, body ?? {});
      return data({ done: await store.removePush(endpoint) });
    });

    app.post("/test", async () => {
      const subscriptions = await store.pushSubscriptions();
      const failed = await emitAll({ store, service: push }, subscriptions, HELLO);
      return data({ sent: subscriptions.length - failed.length, failed });
    });
  };
}
