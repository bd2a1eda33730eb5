// Labels of call statuses, shared by chat and tree.
import type { ToolStatus } from "../../kernel/state/run/items.ts";
import type { Tone } from "../ui/badge.tsx";

export const TOOL_STATE: Record<ToolStatus, { label: string; tone: Tone }> = {
  planned: { label: "Planned", tone: "neutral" },
  awaiting_approval: { label: "Needs approval", tone: "warning" },
  awaiting_clarify: { label: "Needs an answer", tone: "warning" },
  running: { label: "Running", tone: "busy" },
  outcome_unknown: { label: "Outcome unknown", tone: "warning" },
  completed: { label: "Done", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
  denied: { label: "Denied", tone: "bad" },
  skipped: { label: "Skipped", tone: "neutral" },
  cancelled: { label: "Stopped", tone: "neutral" },
  marked_done: { label: "Marked done", tone: "good" },
};
