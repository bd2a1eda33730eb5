// The calls for notifications of this browser.
import type { PushTested, PushView, SubscribePush } from "./records.ts";
import type { Calls } from "../../kernel/client/api.ts";

export function pushCalls({ get, post }: Calls) {
  return {
    push: (signal?: AbortSignal) => get<PushView>("/api/push", signal),
    subscribePush: (subscription: SubscribePush) =>
      post<{ done: boolean }>("/api/push/subscribe", subscription),
    unsubscribePush: (endpoint: string) =>
      post<{ done: boolean }>("/api/push/unsubscribe", { endpoint }),
    testPush: () => post<PushTested>("/api/push/test", {}),
  };
}
