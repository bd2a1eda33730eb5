// Finds lines in files by a pattern.
import { z } from "zod";
import { callHost, failed } from "./call-host.ts";
import { leftOutOf, placeOfFolder } from "./outside.ts";
import { defineTool, textOutput } from "./tool.ts";

export const searchFilesTool = defineTool({
  name: "search_files",
  description:
    "Find lines in text files, as path:line: text. Leaves out what .gitignore names, .git and " +
    "node_modules, and files over 64 MB.",
  input: z.object({
    pattern: z.string().min(1).max(1_000).describe("A regular expression, unless literal"),
    literal: z.boolean().optional().describe("The pattern is plain text"),
    ignore_case: z.boolean().optional(),
    path: z.string().min(1).max(4_096).optional().describe("A directory; else the workspace"),
    glob: z.string().min(1).max(500).optional().describe("Only such files, e.g. *.ts or src/**"),
    max_results: z.int().min(1).max(1_000).optional().describe("100 if not given"),
  }),
  risk: "read",
  replay: "safe",
  label: ({ pattern }) => `Search “${pattern}”`,
  access: ({ path = "." }) => [{ kind: "read", path }],
  execute: async ({ path = ".", ...input }, context) => {
    const place = placeOfFolder(context.log.workspace, path);
    const { grants, path: folder, shown } = place;
    const leftOut = await leftOutOf(context, place);
    const ripgrep = await ripgrepPath();
    const answer = await callHost(context, {
      tool: "search_files",
      input: { ...input, path: folder, ...leftOut, ...(ripgrep !== undefined && { ripgrep }) },
      ...(grants && { grants }),
    });
    if (!answer.ok) return failed(answer);
    const { text, file: _file, ...rest } = answer.result;
    const result = { ...rest, file: { path, viewerPath: shown } };
    return { ok: true, result, output: textOutput(String(text)) };
  },
});

/** Undefined where the package has no binary for this machine: then the host searches by itself. */
export async function ripgrepPath(): Promise<string | undefined> {
  return import("@vscode/ripgrep").then(
    ({ rgPath }) => rgPath,
    () => undefined,
  );
}
