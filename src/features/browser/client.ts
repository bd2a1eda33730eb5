// The calls for the agents' browser.
import type { BrowserView, ConnectBrowser } from "./records.ts";
import type { Calls } from "../../kernel/client/api.ts";

export function browserCalls({ get, post }: Pick<Calls, "get" | "post">) {
  return {
    browser: (signal?: AbortSignal) => get<BrowserView>("/api/browser", signal),
    connect: (asked: ConnectBrowser) => post<BrowserView>("/api/browser/connect", asked),
    disconnect: () => post<BrowserView>("/api/browser/disconnect", {}),
  };
}
export type BrowserCalls = ReturnType<typeof browserCalls>;
