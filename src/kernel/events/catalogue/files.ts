// What tools did to files. `checkpoint.created` is durable before a tool may change anything,
// `files.changed` says what it changed: together they are the way back.
import { z } from "zod";
import { defineEvent } from "../event.ts";

/** A file as it was. The content is the blob of that name. */
export const FileVersion = z.object({
  sha256: z.string(),
  bytes: z.int().nonnegative(),
  mode: z.int().nonnegative(),
});
export type FileVersion = z.infer<typeof FileVersion>;

export const FileChange = z.object({
  path: z.string(), // relative to the workspace; absolute when outside
  before: FileVersion.nullable(), // null: there was no file
  after: FileVersion.nullable(), // null: there is none any more
});
export type FileChange = z.infer<typeof FileChange>;

export const FILE_EVENTS = [
  /**
   * `files`: the files a call names, as they are before it. `manifest`: for a command, the blob with
   * every file of the workspace, `{complete, files: [path, sha256 | null, bytes, mode][]}`; a null hash: it is
   * there and was not kept. `truncated`: not everything fitted.
   */
  defineEvent(
    "checkpoint.created",
    {
      checkpoint_id: z.string(),
      call_id: z.string().nullable(),
      label: z.string(),
      paths: z.array(z.string()),
      files: z.array(z.object({ path: z.string(), version: FileVersion.nullable() })),
      manifest: z.string().nullable(),
      truncated: z.boolean(),
    },
    { share: "all", search: false, work: "none" },
  ),
  defineEvent(
    "files.changed",
    {
      call_id: z.string(),
      checkpoint_id: z.string(),
      changes: z.array(FileChange),
      truncated: z.boolean(), // there were more than are listed
    },
    { share: "all", search: true, work: "none" },
  ),
] as const;
