// Native API: which browsers are told when something needs a person.
import type { FastifyPluginAsync } from "fastify";
import { pushApi } from "../api.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { Push } from "../store/push-journal.ts";
import { emitAll, type PushService } from "./push.ts";
import type { Room } from "../../../kernel/server/room.ts";
import { mount } from "../../../kernel/server/mount.ts";
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
  return mount(pushApi, {
    pushSettings: async () => {
      const known = await store.pushSubscriptions();
      const subscriptions = known.map(({ endpoint, label, created_at }) => ({
        endpoint,
        label,
        created_at,
      }));
      return { public_key: await push.publicKey(), subscriptions };
    },
    subscribePush: async ({ body: { endpoint, keys, label } }) => {
      const known = await store.pushSubscriptions();
      const isNew = known.every((one) => one.endpoint !== endpoint);
      if (isNew && known.length >= MAX_BROWSERS) {
        throw new ApiError("invalid_request", `At most ${MAX_BROWSERS} browsers can be told.`);
      }
      await push.check(endpoint); // before it is kept: a bad address is a clear error now
      await store.addPush({ endpoint, ...keys, label });
      return { done: isNew };
    },
    unsubscribePush: async ({ body }) => ({ done: await store.removePush(body.endpoint) }),
    testPush: async () => {
      const subscriptions = await store.pushSubscriptions();
      const failed = await emitAll({ store, service: push }, subscriptions, HELLO);
      return { sent: subscriptions.length - failed.length, failed };
    },
  });
}
