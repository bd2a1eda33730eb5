// The state of the HUD dialect: what is open. A start that was sent stays here until its end is sent, so that no node
// keeps running after its run has ended.
import type { PayloadOf } from "../../../kernel/events/events.ts";
import { callCorrelation, thinkId, timeOf, type AnyEvent, type HudBody } from "./ids.ts";
import { hudArgs, outlineOf, type CallOutline, type HudArgs } from "./args.ts";
import { hudResult } from "./tools.ts";

type HudRun = {
  parentId: string | null; // of a subagent: the call that asked for it
  parentRunId: string | null;
  label: string | null;
  status: string;
  startedAt: number | null; // null: its turn was not told yet
  known: boolean; // has events of its own
};
type HudCall = {
  readonly runId: string;
  readonly correlationId: string;
  readonly name: string;
  startedAt: number | null; // null: `held`
  held: HudArgs | null; // planned before its run began: to be told with the run
  outline: CallOutline;
};
type HudThink = {
  readonly runId: string;
  readonly correlationId: string;
  readonly startedAt: number;
};
type HudRequest = { readonly runId: string; readonly subtype: string };

export type HudBook = {
  profile: string | null;
  model: string | null;
  readonly runs: Record<string, HudRun>;
  readonly calls: Record<string, HudCall>;
  readonly thinks: Record<string, HudThink>;
  readonly requests: Record<string, HudRequest>;
};

export function emptyHudBook(): HudBook {
  return { profile: null, model: null, runs: {}, calls: {}, thinks: {}, requests: {} };
}

/** Ids come from outside: none of them may be the name of something every object has, or a number. */
export const keyOf = (...ids: readonly string[]) => `/${ids.join("/")}`;

export function runOf(book: HudBook, runId: string): HudRun {
  return (book.runs[keyOf(runId)] ??= {
    parentId: null,
    parentRunId: null,
    label: null,
    status: "queued",
    startedAt: null,
    known: false,
  });
}

/** The turn that contains what an event tells; nothing while it is not told. */
export function inTurn(book: HudBook, { run_id }: AnyEvent): { parentId?: string } {
  return book.runs[keyOf(run_id)]?.startedAt == null ? {} : { parentId: run_id };
}

function within(run: HudRun): { parentId?: string } {
  return run.parentId === null ? {} : { parentId: run.parentId };
}

/** The run's turn, with what was planned before it; nothing when that was told. */
export function beginTurn(book: HudBook, event: AnyEvent): HudBody[] {
  const run = runOf(book, event.run_id);
  run.known = true;
  if (run.startedAt !== null) return [];
  run.startedAt = timeOf(event);
  const label = run.label === null ? {} : { label: run.label };
  const turn = { event: "turn_start", correlationId: event.run_id, ...within(run) } as const;
  const held = callsOf(book, event.run_id).map((call) => startCall(call, event));
  return [{ ...turn, ...label }, ...held];
}

export function endTurn(book: HudBook, event: AnyEvent, payload: PayloadOf<"done">): HudBody[] {
  const run = book.runs[keyOf(event.run_id)];
  if (run?.startedAt == null) return [];
  const { status, error } = payload;
  const result = { ok: status === "completed", status, ...(error && { error: error.message }) };
  const durationMs = timeOf(event) - run.startedAt;
  const turn = { event: "turn_end", correlationId: event.run_id, ...within(run) } as const;
  return [{ ...turn, result, durationMs }];
}

/** Forgets a run, and subagents of it that never came to be: a run that has ended starts none. */
export function forgetRun({ runs }: HudBook, runId: string): void {
  delete runs[keyOf(runId)];
  for (const [key, { parentRunId, known }] of Object.entries(runs)) {
    if (parentRunId === runId && !known) delete runs[key];
  }
}

function callsOf(book: HudBook, runId: string): HudCall[] {
  return Object.values(book.calls).filter((call) => call.runId === runId);
}

/** Plans a call; told at once in a turn that goes on, and otherwise when the turn begins. */
export function planCall(
  book: HudBook,
  event: AnyEvent,
  { call_id, name, plan }: PayloadOf<"tool.intent">,
): HudBody[] {
  const key = keyOf(event.run_id, call_id);
  if (book.calls[key]) return [];
  const call: HudCall = {
    runId: event.run_id,
    correlationId: callCorrelation(event.run_id, call_id),
    name,
    startedAt: null,
    held: hudArgs(name, plan.arguments, event),
    outline: outlineOf(plan),
  };
  book.calls[key] = call;
  return inTurn(book, event).parentId === undefined ? [] : [startCall(call, event)];
}

function startCall(call: HudCall, event: AnyEvent): HudBody {
  const { correlationId, runId: parentId, name: tool, held } = call;
  call.startedAt = timeOf(event);
  call.held = null;
  const { args = {}, full = null } = held ?? {};
  const cut = full && { argsTruncated: true as const, argsFull: full };
  const about = { correlationId, parentId, tool, args, ...cut };
  return { event: "tool_start", ...about };
}

export function endCall(book: HudBook, event: AnyEvent, done: PayloadOf<"tool.done">): HudBody[] {
  const key = keyOf(event.run_id, done.call_id);
  const call = book.calls[key];
  if (!call) return []; // settled before: the first result stands
  const begun = beginTurn(book, event);
  delete book.calls[key];
  const { correlationId, runId: parentId, name: tool, outline } = call;
  const durationMs = timeOf(event) - (call.startedAt ?? timeOf(event));
  const result = hudResult(tool, outline, { done, event });
  const end = { event: "tool_end", correlationId, parentId, tool, result, durationMs } as const;
  return [...begun, end];
}

const NEVER_ENDED = {
  ok: false,
  status: "cancelled",
  result: null,
  output: { head: "", tail: "", bytes: 0, sha256: null, truncated: false },
  exit_code: null,
  duration_ms: 0,
  error: { code: "cancelled", message: "The run ended before this did." },
} as const;

/** Ends whatever of the run is open. Calls of a turn that was never told are forgotten untold. */
export function endAll(book: HudBook, event: AnyEvent): HudBody[] {
  const ended = endThinks(book, event, {});
  for (const [key, call] of Object.entries(book.calls)) {
    if (call.runId !== event.run_id) continue;
    const call_id = call.correlationId.slice(callCorrelation(call.runId, "").length);
    const done = { ...NEVER_ENDED, call_id, name: call.name };
    if (call.startedAt === null) delete book.calls[key];
    else ended.push(...endCall(book, event, done));
  }
  return ended;
}

export function startThink(book: HudBook, event: AnyEvent, reasoningId: string): HudBody[] {
  const key = keyOf(event.run_id, reasoningId);
  if (book.thinks[key]) return [];
  const begun = beginTurn(book, event);
  const think = { runId: event.run_id, correlationId: thinkId(event), startedAt: timeOf(event) };
  book.thinks[key] = think;
  const { correlationId, runId: parentId } = think;
  return [...begun, { event: "think_start", correlationId, parentId }];
}

type ThinkWords = Omit<
  Extract<HudBody, { event: "think_end" }>,
  "event" | "correlationId" | "durationMs"
>;

export function endThink(
  book: HudBook,
  event: AnyEvent,
  { key, words }: { key: string; words: ThinkWords },
): HudBody[] {
  const think = book.thinks[key];
  if (!think) return [];
  delete book.thinks[key];
  const { correlationId, runId: parentId, startedAt } = think;
  const durationMs = timeOf(event) - startedAt;
  return [{ event: "think_end", correlationId, parentId, ...words, durationMs }];
}

/** Ends every thought of the run that is still going on. */
export function endThinks(book: HudBook, event: AnyEvent, words: ThinkWords): HudBody[] {
  return Object.entries(book.thinks)
    .filter(([, { runId }]) => runId === event.run_id)
    .flatMap(([key]) => endThink(book, event, { key, words }));
}
