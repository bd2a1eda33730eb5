// A run's life as data: which status may follow which, and what a person can do in each.
// Free of schemas, so that reducers in a browser stay small.

export const RUN_STATUSES = [
  "queued",
  "running",
  "awaiting_approval",
  "awaiting_clarify",
  "paused",
  "cancelling",
  "cancelled",
  "failed",
  "completed",
  "expired",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The eight controls of the run contract, by the name of the adapter method without its noun. */
export const CONTROLS = [
  "start",
  "observe",
  "status",
  "cancel",
  "approval",
  "clarify",
  "queue",
  "goal",
] as const;
export type Control = (typeof CONTROLS)[number];

const NEXT: Record<RunStatus, readonly RunStatus[]> = {
  queued: ["running", "cancelling", "cancelled", "failed", "expired"],
  running: [
    "awaiting_approval",
    "awaiting_clarify",
    "paused",
    "cancelling",
    "cancelled",
    "failed",
    "completed",
    "expired",
  ],
  awaiting_approval: ["running", "awaiting_clarify", "cancelling", "failed", "expired"],
  awaiting_clarify: ["running", "awaiting_approval", "cancelling", "failed", "expired"],
  paused: ["running", "cancelling", "failed", "expired"],
  cancelling: ["cancelled", "failed"],
  cancelled: [],
  failed: [],
  completed: [],
  expired: [],
};

const ALWAYS: readonly Control[] = ["observe", "status", "goal"];
const LIVE: readonly Control[] = [...ALWAYS, "cancel", "queue"];
const AVAILABLE: Record<RunStatus, readonly Control[]> = {
  queued: LIVE,
  running: LIVE,
  awaiting_approval: [...LIVE, "approval"],
  awaiting_clarify: [...LIVE, "clarify"],
  paused: LIVE,
  cancelling: ALWAYS,
  cancelled: [...ALWAYS, "start"],
  failed: [...ALWAYS, "start"],
  completed: [...ALWAYS, "start"],
  expired: [...ALWAYS, "start"],
};

export function canBecome(from: RunStatus, to: RunStatus): boolean {
  return NEXT[from].includes(to);
}

export function isTerminal(status: RunStatus): boolean {
  return NEXT[status].length === 0;
}

export function controlsIn(status: RunStatus): Control[] {
  return [...AVAILABLE[status]];
}
