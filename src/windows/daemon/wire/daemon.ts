// The daemon window (execution-event-schema, wire-facts 1.4): a session as flat `stream.*` notifications. An event
// becomes at most one frame, and its `eventId` is the session_seq, so a client's watermark is exact. An event that the
// protocol has no name for is not sent; a request always is.
import type { EventHandlers } from "../../../kernel/events/event-table.ts";
import { appendOnly } from "../../../kernel/dialect/append-only.ts";
import { scoped } from "../../../kernel/dialect/call-index.ts";
import {
  dialectTable,
  NOTHING,
  SILENT,
  type UnknownEvent,
} from "../../../kernel/dialect/dialect.ts";
import { DAEMON_METHODS, type DaemonEnvelope } from "./events.ts";
import { humanTable } from "./human.ts";
import { lifecycleTable } from "./lifecycle.ts";
import { planTable } from "./plans.ts";
import {
  emptyDaemonState,
  isSubagents,
  runOf,
  stepOf,
  emit,
  emitCall,
  emitExtension,
  type DaemonState,
} from "./state.ts";
import { own } from "../../../kernel/events/own.ts";
import { preview } from "../../../kernel/dialect/preview.ts";

const MAX_ERROR = 160;
/** Plans have events of their own. A client counts this tool's call twice: when its step ends, and when it ends. */
const PLAN = "plan";

const outputTable = {
  "token.delta": (event, state) => {
    if (isSubagents(state, event)) return NOTHING;
    const { delta } = event.payload;
    return emit(event, "stream.text", { delta, ...stepOf(runOf(state, event)) });
  },

  "reasoning.delta": (event, state) => {
    const { delta, visibility } = event.payload;
    if (visibility === "hidden" || isSubagents(state, event)) return NOTHING;
    return emit(event, "stream.thinking", { delta, ...stepOf(runOf(state, event)) });
  },

  // The first is told when it is planned, so that a request has its call. The others wait until they start,
  // or ask: a client takes what it hears of while another call runs for parallel.
  "tool.intent": (event, state) => {
    if (isSubagents(state, event)) return NOTHING;
    const { call_id, name, label } = event.payload;
    if (name === PLAN) return NOTHING;
    const id = scoped(event, call_id);
    const isFirst = !hasEmittedCall(state, event);
    state.calls[id] = { name, summary: preview(label), emitted: false };
    // The call of a command is planned before its run begins: there is no turn yet to show it in.
    return isFirst && runOf(state, event) ? emitCall(event, state, id) : NOTHING;
  },

  "tool.started": (event, state) => emitCall(event, state, scoped(event, event.payload.call_id)),

  "tool.done": (event, state) => {
    const { call_id, name, ok, status, duration_ms, error } = event.payload;
    const id = scoped(event, call_id);
    const call = own(state.calls, id);
    delete state.calls[id];
    const run = runOf(state, event);
    if (!call || !run) return NOTHING;
    if (!call.emitted) run.tools += 1; // it was refused before it could start
    const why = ok ? {} : { error: preview(error?.message ?? status, MAX_ERROR) };
    const durationMs = Math.round(duration_ms);
    return emit(event, "stream.tool_completed", { id, name, durationMs, isError: !ok, ...why });
  },

  "usage.updated": (event, state) => {
    const { input_tokens, output_tokens } = event.payload;
    state.inputTokens += input_tokens ?? 0;
    state.outputTokens += output_tokens ?? 0;
    return emit(event, "stream.usage", {
      inputTokens: input_tokens ?? 0,
      totalInputTokens: state.inputTokens,
      totalOutputTokens: state.outputTokens,
    });
  },

  compaction: (event, state) => {
    if (isSubagents(state, event)) return NOTHING;
    const { phase, original_tokens, compacted_tokens } = event.payload;
    if (phase === "started") return emit(event, "stream.heartbeat", { phase: "compaction" });
    const tokens = { originalTokens: original_tokens, compactedTokens: compacted_tokens };
    return emit(event, "stream.compaction", { ...tokens, phase });
  },
} satisfies EventHandlers<[state: DaemonState], readonly DaemonEnvelope[]>;

function hasEmittedCall({ calls }: DaemonState, { run_id }: { run_id: string }): boolean {
  return Object.entries(calls).some(([id, { emitted }]) => emitted && id.startsWith(`${run_id}.`));
}

/**
 * An extension is let out under its own name (`x.stream.swarm_started` is `stream.swarm_started`), but
 * never under one that we speak ourselves: nobody else says that a turn began or that something waits.
 */
function foreign(event: UnknownEvent): readonly DaemonEnvelope[] {
  const { type, payload } = event;
  if (!type.startsWith("x.")) return emitExtension(event, `quarterdeck.${type}`, payload);
  const method = type.slice(2);
  return emitExtension(event, Object.hasOwn(DAEMON_METHODS, method) ? type : method, payload);
}

export const daemonDialect = appendOnly<DaemonState, DaemonEnvelope>({
  name: "daemon",
  of: "session",
  frames: "one",
  cursor: ({ eventId }) => eventId,
  begin: emptyDaemonState,
  table: dialectTable<DaemonState, DaemonEnvelope>()({
    ...SILENT, // the protocol has no name for the rest, and none is invented
    ...lifecycleTable,
    ...outputTable,
    ...planTable,
    ...humanTable,
  }),
  unknown: foreign,
  kind: ({ event }) => event.method,
});
