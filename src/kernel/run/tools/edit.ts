// Replaces an exact text in a file.
import { z } from "zod";
import { replaceText } from "../../workspace/files/replace-text.ts";
import { checkChange, contentOf, sha256Of } from "./files/check.ts";
import { callFileHost, fileResult } from "./files/result.ts";
import { defineTool } from "./tool.ts";

export const editTool = defineTool({
  name: "edit",
  description:
    "Replace a text in a file by another. The old text must be exact, and must occur exactly once " +
    "unless replace_all is set.",
  input: z.object({
    path: z.string().min(1).max(4_096).describe("Relative to the workspace"),
    old_text: z.string().min(1).max(262_144).describe("Exactly as in the file, spaces included"),
    new_text: z.string().max(262_144),
    replace_all: z.boolean().optional().describe("Every occurrence"),
  }),
  risk: "write",
  replay: "ask",
  inOrder: true,
  label: ({ path }) => `Edit ${path}`,
  access: ({ path }) => [{ kind: "write", path }],
  touches: ({ path }) => [path],
  execute: async (input, context) => {
    const answer = await callFileHost(context, { tool: "edit", input });
    const { text: _text, ...result } = fileResult(context, input.path, answer);
    return result;
  },
  check: async (
    { path, old_text: oldText, new_text: newText, replace_all: all = false },
    context,
  ) =>
    checkChange(context, path, async (before) => {
      if (!before) return undefined;
      const made = replaceText(await contentOf(context, before), { oldText, newText, all });
      return made.ok ? { sha256: sha256Of(made.content), area: made.area } : undefined;
    }),
});
