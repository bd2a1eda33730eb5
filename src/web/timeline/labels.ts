// Labels of spans.
import type { Lane, Span, SpanStatus } from "../../kernel/state/timeline/timeline.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { duration } from "../text/format.ts";
import type { Tone } from "../ui/badge.tsx";
import type { PathLane } from "./critical-path.ts";
import { endOfSpan } from "./family.ts";

export const LANE: Record<Lane | PathLane, string> = {
  plan: "Plan",
  queue: "Queue",
  model: "Model",
  tools: "Tools",
  person: "Waiting for you",
  between: "Other",
};

const STATUS: Record<SpanStatus, { label: string; tone: Tone }> = {
  running: { label: "Running", tone: "busy" },
  done: { label: "Done", tone: "good" },
  failed: { label: "Failed", tone: "bad" },
  denied: { label: "Denied", tone: "bad" },
  cancelled: { label: "Stopped", tone: "neutral" },
  superseded: { label: "Interrupted", tone: "warning" },
  unknown: { label: "Outcome unknown", tone: "warning" },
};

export function statusOf({ status, lane }: Span): { label: string; tone: Tone } {
  if (lane === "person" && status === "done") return { label: "Answered", tone: "good" };
  if (lane === "person" && status === "running") return { label: "Waiting", tone: "warning" };
  if (lane === "queue" && status === "running") return { label: "Waiting", tone: "neutral" };
  return STATUS[status];
}

export const nameOf = ({ label }: Span): string => visibleLine(label) || "Unnamed";

/** `now`: the end of what is still running. */
export function took(span: Span, now: number): string {
  return duration((endOfSpan(span, now) - span.startedAt) * 1_000);
}

/** For screen readers. What is running has no duration yet. */
export function describe(span: Span): string {
  const time = span.endedAt === null ? "" : `, ${took(span, span.endedAt)}`;
  return `${nameOf(span)}, ${LANE[span.lane]}${time}, ${statusOf(span).label}`;
}

/** With milliseconds. */
export function clockTime(at: number): string {
  return new Date(at * 1_000).toLocaleTimeString(undefined, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
  });
}

/** Since the start, as on the ruler. */
export function offset(seconds: number): string {
  if (seconds === 0) return "0";
  if (seconds < 1) return `${Number((seconds * 1_000).toPrecision(6))} ms`;
  if (seconds < 60) return `${Number(seconds.toFixed(3))} s`;
  const whole = Math.round(seconds * 1_000) / 1_000;
  const hours = Math.floor(whole / 3_600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = (whole % 60).toFixed(3).replace(/\.?0+$/, "");
  const [units = "0", part] = rest.split(".");
  const tail = `${units.padStart(2, "0")}${part ? `.${part}` : ""}`;
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}
