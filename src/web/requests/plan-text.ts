// A plan as editable text. Invisible characters are escaped, because the edited text is what runs.
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { visibleJson, visibleText } from "../../kernel/text/visible-text.ts";
import { textArgument } from "../../kernel/state/tools/arguments.ts";

/** The command alone if it is the only argument; otherwise all arguments. */
export function planText(tool: ToolItem): string {
  const command = textArgument(tool, "command");
  const { arguments: given } = tool.plan;
  const only = typeof given === "object" && given !== null && Object.keys(given).length === 1;
  return command !== null && only ? command : JSON.stringify(given, null, 2);
}

export type Editable = { readonly as: "command" | "json"; readonly text: string };

/** A command is edited as it is, unless it has invisible characters. */
export function editable(tool: ToolItem): Editable {
  const command = textArgument(tool, "command");
  if (command !== null && visibleText(command) === command) return { as: "command", text: command };
  return { as: "json", text: visibleJson(tool.plan.arguments) };
}

export type Edited =
  | { readonly ok: true; readonly arguments: Json }
  | { readonly ok: false; readonly problem: string };
type Json = ToolItem["plan"]["arguments"];

export function edited(tool: ToolItem, { as, text }: Editable): Edited {
  if (as === "command") {
    if (text.trim() === "") return { ok: false, problem: "There is no command." };
    return { ok: true, arguments: { ...(tool.plan.arguments as object), command: text } };
  }
  try {
    return { ok: true, arguments: JSON.parse(text) as Json };
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    return { ok: false, problem: `This is not JSON: ${why}.` };
  }
}
