// What a session is doing or how it ended. Pure.
import type { SessionRecord } from "../../kernel/client/records.ts";
import { IMPORTED } from "../../kernel/events/share-policy.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { RUN_STATUS } from "../session/runs/status-label.ts";

export type Subtitle = {
  readonly status: string; // for styles and tests
  readonly text: string;
  readonly since: number | null; // unix seconds: what still goes on
};

export function subtitleOf(session: SessionRecord): Subtitle {
  const { activity, active_status: active, last_status: last, pending } = session;
  if (session.source === IMPORTED) {
    return { status: "imported", text: "Imported recording", since: null };
  }
  if (pending > 0) {
    return {
      status: "needs-you",
      text: visibleLine(activity?.text ?? "waiting for you"),
      since: activity?.since ?? null,
    };
  }
  if (active === "running" && activity) {
    return { status: "running", text: visibleLine(activity.text), since: activity.since };
  }
  if (active) return { status: active, text: RUN_STATUS[active].label, since: null };
  return {
    status: last ?? "idle",
    text: last ? RUN_STATUS[last].label : "Nothing yet",
    since: null,
  };
}

/** Null for the first seconds. */
export function ago(since: number, nowMs: number): string | null {
  const seconds = Math.floor(nowMs / 1_000 - since);
  if (seconds < 10) return null;
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} m`;
  return seconds < 86_400
    ? `${Math.floor(seconds / 3_600)} h`
    : `${Math.floor(seconds / 86_400)} d`;
}
