// Which content the files have that a command would execute. What is approved is the command with
// these contents: they are part of the plan, and the tool host compares them again before it starts.
import { planHash } from "../../journal/admit/plan-hash.ts";
import type { OpenTool } from "../../state/run/items.ts";
import { accessesOf } from "./approvals.ts";
import { HostRefused, versionsOf, type FileAccess } from "../checkpoints/file-versions.ts";
import { inspectCommand, OUTSIDE } from "./inspect-command.ts";
import { contentOf } from "../../workspace/host/version.ts";
import { placeOfFile } from "../tools/outside.ts";
import type { Tool } from "../tools/tool.ts";

/** The call with the contents in its plan; the same call if its command executes no file. */
export async function withExecutedFiles(
  access: FileAccess,
  item: OpenTool,
  tool: Tool,
): Promise<OpenTool> {
  const { workspace } = access.log;
  const executes = (accessesOf(item, tool) ?? []).flatMap((reached) =>
    reached.kind === "execute" ? inspectCommand(reached, workspace).executes : [],
  );
  if (executes.length === 0) return item;
  const inside = executes
    .map((path) => placeOfFile(workspace, path))
    .filter(({ grants }) => grants === undefined);
  const versions = await versionsOf(access, inside).catch((error: unknown) => {
    if (error instanceof HostRefused) return undefined;
    throw error;
  });
  if (!versions) return item; // no rule covers it then, and the host will say what is wrong
  const found = new Map(inside.map(({ shown }, index) => [shown, versions[index]]));
  const contents = executes.map((path) => {
    const version = found.get(path);
    return [path, version ? contentOf(version) : OUTSIDE] as const;
  });
  const plan = { ...item.plan, files: Object.fromEntries(contents) };
  return { ...item, plan, planHash: planHash(plan) };
}
