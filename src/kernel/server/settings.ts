// What routes need of the settings. The implementation knows the program's configuration (src/cli).
import type { z } from "zod";
import type { ChangeSettings, SetKey, SettingsView } from "../api/records/settings.ts";

export type SettingsService = {
  read(): Promise<SettingsView>;
  /** Throws an ApiError that names the setting; nothing is changed then. */
  change(change: z.infer<typeof ChangeSettings>, by: string): Promise<SettingsView>;
  setKey(key: SetKey, by: string): Promise<SettingsView>;
};
