// Lists a directory.
import { z } from "zod";
import { callHost, failed } from "./call-host.ts";
import { leftOutOf, placeOfFolder } from "./outside.ts";
import { defineTool, textOutput } from "./tool.ts";

export const listFilesTool = defineTool({
  name: "list_files",
  description: "List a directory: files with their size in bytes, directories with a slash.",
  input: z.object({
    path: z.string().min(1).max(4_096).optional().describe("A directory; else the workspace"),
    depth: z.int().min(1).max(10).optional().describe("How many levels; 1 if not given"),
    hidden: z.boolean().optional().describe("Also names that begin with a dot"),
  }),
  risk: "read",
  replay: "safe",
  label: ({ path = "." }) => `List ${path}`,
  access: ({ path = "." }) => [{ kind: "read", path }],
  execute: async ({ path = ".", ...input }, context) => {
    const place = placeOfFolder(context.log.workspace, path);
    const { grants, path: folder, shown } = place;
    const leftOut = await leftOutOf(context, place);
    const answer = await callHost(context, {
      tool: "list_files",
      input: { ...input, path: folder, ...leftOut },
      ...(grants && { grants }),
    });
    if (!answer.ok) return failed(answer);
    const { text, file: _file, ...rest } = answer.result;
    const result = { ...rest, file: { path, viewerPath: shown } };
    return { ok: true, result, output: textOutput(String(text)) };
  },
});
