// Reads a page of a text file.
import { z } from "zod";
import { callFileHost, fileResult } from "./files/result.ts";
import { defineTool, textOutput } from "./tool.ts";

export const readTool = defineTool({
  name: "read",
  description: "Read lines of a text file.",
  input: z.object({
    path: z.string().min(1).max(4_096).describe("Relative to the workspace"),
    offset: z.int().min(1).optional().describe("First line, counting from 1"),
    limit: z.int().min(1).max(2_000).optional().describe("How many lines; 500 if not given"),
  }),
  risk: "read",
  replay: "safe",
  label: ({ path, offset, limit }) =>
    offset === undefined ? `Read ${path}` : `Read ${path}:${offset}–${offset + (limit ?? 500) - 1}`,
  access: ({ path }) => [{ kind: "read", path }],
  execute: async (input, context) => {
    const answer = await callFileHost(context, { tool: "read", input });
    const { text, ...result } = fileResult(context, input.path, answer);
    return { ...result, output: textOutput(text) };
  },
});
