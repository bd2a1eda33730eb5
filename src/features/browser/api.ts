// The routes of the agents' browser.
import { BrowserView, ConnectBrowser } from "./records.ts";
import { get, post } from "../../kernel/api/endpoint.ts";

export const browserApi = {
  getBrowser: get("/api/browser", {
    tag: "house",
    summary: "Which browser agents may use, whether it can be reached, and what is missing.",
    response: BrowserView,
    errors: ["unavailable"],
  }),
  connectBrowser: post("/api/browser/connect", {
    tag: "house",
    summary:
      "Let agents use a browser: one that is started for them, or a live one by its address, which must answer.",
    body: ConnectBrowser,
    response: BrowserView,
    errors: ["invalid_request", "conflict", "unavailable"],
  }),
  disconnectBrowser: post("/api/browser/disconnect", {
    tag: "house",
    summary: "Take it away again. One that was started ends; of a live one its tabs are closed.",
    response: BrowserView,
    errors: ["unavailable"],
  }),
};
