// The groups of events that a reader filters by. A group is chosen per family; a type from a newer build is in the group
// of its family, or in “Other”.
import type { EventFamily } from "../../kernel/events/event-table.ts";
import type { EventType } from "../../kernel/events/events.ts";
import { own } from "../../kernel/events/own.ts";

export const GROUP_LABEL = {
  run: "Runs and turns",
  words: "Words",
  tools: "Tools",
  people: "People",
  plans: "Plans and subagents",
  files: "Files",
  usage: "Usage",
  problems: "Problems",
  other: "Other",
} as const;
export type EventGroup = keyof typeof GROUP_LABEL;
export const GROUPS = Object.keys(GROUP_LABEL) as EventGroup[];

const OF_FAMILY: Record<EventFamily, EventGroup> = {
  session: "run",
  title: "run",
  message: "people",
  run: "run",
  status: "run",
  turn: "run",
  token: "words",
  reasoning: "words",
  progress: "words",
  tool: "tools",
  approval: "people",
  clarify: "people",
  todo: "plans",
  plan: "plans",
  subagent: "plans",
  compaction: "usage",
  usage: "usage",
  queue: "people",
  goal: "people",
  checkpoint: "files",
  files: "files",
  process: "tools",
  received: "people",
  recovery: "problems",
  error: "problems",
  done: "run",
};
/** Events that belong elsewhere than the rest of their family. */
const EXCEPTIONS: { readonly [Type in EventType]?: EventGroup } = {
  "message.completed": "words",
  "turn.superseded": "problems",
  "tool.outcome_unknown": "problems",
  "goal.decided": "run",
};

export function groupOf(type: string): EventGroup {
  const [family = ""] = type.split(".");
  return own(EXCEPTIONS, type) ?? own(OF_FAMILY, family) ?? "other";
}
