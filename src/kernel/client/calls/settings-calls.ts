// API calls for settings.
import type { ChangeSettings, SetKey } from "../../api/records/settings.ts";
import type { settingsApi } from "../../api/routes/settings.ts";
import { callsOf, type Calls } from "../calls.ts";

export function settingsCalls(calls: Calls) {
  const call = callsOf<typeof settingsApi>(calls);
  return {
    settings: (signal?: AbortSignal) => call("get /api/settings", {}, signal),
    changeSettings: (body: ChangeSettings) => call("post /api/settings", { body }),
    setKey: (body: SetKey) => call("post /api/settings/keys", { body }),
  };
}
