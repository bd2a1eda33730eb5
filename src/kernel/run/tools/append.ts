// Adds text at the end of a file.
import { z } from "zod";
import { countLines } from "../../workspace/files/count-lines.ts";
import { checkChange, contentOf, sha256Of } from "./files/check.ts";
import { callFileHost, fileResult } from "./files/result.ts";
import { defineTool } from "./tool.ts";

export const appendTool = defineTool({
  name: "append",
  description: "Add text at the end of a file; makes the file if there is none.",
  input: z.object({
    path: z.string().min(1).max(4_096).describe("Relative to the workspace"),
    content: z.string().min(1).max(524_288).describe("Begin with a newline where one is needed"),
  }),
  risk: "write",
  replay: "ask",
  inOrder: true,
  label: ({ path }) => `Append ${path}`,
  access: ({ path }) => [{ kind: "write", path }],
  touches: ({ path }) => [path],
  execute: async (input, context) => {
    const answer = await callFileHost(context, { tool: "append", input });
    const { text: _text, ...result } = fileResult(context, input.path, answer);
    return result;
  },
  check: async ({ path, content }, context) =>
    checkChange(context, path, async (before) => {
      if (before === undefined) return undefined;
      const old = await contentOf(context, before);
      const all = Buffer.concat([old, Buffer.from(content)]);
      const endLine = countLines(all.toString("latin1"));
      const startLine = Math.min(countLines(old.toString("latin1")) + 1, Math.max(endLine, 1));
      const bytes = Buffer.byteLength(content);
      return { sha256: sha256Of(all), area: { startLine, endLine }, bytes };
    }),
});
