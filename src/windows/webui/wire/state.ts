// What the browser's run stream remembers: subagents and open calls, runs that have not ended, and how
// many requests wait. All of it is forgotten when it ends.
import type { EventOf, RunEvent } from "../../../kernel/events/events.ts";
import { emptyCallIndex, isChild, type CallIndex } from "../../../kernel/dialect/call-index.ts";
import type { UnknownEvent } from "../../../kernel/dialect/dialect.ts";
import { openRun, type OpenRun } from "./run-end.ts";
import { cut } from "./frames.ts";
import { own } from "../../../kernel/events/own.ts";

export type WebuiState = {
  readonly calls: CallIndex;
  readonly runs: Record<string, OpenRun>;
  /** Runs of the requests that wait, by request. */
  readonly approvals: Record<string, string>;
  readonly questions: Record<string, string>;
  title: string | null; // as far as the window has heard of it
};

export function emptyWebui(): WebuiState {
  return { calls: emptyCallIndex(), runs: {}, approvals: {}, questions: {}, title: null };
}

/** Of a subagent only its requests are told; its parent's call shows the rest. */
export function isOwn({ calls }: WebuiState, event: RunEvent | UnknownEvent): boolean {
  return !isChild(calls, event);
}

/** The run of an event. Known from its first event on, except where a journal begins in its middle. */
export function runOf({ runs }: WebuiState, { run_id, created_at }: RunEvent): OpenRun {
  const known = own(runs, run_id);
  return known ?? (runs[run_id] = openRun("", "", created_at));
}

const MAX_STEER_CHARS = 16_384;

export function noteMessage(state: WebuiState, event: EventOf<"message.user">): void {
  const { message_id: id, text, mode } = event.payload;
  const known = own(state.runs, event.run_id);
  if (!known) state.runs[event.run_id] = openRun(id, text, event.created_at);
  else if (mode === "steer") known.unread.push({ id, text: cut(text, MAX_STEER_CHARS) });
}

export function noteEdit(state: WebuiState, event: EventOf<"message.edited">): void {
  const { message_id, text } = event.payload;
  const run = runOf(state, event);
  if (message_id === run.messageId && text !== null) {
    run.prompt = openRun(message_id, text, run.at).prompt;
  }
  run.unread = run.unread.flatMap((steer) => {
    if (steer.id !== message_id) return [steer];
    return text === null ? [] : [{ id: message_id, text: cut(text, MAX_STEER_CHARS) }];
  });
}

/** Steers of a run that is about to end without a model having read them; told once. */
export function takeUnread(run: OpenRun): string | undefined {
  const texts = run.unread.map(({ text }) => text);
  run.unread = [];
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

/** A run's end is its last event. */
export function forgetRun(state: WebuiState, runId: string): void {
  delete state.runs[runId];
  delete state.calls.children[runId];
  for (const waiting of [state.approvals, state.questions]) {
    for (const [id, of] of Object.entries(waiting)) if (of === runId) delete waiting[id];
  }
}
