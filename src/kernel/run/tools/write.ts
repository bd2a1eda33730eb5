// Replaces a file as a whole. After a crash it can be told whether it happened: by the content.
import { z } from "zod";
import { countLines } from "../../workspace/files/count-lines.ts";
import { checkChange, sha256Of } from "./files/check.ts";
import { callFileHost, fileResult } from "./files/result.ts";
import { defineTool } from "./tool.ts";

export const writeTool = defineTool({
  name: "write",
  description: "Create a text file, or replace it as a whole.",
  input: z.object({
    path: z.string().min(1).max(4_096).describe("Relative to the workspace"),
    content: z.string().max(524_288).describe("The whole new content of the file"),
  }),
  risk: "write",
  replay: "ask",
  inOrder: true,
  label: ({ path }) => `Write ${path}`,
  access: ({ path }) => [{ kind: "write", path }],
  touches: ({ path }) => [path],
  execute: async (input, context) => {
    const answer = await callFileHost(context, { tool: "write", input });
    const { text: _text, ...result } = fileResult(context, input.path, answer);
    return result;
  },
  check: async ({ path, content }, context) =>
    checkChange(context, path, async () => ({
      sha256: sha256Of(content),
      area: { startLine: 1, endLine: countLines(content) },
      bytes: Buffer.byteLength(content),
    })),
});
