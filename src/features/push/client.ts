// The calls for notifications of this browser.
import type { pushApi } from "./api.ts";
import type { SubscribePush } from "./records.ts";
import { callsOf, type Calls } from "../../kernel/client/calls.ts";

export function pushCalls(calls: Calls) {
  const call = callsOf<typeof pushApi>(calls);
  return {
    push: (signal?: AbortSignal) => call("get /api/push", {}, signal),
    subscribePush: (body: SubscribePush) => call("post /api/push/subscribe", { body }),
    unsubscribePush: (endpoint: string) =>
      call("post /api/push/unsubscribe", { body: { endpoint } }),
    testPush: () => call("post /api/push/test", {}),
  };
}
