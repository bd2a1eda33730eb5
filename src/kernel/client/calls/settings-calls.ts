// The calls for settings.
import type { ChangeSettings, SetKey, SettingsView } from "../../api/records/settings.ts";
import type { Calls } from "../api.ts";

export function settingsCalls({ get, post }: Calls) {
  return {
    settings: (signal?: AbortSignal) => get<SettingsView>("/api/settings", signal),
    changeSettings: (change: ChangeSettings) => post<SettingsView>("/api/settings", change),
    setKey: (key: SetKey) => post<SettingsView>("/api/settings/keys", key),
  };
}
