// What people and the program did to a session, as `received` frames: the document's seven subtypes where
// they fit, and subtypes of our own for what it has no word for.
import type { EventOf } from "../../../kernel/events/events.ts";
import { NOTHING, type EmitOptions } from "../../../kernel/dialect/dialect.ts";
import { inTurn, keyOf, runOf, type OpenNodes } from "./open-nodes.ts";
import type { HudEvent, HudRecord } from "./events.ts";
import { stamped, type AnyEvent, type HudBody } from "./ids.ts";
import type { HudHandlers } from "./requests.ts";
import { firstOf, preview } from "./text.ts";

type Saying = { readonly subtype: string; readonly label: string; readonly payload: HudRecord };

function body({ subtype, label, payload }: Saying, within: { parentId?: string } = {}): HudBody {
  return { event: "received", subtype, label, payload, ...within };
}

/** In the run's turn, where it has one. */
function emit(event: AnyEvent, nodes: OpenNodes, emitOptions: EmitOptions, saying: Saying) {
  return stamped(event, emitOptions, [body(saying, inTurn(nodes, event))]);
}

/** Beside the turns, as the document has its own. */
function distinguish(event: AnyEvent, emitOptions: EmitOptions, saying: Saying) {
  return stamped(event, emitOptions, [body(saying)]);
}

export const receivedCases = {
  "session.created": (event, nodes, emitOptions) => {
    const { title, profile, model, workspace, source, parent_session_id } = event.payload;
    nodes.profile = profile;
    nodes.model = model;
    const from = parent_session_id === null ? {} : { previousSession: parent_session_id };
    const about = { title: preview(title, 500), agent: profile, model, workspace, source };
    const payload = { ...about, ...from };
    const label = from.previousSession === undefined ? "new session" : "new session, branched";
    return distinguish(event, emitOptions, { subtype: "new_session", label, payload });
  },

  "session.updated": (event, nodes, emitOptions) => {
    const { profile, model, ...settings } = event.payload;
    const bodies: HudBody[] = [];
    if (profile !== undefined)
      bodies.push(switched({ from: nodes.profile, to: profile, of: "agent" }));
    if (model !== undefined) bodies.push(switched({ from: nodes.model, to: model, of: "model" }));
    nodes.profile = profile ?? nodes.profile;
    nodes.model = model ?? nodes.model;
    const names = Object.keys(settings);
    if (names.length > 0) {
      const label = `session changed: ${names.join(", ")}`;
      bodies.push(
        body({ subtype: "settings", label, payload: firstOf(settings).value as HudRecord }),
      );
    }
    return stamped(event, emitOptions, bodies);
  },

  "session.rewound": (event, _book, emitOptions) => {
    const { reason, run_ids } = event.payload;
    const label = `${reason}: ${run_ids.length} turns no longer count`;
    const payload = firstOf({ reason, run_ids }).value as HudRecord;
    return distinguish(event, emitOptions, { subtype: "rewind", label, payload });
  },

  "title.updated": (event, _book, emitOptions) => {
    const { title, source } = event.payload;
    const label = `title: ${preview(title)}`;
    const payload = { title: preview(title, 500), source };
    return distinguish(event, emitOptions, { subtype: "title", label, payload });
  },

  // A subagent's first message is its prompt: it stands in the arguments of the call that made it.
  "message.user": (event, nodes, emitOptions) => {
    const { message_id, text, mode } = event.payload;
    const run = runOf(nodes, event.run_id);
    run.known = true;
    if (mode === "start" && run.parentRunId !== null) return NOTHING;
    const label = mode === "goal" ? "message from the goal" : "message received";
    const payload = { preview: preview(text), message_id, mode, run_id: event.run_id };
    return distinguish(event, emitOptions, { subtype: "message", label, payload });
  },

  "message.edited": (event, _book, emitOptions) => {
    const { message_id, text } = event.payload;
    const label = text === null ? "message taken back" : "message edited";
    const payload = { preview: text === null ? null : preview(text), message_id };
    return distinguish(event, emitOptions, { subtype: "message_edited", label, payload });
  },

  status: (event, nodes, emitOptions) => {
    const { status, reason } = event.payload;
    const run = runOf(nodes, event.run_id);
    run.known = true;
    const before = run.status;
    run.status = status;
    if (status === before) return NOTHING;
    if (status === "cancelling") return stopped(event, nodes, emitOptions, before);
    if (status !== "paused" && before !== "paused") return NOTHING; // told by what it waits for
    const label = status === "paused" ? `paused: ${reason ?? ""}` : "going on";
    return emit(event, nodes, emitOptions, {
      subtype: "status",
      label,
      payload: { status, reason },
    });
  },

  progress: (event, nodes, emitOptions) => {
    const { phase, message } = event.payload;
    const label = preview(message, 200);
    const payload = { phase, message: preview(message, 2_000) };
    return emit(event, nodes, emitOptions, { subtype: "progress", label, payload });
  },

  compaction: (event, nodes, emitOptions) => {
    const { phase, reason = "window", original_tokens, compacted_tokens } = event.payload;
    const label =
      phase === "started"
        ? "compressing the conversation"
        : `compressed ${original_tokens} tokens to ${compacted_tokens}`;
    const payload = { phase, reason, original_tokens, compacted_tokens };
    return emit(event, nodes, emitOptions, { subtype: "compaction", label, payload });
  },

  "queue.updated": (event, _book, emitOptions) => {
    const items = event.payload.items.map(({ run_id, message_id, text }) => ({
      run_id,
      message_id,
      preview: preview(text),
    }));
    const label = items.length === 1 ? "1 message waits" : `${items.length} messages wait`;
    return distinguish(event, emitOptions, { subtype: "queue", label, payload: { items } });
  },

  "goal.updated": (event, _book, emitOptions) => {
    const { action, status, text } = event.payload;
    const label = `goal ${action}${text === null ? "" : `: ${preview(text)}`}`;
    const payload = { action, status, text: text === null ? null : preview(text, 500) };
    return distinguish(event, emitOptions, { subtype: "goal", label, payload });
  },

  "goal.decided": (event, nodes, emitOptions) => {
    const { decision, reason, round } = event.payload;
    const label = `goal ${decision}: ${preview(reason)}`;
    const payload = { decision, reason: preview(reason, 500), round };
    return emit(event, nodes, emitOptions, { subtype: "goal", label, payload });
  },

  // The agent gives the work back to a person.
  "plan.escalated": (event, _book, emitOptions) => {
    const { plan_id, reason } = event.payload;
    const label = `handed over to you: ${preview(reason)}`;
    const payload = { from: "agent", to: "person", plan_id, reason: preview(reason, 500) };
    return distinguish(event, emitOptions, { subtype: "handover", label, payload });
  },

  "process.started": (event, nodes, emitOptions) => {
    const { process_id, command } = event.payload;
    const label = `in the background: ${preview(command)}`;
    const payload = { process_id, command: preview(command, 500) };
    return emit(event, nodes, emitOptions, { subtype: "process", label, payload });
  },

  "process.asked": (event, _book, emitOptions) => {
    const { process_id, action, text } = event.payload;
    const label = action === "kill" ? `end ${process_id}` : `typed into ${process_id}`;
    const payload = { process_id, action, text: preview(text, 500) };
    return distinguish(event, emitOptions, { subtype: "process", label, payload });
  },

  "process.exited": (event, nodes, emitOptions) => {
    const { process_id, exit_code, signal } = event.payload;
    const payload = { process_id, exit_code, signal };
    if (signal !== null) {
      const label = `kill: ${process_id} ended by ${signal}`;
      return distinguish(event, emitOptions, { subtype: "kill", label, payload });
    }
    const label = `${process_id} ended with ${exit_code ?? "no code"}`;
    return emit(event, nodes, emitOptions, { subtype: "process", label, payload });
  },

  received: (event, _book, emitOptions) => {
    const { subtype, reference } = event.payload;
    const label = `${preview(subtype)} received`;
    return distinguish(event, emitOptions, { subtype, label, payload: { reference } });
  },

  // Another runner goes on with the run, because the one before was lost or told to stop.
  recovery: (event, _book, emitOptions) => {
    const { previous_runner_id: from, runner_id: to, attempt, message } = event.payload;
    const payload = { from, to, attempt, message: preview(message, 500), run_id: event.run_id };
    const label = "handed over to another runner — the run goes on";
    return distinguish(event, emitOptions, { subtype: "handover", label, payload });
  },

  error: (event, nodes, emitOptions) => {
    const { code, message, retryable } = event.payload;
    const label = `error: ${preview(message)}`;
    const payload = { code, message: preview(message, 500), retryable };
    return emit(event, nodes, emitOptions, { subtype: "error", label, payload });
  },
} satisfies HudHandlers;

function switched({ from, to, of }: { from: string | null; to: string; of: string }): HudBody {
  return body({ subtype: "agent_switch", label: `switch → ${to}`, payload: { from, to, of } });
}

function stopped(
  event: EventOf<"status">,
  nodes: OpenNodes,
  emitOptions: EmitOptions,
  before: string,
): readonly HudEvent[] {
  const { reason } = event.payload;
  const label = "stop received — aborting turn";
  const state = `AGENT_${before.toUpperCase()}`;
  const saying = { subtype: "stop", label, payload: { state, reason, run_id: event.run_id } };
  const child = nodes.runs[keyOf(event.run_id)]?.parentRunId != null;
  return child ? emit(event, nodes, emitOptions, saying) : distinguish(event, emitOptions, saying);
}

/** A type of a newer build or an extension: its name and what it says, as far as it fits. */
export function emitUnknown(
  event: AnyEvent,
  nodes: OpenNodes,
  emitOptions: EmitOptions,
): readonly HudEvent[] {
  const { type, payload } = event;
  const { value, cut } = firstOf(payload);
  const saying = { type, payload: value, ...(cut && { truncated: true }) };
  return emit(event, nodes, emitOptions, { subtype: "event", label: type, payload: saying });
}
