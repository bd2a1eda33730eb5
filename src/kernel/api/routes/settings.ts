// The routes of settings.
import { get, post, type ApiRoute } from "../api-route.ts";

const REFUSED = ["invalid_request", "forbidden", "conflict"] as const;

export const SETTINGS_ROUTES: readonly ApiRoute[] = [
  get("/api/settings", {
    id: "getSettings",
    tag: "house",
    summary:
      "Every setting by section: what counts, where it comes from, whether it can be changed. Secrets: only whether they are there.",
    answer: { data: "SettingsView" },
  }),
  post("/api/settings", {
    id: "changeSettings",
    tag: "house",
    summary: "Change settings of one section. Checked as a whole: all of it or nothing.",
    body: "ChangeSettings",
    answer: { data: "SettingsView" },
    errors: REFUSED,
  }),
  post("/api/settings/keys", {
    id: "setKey",
    tag: "house",
    summary:
      "Give or forget a key. It is bound to the address it is given for, and never told again.",
    body: "SetKey",
    answer: { data: "SettingsView" },
    errors: REFUSED,
  }),
];
