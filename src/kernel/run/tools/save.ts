// Puts a person's own content into a file. Never a model's call: the content was stored when the person
// saved, and is written only if the file is still the one they looked at.
import { buffer } from "node:stream/consumers";
import { z } from "zod";
import { ask, HostRefused, versionsOf, type Versioned } from "../checkpoints/file-versions.ts";
import type { Conflict } from "../../workspace/files/restore.ts";
import { checkChange } from "./files/check.ts";
import { fileMeta } from "./files/result.ts";
import { placeOfFile } from "./outside.ts";
import { defineTool, failure, OutcomeUnknown, type ToolContext, type ToolResult } from "./tool.ts";

/** As `kernel/journal/admit/manual-commands.ts` admits it. Without `expect` whatever is there is replaced. */
const SaveInput = z.object({
  path: z.string(),
  sha256: z.string(),
  bytes: z.int().nonnegative(),
  expect: z.string().nullable().optional(),
});
type SaveInput = z.infer<typeof SaveInput>;

const MODE = 0o644;
const WHOLE = { startLine: 1, endLine: 1 };

export const saveTool = defineTool<SaveInput>({
  name: "save",
  description: "Save a person's own content in a file.",
  input: SaveInput,
  risk: "write",
  replay: "ask",
  inOrder: true,
  internal: true,
  label: ({ path }) => `Save ${path}`,
  access: ({ path }) => [{ kind: "write", path }],
  touches: ({ path }) => [path],
  execute: async (input, context) => {
    const place = placeOfFile(context.log.workspace, input.path);
    if (place.grants)
      return failure("outside_workspace", `${input.path} is outside the workspace.`);
    const [now] = await versionsOf(context, [place]);
    if (!now) return failure("io", "The file could not be looked at.");
    if (now.problem !== undefined) return failure(now.problem, WHY[now.problem] ?? now.problem);
    const found = now.version?.sha256 ?? null;
    // What is there already was saved before, or is what somebody else meant too.
    if (input.expect !== undefined && input.expect !== found && found !== input.sha256) {
      return changedSince(found);
    }
    return put(input, now, context);
  },
  check: async ({ path, sha256, bytes }, context) =>
    checkChange(context, path, async () => ({ sha256, bytes, area: WHOLE })),
});

const WHY: Readonly<Record<string, string>> = {
  is_directory: "There is a folder of that name.",
  not_regular: "It is no regular file.",
  outside_workspace: "It leads out of the workspace.",
  protected: "Quarterdeck's own files are not for tools.",
};

async function put(input: SaveInput, now: Versioned, context: ToolContext): Promise<ToolResult> {
  const { path, sha256, bytes } = input;
  const content = await buffer(context.log.journal.blobs.read(sha256));
  const file = {
    path: now.path,
    expect: now.version?.sha256 ?? null,
    mode: now.version?.mode ?? MODE,
    to: content.toString("base64"),
  };
  const answer = await asked(context, { files: [file] });
  const [conflict] = answer["conflicts"] as Conflict[];
  if (conflict) {
    const [after] = await versionsOf(context, [now.place]);
    return changedSince(after?.version?.sha256 ?? null, conflict.reason);
  }
  const created = now.version === null;
  return {
    ok: true,
    result: { ok: true, file: fileMeta(context.log.workspace, path), bytes, sha256, created },
  };
}

async function asked(context: ToolContext, input: object) {
  try {
    return await ask(context, { tool: "restore", input, grants: undefined });
  } catch (error) {
    if (error instanceof HostRefused && error.code === "host_died") {
      throw new OutcomeUnknown(error.message);
    }
    throw error;
  }
}

function changedSince(found: string | null, reason = "changed_since"): ToolResult {
  const message = "The file was changed meanwhile. Nothing was saved.";
  return {
    ok: false,
    result: { ok: false, reason, found },
    error: { code: "conflict", message },
  };
}
