// One model call. Its output is journaled as it arrives; its end (text, tool calls and their
// intents) is one atomic append, so a crash leaves either a cut step or a complete one.
import type { Draft } from "../protocol/events.ts";
import { buildMessages } from "./context.ts";
import { ModelError, type Model, type ModelPart } from "./models/model.ts";
import { planCall, type PlannedCall } from "./plan-call.ts";
import type { RunLog } from "./run-log.ts";
import { TOOL_SPECS } from "./tools/registry.ts";

const MAX_DELTA_CHARS = 32_768;
const MAX_STEP_CHARS = 524_288;
const MAX_END_CHARS = 1_000_000; // below the journal's limit for one event, envelope included

export type TurnStart = { index: number; attempt: number };

type Step = {
  turnId: string;
  messageId: string;
  text: string;
  calls: PlannedCall[];
  reasoning: Map<string, { id: string; text: string; since: number }>;
  usage: Extract<ModelPart, { type: "usage" }> | undefined;
  finish: string;
};

/** Throws a ModelError, or the log's abort reason, with everything said so far journaled. */
export async function callModel(
  log: RunLog,
  model: Model,
  { index, attempt }: TurnStart,
): Promise<void> {
  const turnId = `t${index}.${attempt}`;
  const name = `${model.provider}/${model.id}`;
  const began: Draft = {
    type: "turn.started",
    payload: { turn_id: turnId, index, attempt, model: name },
  };
  let messages = await buildMessages(log.journal, log.state);
  while (!(await log.appendIfCurrent([began]))) {
    // Something was said meanwhile: this turn must know it, or nobody would ever read it.
    log.signal.throwIfAborted();
    messages = await buildMessages(log.journal, log.state);
  }
  const started = performance.now();
  const step: Step = {
    turnId,
    messageId: `m${index}.${attempt}`,
    text: "",
    calls: [],
    reasoning: new Map(),
    usage: undefined,
    finish: "other",
  };
  try {
    const request = { messages, tools: TOOL_SPECS, runId: log.claim.runId };
    for await (const part of model.stream(request, log.signal)) {
      await HANDLE[part.type](part as never, step, log);
    }
  } catch (error) {
    await log.flush(); // what was shown is journaled before anyone decides what to do about it
    throw error;
  }
  log.signal.throwIfAborted();
  const end = [
    ...endReasoning(step),
    usageDraft(step, model, performance.now() - started),
    completed(step),
    ...step.calls.flatMap(({ drafts }) => drafts),
  ];
  if (end.some(({ payload }) => JSON.stringify(payload).length > MAX_END_CHARS)) throw tooMuch();
  await log.append(end);
}

/** Ends a step that a person cancelled: what was said so far is kept as the answer it became. */
export function cutShort(log: RunLog): Draft[] {
  const { turn } = log.state;
  if (turn?.phase !== "model") return [];
  const messageId = `m${turn.index}.${turn.attempt}`;
  const text = streamedText(log, messageId);
  const payload = { message_id: messageId, turn_id: turn.turnId, text, tool_calls: [] };
  return [{ type: "message.completed", payload: { ...payload, finish_reason: "cancelled" } }];
}

function streamedText({ state }: RunLog, messageId: string): string {
  const item = state.items.tail.findLast((i) => i.kind === "text" && i.messageId === messageId);
  return item?.kind === "text" ? item.text : "";
}

const HANDLE: {
  [Type in ModelPart["type"]]: (
    part: Extract<ModelPart, { type: Type }>,
    step: Step,
    log: RunLog,
  ) => Promise<void> | void;
} = {
  text: async ({ text }, step, log) => {
    step.text += text;
    if (step.text.length > MAX_STEP_CHARS) throw tooMuch();
    for (const delta of pieces(text)) {
      const payload = { message_id: step.messageId, delta, content_type: "text" as const };
      await log.stream({ type: "token.delta", payload }, delta.length);
    }
  },
  reasoning: async ({ id, text }, step, log) => {
    const block = step.reasoning.get(id) ?? {
      id: `r${step.turnId}.${step.reasoning.size}`,
      text: "",
      since: performance.now(),
    };
    step.reasoning.set(id, { ...block, text: block.text + text });
    if (block.text.length + text.length > MAX_STEP_CHARS) throw tooMuch();
    for (const delta of pieces(text)) {
      const payload = { reasoning_id: block.id, delta, visibility: "visible" as const };
      await log.stream({ type: "reasoning.delta", payload }, delta.length);
    }
  },
  reasoning_end: ({ id }, step, log) => {
    const block = step.reasoning.get(id);
    if (!block) return;
    step.reasoning.delete(id);
    return log.stream(reasoningDone(block), 0);
  },
  tool_call: (call, step, log) => {
    const index = step.calls.length;
    const { workspace } = log.state;
    step.calls.push(planCall(call, { turnId: step.turnId, index, workspace }));
  },
  usage: (usage, step) => {
    step.usage = usage;
  },
  finish: ({ reason }, step) => {
    step.finish = reason;
  },
};

/** Events are bounded, whatever a model sends in one piece. */
function pieces(text: string): string[] {
  if (text.length <= MAX_DELTA_CHARS) return text === "" ? [] : [text];
  return [text.slice(0, MAX_DELTA_CHARS), ...pieces(text.slice(MAX_DELTA_CHARS))];
}

function tooMuch(): ModelError {
  return new ModelError(
    "malformed_output",
    "The model sent more in one step than fits into an event.",
  );
}

function endReasoning(step: Step): Draft[] {
  return [...step.reasoning.values()].map(reasoningDone);
}

function reasoningDone(block: { id: string; text: string; since: number }): Draft {
  const duration_ms = Math.round(performance.now() - block.since);
  const payload = { reasoning_id: block.id, text: block.text, duration_ms };
  return { type: "reasoning.done", payload: { ...payload, visibility: "visible" } };
}

function completed(step: Step): Draft {
  const { messageId, turnId, text, calls, finish } = step;
  const tool_calls = calls.map(({ toolCall }) => toolCall);
  const payload = {
    message_id: messageId,
    turn_id: turnId,
    text,
    tool_calls,
    finish_reason: finish,
  };
  return { type: "message.completed", payload };
}

function usageDraft({ turnId, usage }: Step, model: Model, duration: number): Draft {
  const input_tokens = usage?.inputTokens ?? null;
  const output_tokens = usage?.outputTokens ?? null;
  const known = input_tokens !== null || output_tokens !== null;
  return {
    type: "usage.updated",
    payload: {
      turn_id: turnId,
      provider: model.provider,
      model: model.id,
      input_tokens,
      output_tokens,
      total_tokens: known ? (input_tokens ?? 0) + (output_tokens ?? 0) : null,
      reasoning_tokens: usage?.reasoningTokens ?? null,
      cached_tokens: usage?.cachedTokens ?? null,
      cost_usd: null,
      duration_ms: Math.round(duration),
    },
  };
}
