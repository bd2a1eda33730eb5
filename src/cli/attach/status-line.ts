// The lines under the transcript: where we are, whether what is shown is current, and what keys do.
import { truncateToWidth } from "@earendil-works/pi-tui";
import type { SessionView } from "../../kernel/client/session-store.ts";
import { get } from "../../kernel/state/vector.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { activeRun, pendingOf, type Mode } from "./act.ts";
import { accent, bad, dim, good, warn } from "./style.ts";

const CONNECTION: Record<SessionView["connection"]["state"], string> = {
  connecting: dim("connecting"),
  live: good("● live"),
  reconnecting: warn("◌ reconnecting"),
  offline: bad("○ offline"),
  denied: bad("○ refused"),
};

export function statusLines(view: SessionView, mode: Mode, width: number): string[] {
  const { session, connection } = view;
  const run = activeRun(view);
  const waiting = pendingOf(view).length;
  const parts = [
    CONNECTION[connection.state],
    nameOf(session),
    session.model,
    run ? accent(run.status.replaceAll("_", " ")) : dim("idle"),
    ...(waiting > 0 ? [warn(`${waiting} waiting for you`)] : []),
    ...(session.queue.length > 0 ? [dim(`${session.queue.length} queued`)] : []),
    ...(session.yolo ? [bad("YOLO")] : []),
    ...(run?.sandbox === "none" ? [warn("no sandbox")] : []),
    ...(session.goal?.status === "active" ? [dim("goal")] : []),
  ];
  const lines = [parts.join(dim(" · ")), keys(run !== undefined, mode)];
  return lines.map((line) => truncateToWidth(line, width));
}

/** Its title, or the words it began with. */
function nameOf({ title, sessionId, runs }: SessionView["session"]): string {
  return visibleLine(title || get(runs, 0)?.prompt || sessionId).slice(0, 40);
}

function keys(running: boolean, mode: Mode): string {
  const enter = running
    ? `Enter ${mode === "steer" ? "steers" : "queues"} (Tab) · Esc stops`
    : "Enter sends";
  return dim(`${enter} · /help · Ctrl+C leaves`);
}
