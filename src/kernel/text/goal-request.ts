// Parses a typed goal command, and describes its result.
import type { UpdateGoal } from "../events/commands.ts";
import { own } from "../events/own.ts";

export type GoalRequest = { readonly action: UpdateGoal["action"]; readonly text?: string };
type Typed = {
  readonly action?: GoalRequest["action"] | null | undefined;
  readonly args?: string | null | undefined;
  readonly text?: string | null | undefined;
};

const WORDS: Readonly<Record<string, GoalRequest["action"]>> = {
  "": "status",
  status: "status",
  pause: "pause",
  resume: "resume",
  clear: "clear",
  stop: "clear",
  done: "clear",
};

/** The typed text decides; `action` only says what text without a verb means. */
export function goalRequest({ action, args, text }: Typed): GoalRequest {
  const typed = (args ?? text ?? "").trim();
  if (action !== null && action !== undefined && action !== "set" && action !== "edit") {
    return { action };
  }
  const [, verb, rest] = /^(set|edit)\s+(.+)$/is.exec(typed) ?? [];
  if (verb !== undefined && rest !== undefined) {
    return { action: verb.toLowerCase() as "set" | "edit", text: rest.trim() };
  }
  const lower = typed.toLowerCase();
  const command = own(WORDS, lower);
  if (!action && command) return { action: command };
  return { action: action ?? "set", ...(typed !== "" && { text: typed }) };
}

const SAYS: Record<GoalRequest["action"], (goal: string) => string> = {
  set: (goal) => `Goal set: ${goal}`,
  edit: (goal) => `Goal changed: ${goal}`,
  pause: (goal) => `Goal paused: ${goal}`,
  resume: (goal) => `Goal resumed: ${goal}`,
  clear: () => "Goal cleared.",
  status: (goal) => `Goal: ${goal}`,
};

/** Describes a successful goal command; `goal` is the new state. */
export function goalSays(action: GoalRequest["action"], goal: string | null): string {
  return goal === null && action !== "clear" ? "No goal is set." : SAYS[action](goal ?? "");
}
