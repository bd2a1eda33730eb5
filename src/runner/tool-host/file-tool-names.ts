// The operations on files, by name: for the frames (frames.ts) and the table (file-tools.ts).

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
] as const;
export type FileToolName = (typeof FILE_TOOL_NAMES)[number];
