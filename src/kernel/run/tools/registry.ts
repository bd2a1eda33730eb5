// Every tool of our own that needs nothing but the run and its tool host. Adding one: a file beside
// this one, and a line here.
import { appendTool } from "./append.ts";
import { clarifyTool } from "./clarify.ts";
import { editTool } from "./edit.ts";
import { execTool } from "./exec.ts";
import { planTool, todoTool } from "./planning.ts";
import { processTool } from "./process.ts";
import { listFilesTool } from "./list-files.ts";
import { readTool } from "./read.ts";
import { rollbackTool } from "./rollback.ts";
import { saveTool } from "./save.ts";
import { searchFilesTool } from "./search-files.ts";
import type { Tool } from "./tool.ts";
import { writeTool } from "./write.ts";

export const BUILT_IN: readonly Tool[] = [
  readTool,
  writeTool,
  editTool,
  appendTool,
  searchFilesTool,
  listFilesTool,
  rollbackTool,
  saveTool,
  execTool,
  processTool,
  clarifyTool,
  planTool,
  todoTool,
];
