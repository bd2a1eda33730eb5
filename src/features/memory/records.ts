// What a profile remembers, as the API tells it.
import { z } from "zod";
import { LastChange } from "../../kernel/api/records/last-change.ts";

export { LastChange }; // by name in the schemas

export const MemoryTarget = z.enum(["memory", "user"]);
export type MemoryTarget = z.infer<typeof MemoryTarget>;

export const MemoryUsage = z.object({
  chars: z.int().nonnegative(),
  limit: z.int().positive(),
  percent: z.int().nonnegative().describe("may be over 100 where a person wrote more"),
  entries: z.int().nonnegative(),
});

export const ProfileMemory = z.object({
  profile: z.string(),
  target: MemoryTarget,
  entries: z.array(z.string()),
  usage: MemoryUsage,
  hash: z.string().describe("of the whole file; empty: nothing is there"),
  last: LastChange.nullable(),
  path: z.string().describe("the file, on the machine of this server"),
});
export type ProfileMemory = Readonly<z.infer<typeof ProfileMemory>>;

const entry = z.string().min(1).max(4_000);

export const AddMemory = z.strictObject({ target: MemoryTarget, text: entry });
/** `old`: the whole entry as it was shown. One that is not there any more is a conflict. */
export const ReplaceMemory = z.strictObject({ target: MemoryTarget, old: entry, text: entry });
export const RemoveMemory = z.strictObject({ target: MemoryTarget, old: entry });

export const ChangedMemory = z.object({
  changed: z.boolean().describe("false: it was so already"),
  was: z.string().nullable().describe("the entry that went or was replaced"),
  memory: ProfileMemory.describe("as it is now"),
});
export type ChangedMemory = Readonly<z.infer<typeof ChangedMemory>>;
