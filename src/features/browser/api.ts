// The routes of the agents' browser.
import { get, post, type ApiRoute } from "../../kernel/api/api-route.ts";

export const BROWSER_ROUTES: readonly ApiRoute[] = [
  get("/api/browser", {
    id: "getBrowser",
    tag: "house",
    summary: "Which browser agents may use, whether it can be reached, and what is missing.",
    answer: { data: "BrowserView" },
    errors: ["unavailable"],
  }),
  post("/api/browser/connect", {
    id: "connectBrowser",
    tag: "house",
    summary:
      "Let agents use a browser: one that is started for them, or a live one by its address, which must answer.",
    body: "ConnectBrowser",
    answer: { data: "BrowserView" },
    errors: ["invalid_request", "conflict", "unavailable"],
  }),
  post("/api/browser/disconnect", {
    id: "disconnectBrowser",
    tag: "house",
    summary: "Take it away again. One that was started ends; of a live one its tabs are closed.",
    answer: { data: "BrowserView" },
    errors: ["unavailable"],
  }),
];
