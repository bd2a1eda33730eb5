// A model that says what was recorded, turn by turn: what its run has been asked so far decides which comes next.
import type { EventType, PayloadOf, RunEvent } from "../../../kernel/events/events.ts";
import { own } from "../../../kernel/events/own.ts";
import {
  ModelError,
  type FinishReason,
  type Model,
  type ModelErrorCode,
  type ModelPart,
  type ProviderData,
} from "../../../kernel/run/models/model.ts";
import type { RunTape } from "./tape.ts";

type Turn = {
  readonly model: string;
  readonly window: number | null;
  readonly parts: readonly ModelPart[];
  readonly failure: ModelError | null;
};

/** `tapeOf`: the recorded run that a run of now plays. */
export function recordedModels(tapeOf: (runId: string) => RunTape | undefined) {
  const turns = new Map<RunTape, readonly Turn[]>();
  const asked = new Map<RunTape, number>();
  const turnsOf = (tape: RunTape) => {
    const known = turns.get(tape) ?? readTurns(tape.events);
    turns.set(tape, known);
    return known;
  };
  return (name: string, runs: readonly RunTape[]): Model => {
    const [provider = "", ...id] = name.split("/");
    const all = runs.flatMap((tape) => turnsOf(tape)).filter(({ model }) => model === name);
    const summaries = runs.flatMap(({ events }) => events.flatMap(summaryOf));
    return {
      provider,
      id: id.join("/"),
      contextWindow: all.find(({ window }) => window !== null)?.window ?? null,
      price: null,
      aside: (kind) => (kind === "summary" ? (summaries.shift() ?? "") : ""),
      async *stream({ runId }) {
        const tape = tapeOf(runId);
        const nth = tape ? (asked.get(tape) ?? 0) : 0;
        if (tape) asked.set(tape, nth + 1);
        const turn = tape && turnsOf(tape)[nth];
        if (!turn) throw new ModelError("bad_request", `The recording has no turn ${nth + 1}.`);
        yield* turn.parts;
        if (turn.failure) throw turn.failure;
      },
    };
  };
}

function summaryOf(event: RunEvent): string[] {
  const isSummary = event.type === "compaction" && event.payload.phase === "completed";
  return isSummary ? [event.payload.summary ?? ""] : [];
}

function readTurns(events: readonly RunEvent[]): Turn[] {
  const begins = events.flatMap((event, at) => (event.type === "turn.started" ? [at] : []));
  return begins.map((from, nth) => readTurn(events.slice(from, begins[nth + 1])));
}

function readTurn(events: readonly RunEvent[]): Turn {
  const parts: ModelPart[] = [];
  let [model, window]: [string, number | null] = ["", null];
  let failure: ModelError | null = null;
  for (const [at, event] of events.entries()) {
    if (isBeside(event)) continue;
    if (event.type === "turn.started") model = event.payload.model;
    if (event.type === "usage.updated") window = event.payload.context_window ?? null;
    if (event.type === "turn.superseded") {
      failure = new ModelError(codeOf(events.slice(at + 1)), event.payload.message);
    }
    parts.push(...partsOf(event, events));
    if (event.type === "message.completed") {
      parts.push({ type: "finish", reason: event.payload.finish_reason as FinishReason });
    }
  }
  return { model, window, parts, failure };
}

/** What a side question used: its answer is not what the turn said. */
export function isBeside(event: RunEvent): boolean {
  return event.type === "usage.updated" && !TURN.test(event.payload.turn_id);
}
const TURN = /^t\d+\.\d+$/;

/** What followed tells what went wrong: room was made, it was tried again, or the run failed. */
function codeOf(after: readonly RunEvent[]): ModelErrorCode {
  if (after.some(({ type }) => type === "compaction")) return "context_length";
  if (after.some(({ type }) => type === "progress")) return "overloaded";
  const error = after.find((event) => event.type === "error");
  return (error?.payload.code.replace(/^model_/, "") ?? "bad_request") as ModelErrorCode;
}

type Parts = {
  readonly [Type in EventType]?: (
    payload: PayloadOf<Type>,
    events: readonly RunEvent[],
  ) => readonly ModelPart[];
};

const PARTS: Parts = {
  "token.delta": ({ delta: text }) => [{ type: "text", text }],
  "reasoning.delta": ({ reasoning_id: id, delta: text }) => [{ type: "reasoning", id, text }],
  "reasoning.done": ({ reasoning_id: id, provider_data: data }) => {
    const given = data === undefined ? {} : { providerData: data as ProviderData };
    return [{ type: "reasoning_end", id, ...given }];
  },
  "usage.updated": (used) => [
    {
      type: "usage",
      inputTokens: used.input_tokens,
      outputTokens: used.output_tokens,
      reasoningTokens: used.reasoning_tokens,
      cachedTokens: used.cached_tokens,
    },
  ],
  "message.completed": ({ tool_calls }, events) => tool_calls.map((call) => callPart(call, events)),
};

function partsOf(event: RunEvent, events: readonly RunEvent[]): readonly ModelPart[] {
  const parts = own(PARTS, event.type) as
    | ((payload: unknown, events: readonly RunEvent[]) => readonly ModelPart[])
    | undefined;
  return parts?.(event.payload, events) ?? [];
}

type Call = { readonly call_id: string; readonly name: string; readonly arguments_text: string };

function callPart({ call_id, name, arguments_text }: Call, events: readonly RunEvent[]): ModelPart {
  const intent = events.find(
    (event) => event.type === "tool.intent" && event.payload.call_id === call_id,
  );
  const planned = intent?.type === "tool.intent" ? intent.payload : undefined;
  const data = planned?.provider_data;
  return {
    type: "tool_call",
    providerCallId: planned?.provider_call_id ?? "",
    name,
    argumentsText: arguments_text,
    ...(data !== undefined && { providerData: data as ProviderData }),
  };
}
