// Every operation of a tool host, by the name that a call frame has. Runners and readers import the types only.
import { unpack } from "../archive/unpack.ts";
import { append } from "../files/append.ts";
import { edit } from "../files/edit.ts";
import { open } from "../files/open.ts";
import { read } from "../files/read.ts";
import { restore } from "../files/restore.ts";
import { wholeText } from "../files/text.ts";
import { view } from "../files/view.ts";
import { write } from "../files/write.ts";
import { git } from "../git/git.ts";
import { browse } from "../listing/browse.ts";
import { find } from "../listing/find.ts";
import { listFiles } from "../listing/list.ts";
import { searchFiles } from "../listing/search.ts";
import { tree } from "../listing/tree.ts";
import { exec } from "../processes/exec.ts";
import { processTool } from "../processes/tool.ts";
import { guard } from "../sandbox/guard.ts";
import type { Tool } from "./tool-call.ts";
import { version } from "./version.ts";

/** What windows need, which only look. */
const READER_TOOLS = { browse, view, find, text: wholeText, git, unpack } as const;
const FILE_TOOLS = {
  ...READER_TOOLS,
  read,
  write,
  edit,
  append,
  search_files: searchFiles,
  list_files: listFiles,
  version,
  tree,
  restore,
  guard,
} as const;
const WORKER_TOOLS = { ...FILE_TOOLS, exec, open, process: processTool } as const;

export type ReaderToolName = keyof typeof READER_TOOLS;
export type ToolName = keyof typeof WORKER_TOOLS;

/** worker: everything. files: no commands. reader: looks and does nothing else. */
export type HostRole = "worker" | "files" | "reader";

/** A host does not do what its role does not have, whatever it is asked. */
export const TOOLS_OF: Readonly<Record<HostRole, { readonly [Name in ToolName]?: Tool }>> = {
  worker: WORKER_TOOLS,
  files: FILE_TOOLS,
  reader: READER_TOOLS,
};

export function isToolName(name: unknown): name is ToolName {
  return typeof name === "string" && Object.hasOwn(WORKER_TOOLS, name);
}
