// The state of the daemon dialect: only what has not ended. The real client cannot show what a subagent does, so of a
// subagent only requests are sent, at the call of the root run that it works for.
import type { RunEvent } from "../../../kernel/events/events.ts";
import { scoped } from "../../../kernel/dialect/call-index.ts";
import { NOTHING, type UnknownEvent } from "../../../kernel/dialect/dialect.ts";
import type { DaemonEnvelope, DaemonMethod, DaemonParams } from "./events.ts";
import { isoTime } from "../../../kernel/dialect/iso-time.ts";
import { own } from "../../../kernel/events/own.ts";

export type OpenRun = {
  readonly turn: number;
  readonly startedAt: number; // unix seconds
  tools: number;
  finish: string; // of the newest message
  step: string | null; // the running step of its plan, as `parentStepId`
  budgets: number; // how often it has asked to go on
  budgetReason: string;
};

export type OpenCall = {
  readonly name: string;
  readonly summary: string;
  emitted: boolean; // whether the client knows of it
};

export type Asked = {
  readonly tool: string;
  readonly description: string; // its beginning
  readonly runId: string;
  readonly toolUseId?: string;
  readonly deny?: string; // of a question: the answer that means no
};

export type DaemonState = {
  turns: number; // root runs that have started
  model: string;
  projectPath: string;
  deleted: boolean;
  inputTokens: number;
  outputTokens: number;
  /** Of a call that several requests wait at: one was answered, another is to be shown again. */
  showAgain: string | null;
  /** A call that asks, and that clients do not know yet. */
  asking: string | null;
  /** Root runs that go on. */
  readonly runs: Record<string, OpenRun>;
  /** Runs of subagents, by the call of a root run that they work for. */
  readonly children: Record<string, string>;
  /** Open calls of root runs. */
  readonly calls: Record<string, OpenCall>;
  readonly requests: Record<string, Asked>;
};

export function emptyDaemonState(): DaemonState {
  return {
    turns: 0,
    model: "",
    projectPath: "",
    deleted: false,
    inputTokens: 0,
    outputTokens: 0,
    showAgain: null,
    asking: null,
    runs: {},
    children: {},
    calls: {},
    requests: {},
  };
}

/** The root run an event belongs to, once it has started. */
export function runOf(state: DaemonState, { run_id }: { run_id: string }): OpenRun | undefined {
  return own(state.runs, run_id);
}

export function isSubagents(state: DaemonState, { run_id }: { run_id: string }): boolean {
  return Object.hasOwn(state.children, run_id);
}

/** The id under which the client knows a call; of a subagent's, the call it works for. */
export function toolUseIdOf(state: DaemonState, event: { run_id: string }, callId: string | null) {
  return own(state.children, event.run_id) ?? (callId === null ? null : scoped(event, callId));
}

export function stepOf(run: OpenRun | undefined): { parentStepId?: string } {
  return run === undefined || run.step === null ? {} : { parentStepId: run.step };
}

/** A call as the client gets to know it. */
export function emitCall(event: RunEvent, state: DaemonState, id: string) {
  const call = own(state.calls, id);
  if (!call || call.emitted) return NOTHING;
  call.emitted = true;
  const run = runOf(state, event);
  if (run) run.tools += 1;
  const { name, summary } = call;
  const line = summary === "" ? {} : { summary };
  return emit(event, "stream.tool_use", { id, name, ...line, ...stepOf(run) });
}

/** One frame: the only way one is made, so that an event is never told in two. */
export function emit<Method extends DaemonMethod>(
  event: RunEvent | UnknownEvent,
  method: Method,
  params: DaemonParams[Method],
): readonly [DaemonEnvelope] {
  return emitExtension(event, method, params);
}

export function emitExtension(
  { session_seq, session_id, created_at }: RunEvent | UnknownEvent,
  method: string,
  params: Readonly<Record<string, unknown>>,
): readonly [DaemonEnvelope] {
  const receivedAt = isoTime(created_at);
  return [{ eventId: session_seq, sessionId: session_id, receivedAt, event: { method, params } }];
}
