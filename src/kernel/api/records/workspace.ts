// What a window may see of a session's workspace: folders, files by range, and search results.
// All of it is bounded, and the answer says what is left out.
import { z } from "zod";

const WhenChanged = z
  .number()
  .nullable()
  .describe("unix seconds; null: of the past, and not known");
const Relative = z.string().describe("relative to the workspace");

export const WorkspaceEntry = z.object({
  path: Relative,
  kind: z.enum(["folder", "file", "link", "other"]),
  bytes: z.int().nonnegative().nullable().describe("of a file"),
  modified_at: WhenChanged,
});
export type WorkspaceEntry = Readonly<z.infer<typeof WorkspaceEntry>>;

export const FilesView = z.object({
  workspace: z.string().describe("where it is on the machine"),
  path: Relative.describe("the folder; `.` is the workspace itself"),
  depth: z.int().positive(),
  hidden: z.boolean().describe("names that begin with a dot are here too"),
  entries: z.array(WorkspaceEntry),
  truncated: z.boolean().describe("there is more than is listed"),
});
export type FilesView = Readonly<z.infer<typeof FilesView>>;

export const FileView = z.object({
  path: Relative.describe("with links resolved"),
  bytes: z.int().nonnegative(),
  modified_at: WhenChanged,
  version: z.string().describe("changes whenever the file does"),
  binary: z.boolean().describe("it has no text to show"),
  first_line: z.int().positive().describe("number of the first line that is here"),
  lines: z
    .int()
    .nonnegative()
    .describe("how many are here; fewer than asked for when they are long"),
  total_lines: z.int().nonnegative().nullable().describe("null: too large to be counted"),
  text: z.string().describe("the lines, with a line break between them"),
  cut_lines: z.array(z.int().positive()).describe("lines of which only the beginning is here"),
});
export type FileView = Readonly<z.infer<typeof FileView>>;

export const FoundLine = z.object({ path: Relative, line: z.int().positive(), text: z.string() });
export type FoundLine = Readonly<z.infer<typeof FoundLine>>;

export const FindView = z.object({
  names: z.array(z.object({ path: Relative, kind: WorkspaceEntry.shape.kind })),
  names_truncated: z.boolean(),
  hits: z.array(FoundLine),
  hits_truncated: z.boolean().describe("there are more lines than are listed"),
});
export type FindView = Readonly<z.infer<typeof FindView>>;

/** A complete text for an editor: exactly the file's content. */
export const FileText = z.object({
  path: Relative.describe("with links resolved"),
  bytes: z.int().nonnegative(),
  sha256: z.string().describe("to be sent back as `expect` when it is saved"),
  text: z.string(),
});
export type FileText = Readonly<z.infer<typeof FileText>>;
