// Every operation on files, by name.
import { append } from "./append.ts";
import { browse } from "../listing/browse.ts";
import { edit } from "./edit.ts";
import type { FileToolName } from "./file-tool-names.ts";
import { find } from "../listing/find.ts";
import { git } from "../git/git.ts";
import { guard } from "../sandbox/guard.ts";
import { listFiles } from "../listing/list.ts";
import { read } from "./read.ts";
import { restore } from "./restore.ts";
import { searchFiles } from "../listing/search.ts";
import type { Tool } from "../host/tool-call.ts";
import { wholeText } from "./text.ts";
import { tree } from "../listing/tree.ts";
import { unpack } from "../archive/unpack.ts";
import { version } from "../host/version.ts";
import { view } from "./view.ts";
import { write } from "./write.ts";

export const FILE_TOOLS: Record<FileToolName, Tool> = {
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
  browse,
  view,
  find,
  text: wholeText,
  git,
  unpack,
};
