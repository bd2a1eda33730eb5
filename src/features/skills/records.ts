// The skills of a profile, as the API tells them: written here, or installed from elsewhere by their content's hash.
import { z } from "zod";
import { LastChange } from "../../kernel/api/records/last-change.ts";

const Name = z.string().min(1).max(64);
const Hash = z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in hex");

export const SkillRecord = z.object({
  name: z.string(),
  description: z.string(),
  category: z.string().nullable(),
  problem: z.string().nullable().describe("why it cannot be used"),
  hash: z.string().describe("of all its files"),
  files: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  source: z.string().nullable().describe("its address, where it was installed"),
  installed_hash: z.string().nullable(),
  modified: z.boolean().describe("it is not what was installed any more"),
  last: LastChange.nullable(),
  uses: z.int().nonnegative().describe("how often runs read it"),
  last_used_at: z.number().nullable(),
});
export type SkillRecord = Readonly<z.infer<typeof SkillRecord>>;

export const SkillsView = z.object({
  profile: z.string(),
  skills: z.array(SkillRecord),
  categories: z.array(z.object({ name: z.string(), count: z.int().positive() })),
});
export type SkillsView = Readonly<z.infer<typeof SkillsView>>;

export const SkillDetail = z.object({
  skill: SkillRecord,
  path: z.string().describe("which of its files this is"),
  content: z.string(),
  truncated: z.boolean(),
  files: z.array(z.string()).describe("its other files"),
});
export type SkillDetail = Readonly<z.infer<typeof SkillDetail>>;

export const CreateSkill = z.strictObject({
  name: Name,
  description: z.string().min(1).max(1_024),
  category: z.string().min(1).max(64).optional(),
  content: z.string().min(1).max(65_536),
});
export type CreateSkill = z.infer<typeof CreateSkill>;
/** `content`: the whole SKILL.md. `hash`: of the skill as it was read. */
export const EditSkill = z.strictObject({ content: z.string().min(1).max(65_536), hash: Hash });
export const RemoveSkill = z.strictObject({ hash: Hash });

const folder = { folder: z.string().min(1).max(1_000).optional() }; // which skill, where there are several
export const SkillSource = z.discriminatedUnion("kind", [
  /** A folder, a .tar.gz or a .zip on the server's machine. */
  z.strictObject({ kind: z.literal("path"), path: z.string().min(1).max(4_096), ...folder }),
  /** An archive that was uploaded as an attachment. */
  z.strictObject({ kind: z.literal("upload"), sha256: Hash, ...folder }),
  z.strictObject({
    kind: z.literal("git"),
    url: z.string().min(1).max(2_000),
    ref: z.string().min(1).max(200).optional(),
    ...folder,
  }),
]);
export type SkillSource = z.infer<typeof SkillSource>;

export const InspectSkill = z.strictObject({ source: SkillSource });
/** `hash`: what was inspected. `replaces`: the content of the installed one that goes for it. */
export const InstallSkill = z.strictObject({
  source: SkillSource,
  hash: Hash,
  name: Name.optional(),
  replaces: Hash.optional(),
});
export type InstallSkill = z.infer<typeof InstallSkill>;

export const SkillInspection = z.object({
  source: z.string(),
  folder: z.string().describe("where in the source it lies"),
  name: z.string().nullable().describe("null: give it one to install it"),
  description: z.string(),
  category: z.string().nullable(),
  hash: z.string(),
  bytes: z.int().nonnegative(),
  files: z.array(
    z.object({
      path: z.string(),
      bytes: z.int().nonnegative(),
      script: z.boolean().describe("could be run by somebody who is told to"),
      binary: z.boolean(),
    }),
  ),
  warnings: z.array(z.string()),
  content: z.string().describe("its SKILL.md"),
  installed: SkillRecord.nullable().describe("what has that name here already"),
});
export type SkillInspection = Readonly<z.infer<typeof SkillInspection>>;

export const SessionSkill = z.object({
  name: z.string(),
  description: z.string(),
  category: z.string().nullable(),
  state: z.enum(["loaded", "off", "offered"]),
  missing: z.boolean().describe("the session's profile has it not"),
});
export type SessionSkill = Readonly<z.infer<typeof SessionSkill>>;
export const SessionSkillsView = z.object({
  session_id: z.string(),
  profile: z.string(),
  skills: z.array(SessionSkill),
});
export type SessionSkillsView = Readonly<z.infer<typeof SessionSkillsView>>;
