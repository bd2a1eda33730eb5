// Labels and tones of run statuses, the same everywhere.
import type { RunStatus } from "../../../kernel/state/run/status.ts";
import type { Tone } from "../../ui/badge.tsx";

export const RUN_STATUS: Record<RunStatus, { label: string; tone: Tone }> = {
  queued: { label: "Queued", tone: "neutral" },
  running: { label: "Running", tone: "busy" },
  awaiting_approval: { label: "Needs your approval", tone: "warning" },
  awaiting_clarify: { label: "Needs your answer", tone: "warning" },
  paused: { label: "Paused", tone: "warning" },
  cancelling: { label: "Stopping…", tone: "warning" },
  cancelled: { label: "Stopped", tone: "neutral" },
  failed: { label: "Failed", tone: "bad" },
  completed: { label: "Done", tone: "good" },
  expired: { label: "Expired", tone: "bad" },
};
