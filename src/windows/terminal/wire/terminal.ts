// A session on a text-only device: only how a run ends and what it waits for become replies. A request of a subagent
// counts as its root run's request.
import { eventTable } from "../../../kernel/events/event-table.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import { NOTHING, nothing, SILENT, type Dialect } from "../../../kernel/dialect/dialect.ts";
import * as words from "./text.ts";
import { own } from "../../../kernel/events/own.ts";

export type TerminalReply = {
  readonly type: "message";
  readonly role: "assistant";
  readonly message_id: string; // what the run was started with; who answered it says so
  readonly run_id: string; // never a subagent's
  readonly text: string; // never empty
  readonly finish_reason: "stop" | "error" | "cancelled" | "needs_input";
  readonly request_id?: string; // of what waits
};

/** `at` and `id` are the order in which requests are answered (`takeChannelMessage`). */
type Waiting = {
  readonly id: string;
  readonly at: number;
  readonly runId: string; // the run's own, or a subagent's
  readonly text: string;
};
type Running = {
  messageId: string;
  said: string; // with the last step, until it was told
  context: string; // what was told with what waits
  partial: string; // of a step that is not over
  waiting: Waiting[]; // the first is the one that is asked
  emittedAt: number; // session_seq at which that became so
  stopping: boolean; // nothing is asked any more
};
export type TerminalState = {
  /** Runs that have not ended, by id; without subagents. */
  readonly runs: Record<string, Running>;
  readonly subagents: Record<string, { readonly root: string; readonly title: string }>;
};

type EmitOptions = readonly TerminalReply[];

const table = eventTable<[state: TerminalState], EmitOptions>()({
  // Also `turn.superseded`, because what a cut turn said may be all there will be, and `subagent.completed`, because a
  // subagent that was stopped with its run ends later.
  ...SILENT,
  "message.user": ({ run_id, payload }, state) => {
    const starts = payload.mode === "start" && rootOf(state, run_id) === run_id;
    if (starts) ownRun(state, run_id).messageId ||= payload.message_id;
    return NOTHING;
  },
  "run.queued": ({ run_id, payload }, state) => {
    const { parent_run_id, root_run_id } = payload;
    if (parent_run_id === null) {
      ownRun(state, run_id).messageId = payload.message_id;
    } else {
      state.subagents[run_id] ??= { root: root_run_id, title: "subagent" };
      delete state.runs[run_id];
    }
    return NOTHING;
  },
  "subagent.started": ({ run_id, payload }, state) => {
    const { child_run_id, title } = payload;
    state.subagents[child_run_id] = { root: rootOf(state, run_id), title };
    return NOTHING;
  },

  status: ({ run_id, payload }, state) => {
    const run = own(state.runs, run_id);
    if (run) run.stopping = payload.status === "cancelling";
    return NOTHING;
  },
  "turn.started": ({ run_id }, state) => begin(state, run_id),
  "token.delta": ({ run_id, payload }, state) => {
    const run = own(state.runs, run_id);
    if (run) run.partial = words.grown(run.partial, payload.delta);
    return NOTHING;
  },
  "message.completed": ({ run_id, payload }, state) => {
    const run = own(state.runs, run_id);
    if (run) [run.said, run.partial] = [words.saidText(payload.text), ""];
    return NOTHING;
  },

  "approval.requested": (event, state) => {
    const text = words.approvalText(event.payload, whoIn(state, event));
    return ask(state, event, { id: event.payload.approval_id, text });
  },
  "clarify.requested": (event, state) => {
    const text = words.clarifyText(event.payload, whoIn(state, event));
    return ask(state, event, { id: event.payload.clarify_id, text });
  },
  "tool.outcome_unknown": (event, state) => {
    const text = words.outcomeText(event.payload, whoIn(state, event));
    return ask(state, event, { id: event.payload.request_id, text });
  },
  "approval.resolved": (event, state) => {
    const { approval_id } = event.payload;
    return settle(state, event, ({ id }) => id === approval_id);
  },
  "clarify.resolved": (event, state) => {
    const { clarify_id } = event.payload;
    return settle(state, event, ({ id }) => id === clarify_id);
  },

  done: (event, state) => {
    const { run_id, payload } = event;
    if (Object.hasOwn(state.subagents, run_id)) {
      const next = settle(state, event, ({ runId }) => runId === run_id);
      delete state.subagents[run_id];
      return next;
    }
    const { messageId, partial } = ownRun(state, run_id);
    delete state.runs[run_id];
    const text = words.finalText(payload, partial);
    return [{ ...REPLY, message_id: messageId, run_id, text, ...ENDINGS[payload.status] }];
  },

  error: nothing, // `done` has it
});

export const terminalDialect: Dialect<TerminalState, TerminalReply> = {
  name: "terminal",
  of: "session",
  frames: "one",
  begin: () => ({ runs: {}, subagents: {} }),
  table,
  unknown: nothing,
  kind: ({ type }) => type,
};

/** What the run waits for now, as it was told, and when (session_seq). */
export function waitingIn(
  state: TerminalState,
  runId: string,
): { readonly reply: TerminalReply; readonly seq: number } | undefined {
  const run = own(state.runs, runId);
  const reply = run && requestIn(run, runId);
  return run && reply && { reply, seq: run.emittedAt };
}

const REPLY = { type: "message", role: "assistant" } as const;
const ENDINGS = {
  completed: { finish_reason: "stop" },
  failed: { finish_reason: "error" },
  expired: { finish_reason: "error" },
  cancelled: { finish_reason: "cancelled" },
} as const;

function ownRun(state: TerminalState, runId: string): Running {
  const texts = { messageId: "", said: "", context: "", partial: "" };
  const fresh = { ...texts, waiting: [], emittedAt: 0, stopping: false };
  return own(state.runs, runId) ?? (state.runs[runId] = fresh);
}

function rootOf(state: TerminalState, runId: string): string {
  return own(state.subagents, runId)?.root ?? runId;
}

function whoIn(state: TerminalState, { run_id }: RunEvent): string | null {
  return own(state.subagents, run_id)?.title ?? null;
}

function begin(state: TerminalState, runId: string): EmitOptions {
  const run = own(state.runs, runId);
  if (run) run.partial = "";
  return NOTHING;
}

/** One request is asked at a time; the others follow when it is answered. */
function ask(state: TerminalState, event: RunEvent, { id, text }: { id: string; text: string }) {
  const { run_id: runId, created_at: at } = event;
  const run = ownRun(state, rootOf(state, runId));
  const [first] = run.waiting;
  const others = run.waiting.filter((other) => other.id !== id);
  run.waiting = [...others, { id, at, runId, text }].toSorted(
    (a, b) => a.at - b.at || (a.id < b.id ? -1 : 1),
  );
  return run.waiting[0] === first ? NOTHING : emit(state, event);
}

function settle(
  state: TerminalState,
  event: RunEvent,
  settled: (request: Waiting) => boolean,
): EmitOptions {
  const run = own(state.runs, rootOf(state, event.run_id));
  const [first] = run?.waiting ?? [];
  if (!run || !first) return NOTHING;
  run.waiting = run.waiting.filter((request) => !settled(request));
  if (run.waiting[0] === first) return NOTHING;
  return emit(state, event);
}

function emit(state: TerminalState, event: RunEvent): EmitOptions {
  const runId = rootOf(state, event.run_id);
  const run = ownRun(state, runId);
  run.emittedAt = event.session_seq;
  [run.context, run.said] = [run.said, ""];
  const reply = requestIn(run, runId);
  return reply ? [reply] : NOTHING;
}

function requestIn({ waiting, context, messageId, stopping }: Running, runId: string) {
  const [request] = waiting;
  if (!request || stopping) return undefined;
  const text = words.withContext(context, request.text);
  const about = { message_id: messageId, run_id: runId, text };
  return { ...REPLY, ...about, finish_reason: "needs_input", request_id: request.id } as const;
}
