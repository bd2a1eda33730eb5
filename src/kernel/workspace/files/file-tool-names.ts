// The names of file operations, for the frames (frames.ts) and the table (file-tools.ts).

export const FILE_TOOL_NAMES = [
  "read",
  "write",
  "edit",
  "append",
  "search_files",
  "list_files",
  "version",
  "tree",
  "restore",
  "guard",
  "browse",
  "view",
  "find",
  "text",
  "git",
  "unpack",
] as const;
export type FileToolName = (typeof FILE_TOOL_NAMES)[number];

/** All that a host in the role of a reader does: for windows, which only look. */
export const READER_TOOL_NAMES = [
  "browse",
  "view",
  "find",
  "text",
  "git",
  "unpack",
] as const satisfies FileToolName[];
