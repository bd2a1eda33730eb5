// A session or a run as one file. Its plain form is lines of JSON: the manifest, the events as they were stored
// (or `redacted`), the contents they name, and a digest of all that. The page form has the same lines, packed.
import { z } from "zod";
import { RunId, SessionId } from "./ids.ts";
import { SHARE_PARTS, SHARE_POLICIES } from "./share-policy.ts";

const Time = z.number().min(0).max(1e11); // unix seconds, and a day that every window can write
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, "64 hexadecimal digits");

export const RecordingManifest = z.object({
  quarterdeck: z.literal("recording"),
  version: z.int().positive(),
  protocol: z.int().positive(),
  program: z.string().max(64),
  kind: z.enum(["session", "run"]),
  session_id: SessionId,
  run_id: RunId.nullable().describe("of a run's file: the run it is about"),
  title: z.string().max(1_000),
  created_at: Time,
  exported_at: Time,
  exported_by: z.string().max(200),
  policy: z.enum(SHARE_POLICIES),
  without: z.array(z.enum(SHARE_PARTS)).max(SHARE_PARTS.length),
  events: z.int().nonnegative(),
  verified: z.int().nonnegative().describe("events whose bytes are as they were stored"),
  redacted: z.int().nonnegative().describe("events of which something was taken out"),
  contents: z.int().nonnegative().describe("how many contents are in the file"),
  missing: z
    .object({
      large: z.int().nonnegative(),
      secret: z.int().nonnegative(),
      gone: z.int().nonnegative(),
      policy: z.int().nonnegative(),
    })
    .describe("contents that are not in the file, by why"),
});
export type RecordingManifest = Readonly<z.infer<typeof RecordingManifest>>;

/** A content that events name. */
export const RecordingContent = z.object({
  content: z.strictObject({ sha256: Sha256, bytes: z.int().nonnegative(), base64: z.string() }),
});
export type RecordingContent = Readonly<z.infer<typeof RecordingContent>>;

/** The last line. */
export const RecordingEnd = z.object({
  end: z.strictObject({
    lines: z.int().nonnegative(),
    sha256: Sha256.describe("of all lines between the manifest and this one, line breaks included"),
  }),
});

/** What an imported session keeps of the file it came from. Written by the journal, of a manifest that was checked. */
export const ImportedFrom = z.object({
  kind: z.enum(["session", "run"]),
  session_id: z.string().describe("what it was called where it was recorded"),
  run_id: z.string().nullable(),
  recording: z.string().describe("SHA-256 of the blob that has the lines"),
  digest: z.string().describe("the same for the same events and contents"),
  bytes: z.int().nonnegative(),
  events: z.int().nonnegative(),
  exported_at: z.number(),
  exported_by: z.string(),
  policy: z.enum(SHARE_POLICIES),
});
export type ImportedFrom = Readonly<z.infer<typeof ImportedFrom>>;
