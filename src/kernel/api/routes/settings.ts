// The endpoints of settings.
import { ChangeSettings, SetKey, SettingsView } from "../records/settings.ts";
import { get, post } from "../endpoint.ts";

const REFUSED = ["invalid_request", "forbidden", "conflict"] as const;

export const settingsApi = {
  getSettings: get("/api/settings", {
    tag: "house",
    summary:
      "Every setting by section: what counts, where it comes from, whether it can be changed. Secrets: only whether they are there.",
    response: SettingsView,
  }),
  changeSettings: post("/api/settings", {
    tag: "house",
    summary: "Change settings of one section. Checked as a whole: all of it or nothing.",
    body: ChangeSettings,
    response: SettingsView,
    errors: REFUSED,
  }),
  setKey: post("/api/settings/keys", {
    tag: "house",
    summary:
      "Give or forget a key. It is bound to the address it is given for, and never told again.",
    body: SetKey,
    response: SettingsView,
    errors: REFUSED,
  }),
};
