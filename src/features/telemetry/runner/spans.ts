// A run as spans, by OpenTelemetry's conventions for generative AI: the run, each turn's call of a model, each call of
// a tool. Follows from the events alone: ids come from theirs and times are theirs, so that whoever makes a span, after
// whatever crash, makes the same one. Nothing that was said, asked for or returned is in any of them, unless somebody
// switched that on.
import { createHash } from "node:crypto";
import type { PayloadOf, RunEvent } from "../../../kernel/events/events.ts";
import { own } from "../../../kernel/events/own.ts";
import * as contents from "./contents.ts";

export type Attributes = Record<string, string | number | boolean | string[]>;
export type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: "internal" | "client";
  readonly start: number; // unix seconds
  readonly end: number;
  readonly attributes: Attributes;
  /** Why it failed, as a code. */
  readonly error: string | undefined;
};

type Turn = { readonly at: number; readonly model: string; usage: Attributes };
type Call = { readonly name: string; at: number; attempts: number; readonly asked: Attributes };
export type TracedRun = {
  readonly runId: string;
  readonly sessionId: string;
  rootRunId: string;
  parentRunId: string | null;
  at: number;
  model: string;
  profile: string;
  recoveries: number;
  readonly turns: Map<string, Turn>;
  readonly calls: Map<string, Call>;
  readonly contents: contents.Contents | undefined; // undefined: nobody wants them
};

export function newTrace(
  runId: string,
  sessionId: string,
  { withContents = false }: { readonly withContents?: boolean } = {},
): TracedRun {
  return {
    runId,
    sessionId,
    rootRunId: runId,
    parentRunId: null,
    at: 0,
    model: "",
    profile: "",
    recoveries: 0,
    turns: new Map(),
    calls: new Map(),
    contents: withContents ? [] : undefined,
  };
}

type Take<Type extends RunEvent["type"]> = (
  run: TracedRun,
  payload: PayloadOf<Type>,
  at: number,
) => readonly Span[] | void;
type Handlers = { readonly [Type in RunEvent["type"]]?: Take<Type> };

const HANDLERS: Handlers = {
  "run.queued": (run, p, at) => {
    run.rootRunId = p.root_run_id;
    run.parentRunId = p.parent_run_id;
    run.model = p.model;
    run.profile = p.profile;
    run.at = at;
  },
  "run.started": (run, p, at) => {
    run.model = p.model;
    run.at = at;
  },
  recovery: (run) => void (run.recoveries += 1),
  "turn.started": (run, { turn_id, model }, at) =>
    void run.turns.set(turn_id, { at, model, usage: {} }),
  "usage.updated": (run, p) => {
    const turn = run.turns.get(p.turn_id);
    if (turn) turn.usage = usageOf(p);
  },
  "message.user": (run, p) => {
    if (run.contents) contents.userSaid(run.contents, p);
  },
  "message.edited": (run, p) => {
    if (run.contents) contents.userEdited(run.contents, p);
  },
  "message.completed": (run, p, at) => {
    const finish = { "gen_ai.response.finish_reasons": [p.finish_reason] };
    const said = run.contents && contents.turnSaid(run.contents, p);
    return endTurn(run, p.turn_id, { at, error: undefined, more: { ...finish, ...said } });
  },
  "turn.superseded": (run, { turn_id, reason }, at) => endTurn(run, turn_id, { at, error: reason }),
  "tool.intent": (run, { call_id, name, plan }, at) => {
    const asked = run.contents ? contents.toolAsked(plan.arguments) : {};
    run.calls.set(call_id, { name, at, attempts: 0, asked });
  },
  "tool.started": (run, { call_id }, at) => {
    const call = run.calls.get(call_id);
    if (!call) return;
    if (call.attempts === 0) call.at = at; // waiting for a person before it is no work of the tool's
    call.attempts += 1;
  },
  "tool.done": (run, p, at) => {
    const failed = p.status === "failed" ? (p.error?.code ?? "failed") : undefined;
    const said = run.contents && contents.toolAnswered(run.contents, p);
    const more = { "quarterdeck.status": p.status, ...said };
    return endCall(run, p.call_id, { at, error: failed, more });
  },
  done: (run, p, at) => {
    const left = { at, error: p.status };
    return [
      ...[...run.turns.keys()].flatMap((id) => endTurn(run, id, left)),
      ...[...run.calls.keys()].flatMap((id) => endCall(run, id, left)),
      agentSpan(run, p, at),
    ];
  },
};
/** What need not even be parsed of a log: most of it. */
export const TRACED_TYPES: ReadonlySet<string> = new Set(Object.keys(HANDLERS));

/** Moves `run` on by the event; the spans that ended with it. */
export function takeEvent(run: TracedRun, event: RunEvent): readonly Span[] {
  const take = own(HANDLERS, event.type) as Take<never> | undefined;
  return take?.(run, event.payload as never, event.created_at) ?? [];
}

type Ending = { at: number; error: string | undefined; more?: Attributes };

function endTurn(run: TracedRun, turnId: string, { at, error, more }: Ending): readonly Span[] {
  const turn = run.turns.get(turnId);
  if (!turn) return [];
  run.turns.delete(turnId);
  const { provider, model } = partsOf(turn.model);
  return [
    {
      ...childOf(run, `turn ${turnId}`),
      name: `chat ${model}`,
      kind: "client",
      start: turn.at,
      end: at,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": model,
        "gen_ai.conversation.id": run.sessionId,
        ...turn.usage,
        ...more,
      },
      error,
    },
  ];
}

function endCall(run: TracedRun, callId: string, { at, error, more }: Ending): readonly Span[] {
  const call = run.calls.get(callId);
  if (!call) return [];
  run.calls.delete(callId);
  return [
    {
      ...childOf(run, `call ${callId}`),
      name: `execute_tool ${call.name}`,
      kind: "internal",
      start: call.at,
      end: at,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.call.id": callId,
        "gen_ai.tool.type": "function",
        "quarterdeck.attempts": call.attempts,
        ...call.asked,
        ...more,
      },
      error,
    },
  ];
}

function agentSpan(run: TracedRun, p: PayloadOf<"done">, end: number): Span {
  const { provider, model } = partsOf(run.model);
  const failed = p.status === "failed" || p.status === "expired";
  return {
    traceId: traceIdOf(run.rootRunId),
    spanId: spanIdOf(run.runId, "run"),
    parentSpanId: parentOf(run),
    name: run.profile === "" ? "invoke_agent" : `invoke_agent ${run.profile}`,
    kind: "internal",
    start: run.at || end,
    end,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": run.profile,
      "gen_ai.provider.name": provider,
      "gen_ai.request.model": model,
      "gen_ai.conversation.id": run.sessionId,
      "quarterdeck.run_id": run.runId,
      "quarterdeck.status": p.status,
      "quarterdeck.recoveries": run.recoveries,
      ...usageOf(p.usage),
      ...(run.contents && contents.runSaid(run.contents, p)),
    },
    error: failed ? (p.error?.code ?? p.status) : undefined,
  };
}

function childOf({ rootRunId, runId }: TracedRun, part: string) {
  const traceId = traceIdOf(rootRunId);
  return { traceId, spanId: spanIdOf(runId, part), parentSpanId: spanIdOf(runId, "run") };
}

/** A subagent's run is named after the call that asked for it. */
function parentOf({ runId, parentRunId }: TracedRun): string | undefined {
  if (parentRunId === null) return undefined;
  const call = runId.startsWith(`${parentRunId}.`) ? runId.slice(parentRunId.length + 1) : "";
  return spanIdOf(parentRunId, call === "" ? "run" : `call ${call}`);
}

export function traceIdOf(rootRunId: string): string {
  return hashed(`trace ${rootRunId}`, 32);
}

export function spanIdOf(runId: string, part: string): string {
  return hashed(`span ${runId} ${part}`, 16);
}

function hashed(text: string, digits: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}

const PROVIDERS: Readonly<Record<string, string>> = { google: "gcp.gemini" }; // by their well-known names

function partsOf(name: string): { provider: string; model: string } {
  const slash = name.indexOf("/");
  const provider = slash < 0 ? "custom" : name.slice(0, slash);
  return { provider: own(PROVIDERS, provider) ?? provider, model: name.slice(slash + 1) };
}

type Usage = Pick<
  PayloadOf<"done">["usage"],
  "input_tokens" | "output_tokens" | "cached_tokens" | "cost_usd"
>;

function usageOf({ input_tokens, output_tokens, cached_tokens, cost_usd }: Usage): Attributes {
  const known = Object.entries({
    "gen_ai.usage.input_tokens": input_tokens,
    "gen_ai.usage.output_tokens": output_tokens,
    "gen_ai.usage.cache_read.input_tokens": cached_tokens,
    "quarterdeck.cost_usd": cost_usd,
  }).filter((entry): entry is [string, number] => entry[1] !== null);
  return Object.fromEntries(known);
}
