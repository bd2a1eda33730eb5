// The calls for the agents' browser.
import type { browserApi } from "./api.ts";
import type { ConnectBrowser } from "./records.ts";
import { callsOf, type Calls } from "../../kernel/client/calls.ts";

export function browserCalls(calls: Calls) {
  const call = callsOf<typeof browserApi>(calls);
  return {
    browser: (signal?: AbortSignal) => call("get /api/browser", {}, signal),
    connect: (body: ConnectBrowser) => call("post /api/browser/connect", { body }),
    disconnect: () => call("post /api/browser/disconnect", {}),
  };
}
export type BrowserCalls = ReturnType<typeof browserCalls>;
