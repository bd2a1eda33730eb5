// The web console's stream: every event of a session in one envelope, `{id, type, session_id, run_id,
// ts, payload}`. What the console's document and its client have a name for is told under that name, in
// the fields of both; everything else keeps its own name, which clients that do not know it pass over.
// An event is told in one frame at most, so `session_seq` says exactly what was seen.
import type { RunEvent } from "../../../kernel/events/events.ts";
import { appendOnly } from "../../../kernel/dialect/append-only.ts";
import { emptyCallIndex, scoped } from "../../../kernel/dialect/call-index.ts";
import { dialectTable } from "../../../kernel/dialect/dialect.ts";
import { emit, type ConsoleFrame, type ConsoleState, type Frames } from "./frame.ts";
import { consoleHuman } from "./human.ts";
import { consoleRuns } from "./runs.ts";
import { consoleTools } from "./tools.ts";

export type { ConsoleFrame, ConsoleState } from "./frame.ts";

/** Unique within their run only; a window shows whole sessions. */
const WITHIN_RUN = ["turn_id", "plan_id", "step_id"] as const;

function asItIs(event: RunEvent, state: ConsoleState): Frames {
  const { call_id, ...rest } = event.payload as Record<string, unknown>;
  const payload = outward(event, rest);
  if (typeof call_id === "string") payload["tool_call_id"] = scoped(event, call_id);
  else if (call_id === null) payload["tool_call_id"] = null;
  const steps = payload["steps"];
  if (Array.isArray(steps)) payload["steps"] = steps.map((step: object) => outward(event, step));
  return emit(state, event, event.type, payload);
}

function outward(event: RunEvent, fields: object): Record<string, unknown> {
  const payload: Record<string, unknown> = { ...fields };
  for (const name of WITHIN_RUN) {
    const id = payload[name];
    if (typeof id === "string") payload[name] = scoped(event, id);
  }
  return payload;
}

export const consoleDialect = appendOnly<ConsoleState, ConsoleFrame>({
  name: "console",
  begin: () => ({ calls: emptyCallIndex(), runs: {}, requests: {} }),
  kind: ({ type }) => type,
  unknown: (event, state) => emit(state, event, event.type, event.payload),
  table: dialectTable<ConsoleState, ConsoleFrame>()({
    ...consoleRuns,
    ...consoleTools,
    ...consoleHuman,
    "session.*": asItIs,
    "title.*": asItIs,
    "message.*": asItIs,
    "run.*": asItIs,
    status: asItIs,
    "turn.*": asItIs,
    progress: asItIs,
    "tool.*": asItIs,
    "todo.*": asItIs,
    "plan.*": asItIs,
    "subagent.*": asItIs,
    compaction: asItIs,
    "usage.*": asItIs,
    "queue.*": asItIs,
    "goal.*": asItIs,
    "checkpoint.*": asItIs,
    "files.*": asItIs,
    "process.*": asItIs,
    received: asItIs,
    recovery: asItIs,
    error: asItIs,
  }),
});
