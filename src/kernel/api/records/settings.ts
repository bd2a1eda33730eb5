// Settings as people see and change them. Secrets are never among the values.
import { z } from "zod";

export const SettingRecord = z.object({
  name: z.string(),
  value: z.json().describe("what counts now; null: not set"),
  source: z.enum(["default", "file", "environment", "flag"]),
  editable: z.boolean(),
  why: z.string().nullable().describe("why it cannot be changed here"),
  choices: z.array(z.string()).nullable(),
  kind: z.enum(["text", "number", "switch", "choice", "list", "table", "long text"]),
  about: z.string(),
});
export type SettingRecord = Readonly<z.infer<typeof SettingRecord>>;

export const SettingsSection = z.object({
  section: z.string(),
  subject: z.string().nullable().describe("the profile, of a profile's settings"),
  title: z.string(),
  applies: z.enum(["next run", "restart"]).describe("when a change counts"),
  settings: z.array(SettingRecord),
  problem: z.string().nullable().describe("why it cannot be read; nothing of it is changed then"),
});
export type SettingsSection = Readonly<z.infer<typeof SettingsSection>>;

export const KeyRecord = z.object({
  name: z.string(),
  present: z.boolean(),
  source: z.enum(["none", "environment", "page"]),
  origin: z.string().nullable().describe("the only address it is sent to"),
  used: z.boolean().describe("false: it was entered for another address than the one in use"),
  address: z.string().nullable().describe("where it would be sent now"),
});
export type KeyRecord = Readonly<z.infer<typeof KeyRecord>>;

export const SettingsView = z.object({
  version: z
    .string()
    .describe("of all of it; give it back with a change to notice somebody else's"),
  supervised: z.boolean().describe("changes that need a restart are applied by themselves"),
  sections: z.array(SettingsSection),
  keys: z.array(KeyRecord),
});
export type SettingsView = Readonly<z.infer<typeof SettingsView>>;

export const ChangeSettings = z.strictObject({
  section: z.string().min(1).max(64),
  subject: z.string().min(1).max(64).nullable().default(null),
  changes: z
    .record(z.string().min(1).max(64), z.json())
    .describe("by name; null: back to the default"),
  version: z.string().max(64).optional(),
});
export type ChangeSettings = z.input<typeof ChangeSettings>;

export const SetKey = z.strictObject({
  name: z.string().min(1).max(64),
  value: z.string().min(1).max(8_192).nullable().describe("null: forget it"),
});
export type SetKey = z.infer<typeof SetKey>;
