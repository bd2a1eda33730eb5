// The routes for notifications of browsers.
import { PushDone, PushTested, PushView, SubscribePush, UnsubscribePush } from "./records.ts";
import { get, post } from "../../kernel/api/endpoint.ts";

export const pushApi = {
  pushSettings: get("/api/push", {
    tag: "push",
    summary: "The key to subscribe with, and which browsers are told.",
    response: PushView,
  }),
  subscribePush: post("/api/push/subscribe", {
    tag: "push",
    summary: "Tell this browser when something needs a person or is done.",
    body: SubscribePush,
    response: PushDone,
  }),
  unsubscribePush: post("/api/push/unsubscribe", {
    tag: "push",
    summary: "Tell it nothing more.",
    body: UnsubscribePush,
    response: PushDone,
  }),
  testPush: post("/api/push/test", {
    tag: "push",
    summary: "Send every subscribed browser a notification, now.",
    response: PushTested,
  }),
};
