// The browser's run stream of the run contract: named events with the payloads that its clients read. An event becomes
// at most one frame, a run's end two; an event that the contract has no name for becomes `context_status`.
import type { EventHandlers } from "../../../kernel/events/event-table.ts";
import type { EventOf, RunEvent } from "../../../kernel/events/events.ts";
import { appendOnly } from "../../../kernel/dialect/append-only.ts";
import { callOf, recordCall, scoped } from "../../../kernel/dialect/call-index.ts";
import { dialectTable, NOTHING, nothing } from "../../../kernel/dialect/dialect.ts";
import { preview } from "../../../kernel/dialect/preview.ts";
import { endingOf, usageOf } from "./run-end.ts";
import {
  bounded,
  boundedObject,
  context,
  cut,
  frame,
  MAX_CHARS,
  type WebuiFrame,
} from "./frames.ts";
import { approvalCard, clarifyCard, requestOf } from "./requests.ts";
import * as memory from "./state.ts";
import type { WebuiState } from "./state.ts";

type Frames = readonly WebuiFrame[];
type Handler<Type extends RunEvent["type"]> = (event: EventOf<Type>, state: WebuiState) => Frames;

/** Leaves out what happens inside a subagent. */
function own<Type extends RunEvent["type"]>(handler: Handler<Type>): Handler<Type> {
  return (event, state) => (memory.isOwn(state, event) ? handler(event, state) : NOTHING);
}
const inContext = (event: RunEvent): Frames => context(event, boundedObject(event.payload));
const ownContext = (event: RunEvent, state: WebuiState): Frames =>
  memory.isOwn(state, event) ? inContext(event) : NOTHING;
const warning = ({ session_id, run_id }: RunEvent, type: string, message: string): Frames => [
  frame("warning", { session_id, run_id, type, message }),
];

/** A block that was streamed is on the screen already; one that was not is shown when it is whole. */
function shown(state: WebuiState, event: RunEvent, id: string): void {
  memory.runOf(state, event).shown[` ${id}`] = true; // no id is a name that every object has
}
const wasShown = (state: WebuiState, event: RunEvent, id: string) =>
  Object.hasOwn(memory.runOf(state, event).shown, ` ${id}`);

const sessionTable = {
  "session.created": ({ payload }, state) => {
    state.title = payload.title;
    return NOTHING;
  },
  "session.updated": (event) =>
    event.payload.yolo === true
      ? warning(event, "yolo", "Everything that would be asked is allowed in this session.")
      : inContext(event),
  "session.*": inContext,
  "title.updated": ({ session_id, payload: { title, source } }, state) => {
    state.title = title;
    return [frame("title", { session_id, title, source })];
  },
  "title.*": inContext,
  "queue.*": inContext,
  "queue.updated": (event) => {
    const items = event.payload.items.map((item) => ({ ...item, text: preview(item.text) }));
    return context(event, { items: bounded(items), length: items.length });
  },
  "goal.updated": ({ session_id, payload }) => {
    const { action, status, text } = payload;
    const words = { active: "Goal", paused: "Goal paused", cleared: "Goal cleared" }[status];
    const message = text === null ? `${words}.` : `${words}: ${preview(text)}`;
    const emitted = { state: "idle", action, status, goal: bounded(text), message };
    return [frame("goal", { session_id, ...emitted })];
  },
} satisfies EventHandlers<[state: WebuiState], Frames>;

const lifeTable = {
  "message.user": own((event, state) => {
    memory.noteMessage(state, event);
    // The first is the client's own; the others may come from any window.
    return event.payload.mode === "steer" || event.payload.mode === "goal"
      ? inContext(event)
      : NOTHING;
  }),
  "message.edited": own((event, state) => {
    memory.noteEdit(state, event);
    return inContext(event);
  }),
  "run.queued": own((event) => {
    const { model, workspace, profile, source, toolsets, metadata, project } = event.payload;
    const emitted = {
      model,
      workspace,
      profile,
      source,
      toolsets,
      metadata,
      project: project ?? null,
    };
    return context(event, { status: "queued", ...boundedObject(emitted) });
  }),
  "run.started": own((event) => {
    const { model, workspace, profile, toolsets, sandbox, controls } = event.payload;
    const emitted = { model, workspace, profile, toolsets, sandbox, controls };
    return context(event, { status: "running", ...boundedObject(emitted) });
  }),
  status: own((event, state) => {
    const { status, reason, controls } = event.payload;
    if (status === "paused") return warning(event, "paused", `Paused: ${reason ?? "for now"}.`);
    if (status !== "cancelling") return context(event, { status, reason, controls });
    const run = memory.runOf(state, event);
    run.reason = reason;
    return leftover(event, memory.takeUnread(run)) ?? context(event, { status, reason, controls });
  }),
  "turn.started": own((event, state) => {
    const run = memory.runOf(state, event);
    run.shown = {};
    run.unread = [];
    return NOTHING;
  }),
  "turn.*": nothing,
  "turn.superseded": own((event) => warning(event, "superseded", event.payload.message)),
  recovery: own((event) => warning(event, "recovery", event.payload.message)),
  error: own((event, state) => {
    const run = memory.runOf(state, event);
    run.error = event.payload.message;
    run.diagnostics = bounded(event.payload.details ?? null);
    return leftover(event, memory.takeUnread(run)) ?? NOTHING;
  }),
  done: (event, state) => {
    const emitted = memory.isOwn(state, event)
      ? endingOf(event, memory.runOf(state, event), state.title)
      : NOTHING;
    memory.forgetRun(state, event.run_id);
    return emitted;
  },
  received: nothing,
  progress: own((event) => warning(event, event.payload.phase, event.payload.message)),
} satisfies EventHandlers<[state: WebuiState], Frames>;

function leftover({ session_id }: RunEvent, text: string | undefined): Frames | undefined {
  return text === undefined ? undefined : [frame("pending_steer_leftover", { session_id, text })];
}

const outputTable = {
  "token.delta": own((event, state) => {
    shown(state, event, event.payload.message_id);
    return [frame("token", { text: event.payload.delta })];
  }),
  "message.completed": own((event, state) => {
    const { message_id, text, tool_calls } = event.payload;
    const already_streamed = wasShown(state, event, message_id);
    const over = already_streamed && tool_calls.length === 0; // `done` has it
    if (text === "" || over) return NOTHING;
    return [frame("interim_assistant", { text, already_streamed })];
  }),
  "reasoning.delta": own((event, state) => {
    shown(state, event, event.payload.reasoning_id);
    if (event.payload.visibility === "hidden") return NOTHING;
    return [frame("reasoning", { text: event.payload.delta })];
  }),
  "reasoning.done": own((event, state) => {
    const { reasoning_id, text, visibility } = event.payload;
    const emitted = wasShown(state, event, reasoning_id) || visibility === "hidden" || text === "";
    return emitted ? NOTHING : [frame("reasoning", { text })];
  }),
  "usage.updated": own(({ session_id, payload }) => {
    const { output_tokens, duration_ms, input_tokens, context_window, provider, model } = payload;
    const tps = output_tokens !== null && duration_ms > 0 ? (output_tokens / duration_ms) * 1e3 : 0;
    const { total_tokens, reasoning_tokens, cached_tokens, cost_usd } = payload;
    const used = { input_tokens, output_tokens, total_tokens };
    const usage = usageOf({ ...used, reasoning_tokens, cached_tokens, cost_usd });
    const speed = { tps, tps_available: tps > 0, estimated: false };
    const room = { context_length: context_window ?? null, last_prompt_tokens: input_tokens };
    return [frame("metering", { session_id, ...speed, ...room, provider, model, usage })];
  }),
  "usage.*": nothing, // `done` has the final one
  compaction: own(({ session_id, payload }) => {
    const { original_tokens, compacted_tokens, summary } = payload;
    if (payload.phase === "started") {
      const message = "Compressing the conversation.";
      return [frame("compressing", { session_id, message, original_tokens })];
    }
    const message = `Compressed ${original_tokens} tokens to ${compacted_tokens}.`;
    const emitted = { message, original_tokens, compacted_tokens, summary: bounded(summary) };
    return [frame("compressed", { session_id, ...emitted })];
  }),
} satisfies EventHandlers<[state: WebuiState], Frames>;

const toolTable = {
  "tool.intent": (event, state) => {
    recordCall(state.calls, event);
    return NOTHING;
  },
  "tool.replanned": (event, state) => {
    recordCall(state.calls, event);
    return ownContext(event, state);
  },
  "tool.started": (event, state) => {
    const call = recordCall(state.calls, event);
    if (!memory.isOwn(state, event)) return NOTHING;
    const { call_id, name, arguments: given, attempt } = event.payload;
    // Its card is open: clients would make a second one.
    if (attempt > 1) return context(event, { status: "retried", name, attempt });
    return [
      frame("tool", {
        event_type: "tool.started",
        name,
        preview: preview(call?.label ?? name),
        args: boundedObject(given),
        tid: scoped(event, call_id),
      }),
    ];
  },
  "tool.updated": own((event, state) => {
    const { call_id, channel, delta } = event.payload;
    const tid = scoped(event, call_id);
    const name = callOf(state.calls, event)?.name ?? "";
    const emitted = {
      event_type: "tool.updated",
      name,
      tid,
      channel,
      delta: cut(delta, MAX_CHARS),
    };
    return [frame("tool_update", emitted)];
  }),
  "tool.done": (event, state) => {
    const call = recordCall(state.calls, event);
    if (!memory.isOwn(state, event)) return NOTHING;
    const settled = `done ${event.payload.call_id}`;
    if (wasShown(state, event, settled)) return NOTHING; // the first result counts
    shown(state, event, settled);
    const { call_id, name, ok, status, output, duration_ms, error } = event.payload;
    const { result, exit_code } = event.payload;
    return [
      frame("tool_complete", {
        event_type: "tool.completed",
        name,
        preview: preview(error?.message ?? output.head),
        args: boundedObject(call?.arguments ?? {}),
        tid: scoped(event, call_id),
        duration: duration_ms / 1_000,
        is_error: !ok,
        status,
        result: bounded(result),
        exit_code,
        output: cut(output.head, MAX_CHARS),
      }),
    ];
  },
  "tool.*": ownContext,
  "checkpoint.*": ownContext,
  "files.*": ownContext,
  "todo.*": ownContext,
  "process.*": ownContext,
  "process.output": nothing, // its own windows follow it; here it would drown the answer
  "checkpoint.created": own(({ session_id, payload }) => [
    frame("state_saved", {
      session_id,
      kind: "checkpoint",
      name: cut(payload.label, 200),
      action: "created",
    }),
  ]),
  "files.changed": own((event) => {
    const { changes, truncated } = event.payload;
    const paths = bounded(changes.map(({ path }) => path));
    return context(event, { paths, count: changes.length, truncated });
  }),
  "todo.updated": own(({ session_id, run_id: stream_id, created_at: ts, payload }) => [
    frame("todo_state", {
      session_id,
      stream_id,
      todos: bounded(payload.items),
      ts,
      source: "live",
    }),
  ]),
} satisfies EventHandlers<[state: WebuiState], Frames>;

/** Also a subagent's: nobody else would ask it. */
const requestTable = {
  "approval.requested": (event, state) => {
    state.approvals[event.payload.approval_id] = event.run_id;
    const { risk, reason, plan } = event.payload;
    return [
      frame("approval", {
        ...approvalCard(requestOf(event)),
        tool: plan.tool,
        args: boundedObject(plan.arguments),
        risk,
        ...(reason !== undefined && { reason }),
        subagent: !memory.isOwn(state, event),
        pending_count: Object.keys(state.approvals).length,
      }),
    ];
  },
  "approval.resolved": (event, state) => {
    delete state.approvals[event.payload.approval_id];
    return inContext(event);
  },
  "clarify.requested": (event, state) => {
    const { clarify_id, input_mode } = event.payload;
    return asked(event, state, clarify_id, { input_mode });
  },
  "tool.outcome_unknown": (event, state) =>
    asked(event, state, event.payload.request_id, { input_mode: "choice" }),
  "clarify.resolved": (event, state) => {
    delete state.questions[event.payload.clarify_id];
    return inContext(event);
  },
} satisfies EventHandlers<[state: WebuiState], Frames>;

function asked(
  event: EventOf<"clarify.requested" | "tool.outcome_unknown">,
  state: WebuiState,
  id: string,
  more: { input_mode: string },
): Frames {
  state.questions[id] = event.run_id;
  const card = { ...clarifyCard(requestOf(event)), ...more };
  const subagent = !memory.isOwn(state, event);
  const pending_count = Object.keys(state.questions).length;
  return [frame("clarify", { ...card, subagent, pending_count })];
}

const planTable = {
  "plan.*": ownContext,
  "goal.*": ownContext,
  "subagent.*": (event, state) => {
    recordCall(state.calls, event);
    return ownContext(event, state);
  },
  /**
   * The same run goes on by itself. No `continuation_prompt` or `text`: a client that reads one
   * would send it as a message of its own, and the work would be done twice.
   */
  "goal.decided": own(({ session_id, run_id, payload }) => {
    const { decision, reason, round } = payload;
    const goal = bounded(payload.goal);
    if (decision === "continue") {
      const message = `Going on towards the goal (${round}): ${reason}`;
      const emitted = { state: "continuing", decision, goal, round, reason, message };
      return [frame("goal_continue", { session_id, run_id, ...emitted })];
    }
    const met = decision === "met";
    const message = met ? `Goal achieved: ${reason}` : `Goal paused: ${reason}`;
    const emitted = { state: "idle", status: met ? "done" : "paused", decision, goal, message };
    return [frame("goal", { session_id, run_id, ...emitted })];
  }),
} satisfies EventHandlers<[state: WebuiState], Frames>;

export const webuiDialect = appendOnly<WebuiState, WebuiFrame>({
  name: "webui",
  of: "run",
  frames: "one, two at the end",
  begin: memory.emptyWebui,
  table: dialectTable<WebuiState, WebuiFrame>()({
    ...sessionTable,
    ...lifeTable,
    ...outputTable,
    ...toolTable,
    ...requestTable,
    ...planTable,
  }),
  // Clients skip names they do not know. One without a dot could be a name they do.
  unknown: (event, state) => {
    const { session_id, run_id, type, payload } = event;
    if (!/^\w+(\.\w+)+$/.test(type) || !memory.isOwn(state, event)) return NOTHING;
    const data = { session_id, run_id, payload: boundedObject(payload) };
    return [{ event: type, data, terminal: false }];
  },
  kind: ({ event }) => event,
});
