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

export type OpenNodes = {
  profile: string | null;
  model: string | null;
  readonly runs: Record<string, HudRun>;
  readonly calls: Record<string, HudCall>;
  readonly thinks: Record<string, HudThink>;
  readonly requests: Record<string, HudRequest>;
};

export function emptyOpenNodes(): OpenNodes {
  return { profile: null, model: null, runs: {}, calls: {}, thinks: {}, requests: {} };
}

/** Ids come from outside: none of them may be the name of something every object has, or a number. */
export const keyOf = (...ids: readonly string[]) => `/${ids.join("/")}`;

export function runOf(nodes: OpenNodes, runId: string): HudRun {
  return (nodes.runs[keyOf(runId)] ??= {
    parentId: null,
    parentRunId: null,
    label: null,
    status: "queued",
    startedAt: null,
    known: false,
  });
}

/** The turn that contains what an event tells; nothing while it is not told. */
export function inTurn(nodes: OpenNodes, { run_id }: AnyEvent): { parentId?: string } {
  return nodes.runs[keyOf(run_id)]?.startedAt == null ? {} : { parentId: run_id };
}

function within(run: HudRun): { parentId?: string } {
  return run.parentId === null ? {} : { parentId: run.parentId };
}

/** The run's turn, with what was planned before it; nothing when that was told. */
export function beginTurn(nodes: OpenNodes, event: AnyEvent): HudBody[] {
  const run = runOf(nodes, event.run_id);
  run.known = true;
  if (run.startedAt !== null) return [];
  run.startedAt = timeOf(event);
  const label = run.label === null ? {} : { label: run.label };
  const turn = { event: "turn_start", correlationId: event.run_id, ...within(run) } as const;
  const held = callsOf(nodes, event.run_id).map((call) => startCall(call, event));
  return [{ ...turn, ...label }, ...held];
}

export function endTurn(nodes: OpenNodes, event: AnyEvent, payload: PayloadOf<"done">): HudBody[] {
  const run = nodes.runs[keyOf(event.run_id)];
  if (run?.startedAt == null) return [];
  const { status, error } = payload;
  const result = { ok: status === "completed", status, ...(error && { error: error.message }) };
  const durationMs = timeOf(event) - run.startedAt;
  const turn = { event: "turn_end", correlationId: event.run_id, ...within(run) } as const;
  return [{ ...turn, result, durationMs }];
}

/** Forgets a run, and subagents of it that never came to be: a run that has ended starts none. */
export function forgetRun({ runs }: OpenNodes, runId: string): void {
  delete runs[keyOf(runId)];
  for (const [key, { parentRunId, known }] of Object.entries(runs)) {
    if (parentRunId === runId && !known) delete runs[key];
  }
}

function callsOf(nodes: OpenNodes, runId: string): HudCall[] {
  return Object.values(nodes.calls).filter((call) => call.runId === runId);
}

/** Plans a call; told at once in a turn that goes on, and otherwise when the turn begins. */
export function planCall(
  nodes: OpenNodes,
  event: AnyEvent,
  { call_id, name, plan }: PayloadOf<"tool.intent">,
): HudBody[] {
  const key = keyOf(event.run_id, call_id);
  if (nodes.calls[key]) return [];
  const call: HudCall = {
    runId: event.run_id,
    correlationId: callCorrelation(event.run_id, call_id),
    name,
    startedAt: null,
    held: hudArgs(name, plan.arguments, event),
    outline: outlineOf(plan),
  };
  nodes.calls[key] = call;
  return inTurn(nodes, event).parentId === undefined ? [] : [startCall(call, event)];
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

export function endCall(
  nodes: OpenNodes,
  event: AnyEvent,
  done: PayloadOf<"tool.done">,
): HudBody[] {
  const key = keyOf(event.run_id, done.call_id);
  const call = nodes.calls[key];
  if (!call) return []; // settled before: the first result stands
  const begun = beginTurn(nodes, event);
  delete nodes.calls[key];
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
export function endAll(nodes: OpenNodes, event: AnyEvent): HudBody[] {
  const ended = endThinks(nodes, event, {});
  for (const [key, call] of Object.entries(nodes.calls)) {
    if (call.runId !== event.run_id) continue;
    const call_id = call.correlationId.slice(callCorrelation(call.runId, "").length);
    const done = { ...NEVER_ENDED, call_id, name: call.name };
    if (call.startedAt === null) delete nodes.calls[key];
    else ended.push(...endCall(nodes, event, done));
  }
  return ended;
}

export function startThink(nodes: OpenNodes, event: AnyEvent, reasoningId: string): HudBody[] {
  const key = keyOf(event.run_id, reasoningId);
  if (nodes.thinks[key]) return [];
  const begun = beginTurn(nodes, event);
  const think = { runId: event.run_id, correlationId: thinkId(event), startedAt: timeOf(event) };
  nodes.thinks[key] = think;
  const { correlationId, runId: parentId } = think;
  return [...begun, { event: "think_start", correlationId, parentId }];
}

type ThinkWords = Omit<
  Extract<HudBody, { event: "think_end" }>,
  "event" | "correlationId" | "durationMs"
>;

export function endThink(
  nodes: OpenNodes,
  event: AnyEvent,
  { key, words }: { key: string; words: ThinkWords },
): HudBody[] {
  const think = nodes.thinks[key];
  if (!think) return [];
  delete nodes.thinks[key];
  const { correlationId, runId: parentId, startedAt } = think;
  const durationMs = timeOf(event) - startedAt;
  return [{ event: "think_end", correlationId, parentId, ...words, durationMs }];
}

/** Ends every thought of the run that is still going on. */
export function endThinks(nodes: OpenNodes, event: AnyEvent, words: ThinkWords): HudBody[] {
  return Object.entries(nodes.thinks)
    .filter(([, { runId }]) => runId === event.run_id)
    .flatMap(([key]) => endThink(nodes, event, { key, words }));
}
