// The routes for notifications of browsers.
import { get, post, type ApiRoute } from "../../kernel/api/api-route.ts";

export const PUSH_ROUTES: readonly ApiRoute[] = [
  get("/api/push", {
    id: "pushSettings",
    tag: "push",
    summary: "The key to subscribe with, and which browsers are told.",
    answer: { data: "PushView" },
  }),
  post("/api/push/subscribe", {
    id: "subscribePush",
    tag: "push",
    summary: "Tell this browser when something needs a person or is done.",
    body: "SubscribePush",
    answer: { data: "PushDone" },
  }),
  post("/api/push/unsubscribe", {
    id: "unsubscribePush",
    tag: "push",
    summary: "Tell it nothing more.",
    body: "UnsubscribePush",
    answer: { data: "PushDone" },
  }),
  post("/api/push/test", {
    id: "testPush",
    tag: "push",
    summary: "Send every subscribed browser a notification, now.",
    answer: { data: "PushTested" },
  }),
];
