// Common requests of tests about runs, through the API and the fold.
import { readdirSync, readFileSync } from "node:fs";
import type { EventType, EventOf, RunEvent } from "../../src/kernel/events/events.ts";
import { applyEvent, emptyRun } from "../../src/kernel/state/run/state.ts";
import { toArray } from "../../src/kernel/state/vector.ts";
import { call, type Server } from "./http.ts";
import { until } from "./until.ts";

export type RunInfo = {
  status: string;
  seq: number;
  runner_id: string | null;
  pending_approval_id: string | null;
  pending_clarify_id: string | null;
};

export async function runInfo(server: Server, runId: string): Promise<RunInfo> {
  return (await call<RunInfo>(server, "GET", `/api/runs/${runId}`)).body.data;
}

/** Waits for the run's approval request and allows it once. */
export async function approve(server: Server, runId: string): Promise<void> {
  const id = await until(
    async () => (await runInfo(server, runId)).pending_approval_id,
    "an approval request",
  );
  await call(server, "POST", `/api/runs/${runId}/approvals/${id}`, { choice: "once" });
}

/** Waits for the run's question (an unknown outcome is one too) and answers it. */
export async function answerQuestion(server: Server, runId: string, response: string) {
  const id = await until(
    async () => (await runInfo(server, runId)).pending_clarify_id,
    "a question",
  );
  return call(server, "POST", `/api/runs/${runId}/clarifications/${id}`, { response });
}

/** The run's final text, without superseded steps. */
export function answerOf(events: readonly RunEvent[]): string[] {
  return toArray(events.reduce(applyEvent, emptyRun(events[0]?.run_id ?? "")).items)
    .filter((item) => item.kind === "text" && !item.superseded)
    .map((item) => (item.kind === "text" ? item.text.trim() : ""));
}

export function eventsOf<Type extends EventType>(events: readonly RunEvent[], type: Type) {
  return events.filter((event): event is EventOf<Type> & RunEvent => event.type === type);
}

export function countTo(last: number): string {
  return Array.from({ length: last }, (_, index) => index + 1).join(" ");
}

/** The file's text; empty when there is none. */
export function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Processes with this word on their command line, wherever they run: a sandbox has pids of its own. */
export function processesWith(word: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && textOf(`/proc/${name}/cmdline`).includes(word))
    .map(Number);
}

/** Ignores zombies, whose parent may be slow or stopped. */
export function isRunning(pid: number): boolean {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat !== "" && !stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
}
