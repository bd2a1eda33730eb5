// The tools of one run, by name, and how its model is told of them.
import { z } from "zod";
import type { ToolSpec } from "../models/model.ts";
import type { Tool } from "./tool.ts";

export type Toolset = {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly specs: readonly ToolSpec[];
};

export function toolsetOf(tools: readonly Tool[]): Toolset {
  const offered = tools.filter(({ internal }) => !internal);
  return {
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    specs: offered.map(({ name, description, input, inputSchema }) => ({
      name,
      description,
      inputSchema: inputSchema ?? (z.toJSONSchema(input) as Record<string, unknown>),
    })),
  };
}

/** Whether a list names a tool: `mcp__github` names every tool of that server. */
export function namesTool(list: readonly string[], tool: string): boolean {
  return list.some((entry) => entry === tool || tool.startsWith(`${entry}__`));
}

/** What is in both lists, each of which may name whole servers. An empty `own` names everything. */
export function narrowed(own: readonly string[], wanted: readonly string[]): string[] {
  if (own.length === 0) return [...wanted];
  const both = [
    ...wanted.filter((name) => namesTool(own, name)),
    ...own.filter((name) => namesTool(wanted, name)),
  ];
  return [...new Set(both)];
}
