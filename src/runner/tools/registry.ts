// Every tool a model may call. Adding one: a file beside this one, and a line here.
import { z } from "zod";
import type { ToolSpec } from "../models/model.ts";
import { clarifyTool } from "./clarify.ts";
import { delegateTool } from "./delegate.ts";
import { execTool, readTool, writeTool } from "./host-tools.ts";
import { planTool, todoTool } from "./planning.ts";
import type { Tool } from "./tool.ts";

const ALL = [readTool, writeTool, execTool, clarifyTool, planTool, todoTool, delegateTool];

export const TOOLS: ReadonlyMap<string, Tool> = new Map(ALL.map((tool) => [tool.name, tool]));

export const TOOL_SPECS: readonly ToolSpec[] = ALL.map(({ name, description, input }) => ({
  name,
  description,
  inputSchema: z.toJSONSchema(input) as Record<string, unknown>,
}));
