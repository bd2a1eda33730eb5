// One model call. Its output is journaled as it arrives; its end (text, tool calls and their intents) is one atomic
// append, so a crash leaves an interrupted step or a complete one.
import type { RunPolicy } from "../../events/catalogue/lifecycle.ts";
import type { Draft } from "../../events/events.ts";
import { continueAnswer, cutAnswer } from "../context/continue-answer.ts";
import {
  ModelError,
  type Model,
  type ModelMessage,
  type ModelPart,
  type ProviderData,
} from "../models/model.ts";
import { planCall, type PlannedCall } from "./plan-call.ts";
import type { RunLog } from "./run-log.ts";
import { usageDraft, type UsagePart } from "./usage.ts";
import { redactedText, type Channels } from "./redact-log.ts";
import type { Toolset } from "../tools/toolset.ts";

const MAX_DELTA_CHARS = 32_768;
const MAX_STEP_CHARS = 524_288;
const MAX_END_CHARS = 1_000_000; // below the journal's limit for one event, envelope included

export type TurnStart = {
  index: number;
  attempt: number;
  toolset: Toolset;
  messages: readonly ModelMessage[];
  /** The conversation anew, when something was said while the turn was about to begin. */
  build: () => Promise<readonly ModelMessage[]>;
  policy?: RunPolicy | undefined;
};

type Thought = { readonly id: string; text: string; readonly since: number };

type Step = {
  redact: Channels<string>;
  tools: Toolset["tools"];
  turnId: string;
  messageId: string;
  text: string;
  calls: PlannedCall[];
  reasoning: Map<string, Thought>;
  thoughts: number;
  usage: UsagePart | undefined;
  finish: string;
};

/** Throws a ModelError, or the log's abort reason, with everything said so far journaled. */
export async function callModel(
  log: RunLog,
  model: Model,
  { index, attempt, toolset, messages, build, policy }: TurnStart,
): Promise<void> {
  const turnId = `t${index}.${attempt}`;
  const name = `${model.provider}/${model.id}`;
  const began: Draft = {
    type: "turn.started",
    payload: { turn_id: turnId, index, attempt, model: name, ...(policy && { policy }) },
  };
  while (!(await log.appendIfCurrent([began]))) {
    // Something was said meanwhile: this turn must know it, or nobody would ever read it.
    log.signal.throwIfAborted();
    messages = await build();
  }
  const started = performance.now();
  const step: Step = {
    redact: redactedText(log.journal.redactor),
    tools: toolset.tools,
    turnId,
    messageId: `m${index}.${attempt}`,
    text: "",
    calls: [],
    reasoning: new Map(),
    thoughts: 0,
    usage: undefined,
    finish: "other",
  };
  try {
    const request = { messages, tools: toolset.specs, runId: log.claim.runId };
    const said = model.continues ? cutAnswer(log.state, index) : undefined;
    const parts =
      said === undefined
        ? model.stream(request, log.signal)
        : continueAnswer(model, { request, said }, log.signal);
    for await (const part of parts) {
      await HANDLE[part.type](part as never, step, log);
    }
    await showRest(step, log);
  } catch (error) {
    await showRest(step, log).catch(() => undefined); // the first failure is the one to tell
    await log.flush(); // what was shown is journaled before anyone decides what to do about it
    throw error;
  }
  log.signal.throwIfAborted();
  const end = [
    ...endReasoning(step),
    usageDraft(step.usage, { turnId, model, durationMs: performance.now() - started }),
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
  text: ({ text }, step, log) => showText(step.redact.push(step.messageId, text), step, log),
  reasoning: async ({ id, text }, step, log) => {
    const block = step.reasoning.get(id) ?? {
      id: `r${step.turnId}.${step.thoughts++}`,
      text: "",
      since: performance.now(),
    };
    step.reasoning.set(id, block);
    await showThought(step.redact.push(block.id, text), block, log);
  },
  reasoning_end: async ({ id, providerData }, step, log) => {
    const block = step.reasoning.get(id);
    if (!block) return;
    step.reasoning.delete(id);
    await showThought(step.redact.end(block.id), block, log);
    await log.stream(reasoningDone(block, providerData), 0);
  },
  tool_call: (call, step, log) => {
    const index = step.calls.length;
    const { workspace } = log.state;
    const { turnId, tools } = step;
    const { redactor } = log.journal;
    step.calls.push(planCall(call, { turnId, index, workspace, tools, redactor }));
  },
  usage: (usage, step) => {
    step.usage = usage;
  },
  finish: ({ reason }, step) => {
    step.finish = reason;
  },
};

async function showText(text: string, step: Step, log: RunLog): Promise<void> {
  step.text += text;
  if (step.text.length > MAX_STEP_CHARS) throw tooMuch();
  for (const delta of pieces(text)) {
    const payload = { message_id: step.messageId, delta, content_type: "text" as const };
    await log.stream({ type: "token.delta", payload }, delta.length);
  }
}

async function showThought(text: string, block: Thought, log: RunLog): Promise<void> {
  block.text += text;
  if (block.text.length > MAX_STEP_CHARS) throw tooMuch();
  for (const delta of pieces(text)) {
    const payload = { reasoning_id: block.id, delta, visibility: "visible" as const };
    await log.stream({ type: "reasoning.delta", payload }, delta.length);
  }
}

/** What could have been the beginning of a secret and was none is shown after all. */
async function showRest(step: Step, log: RunLog): Promise<void> {
  for (const block of step.reasoning.values()) {
    await showThought(step.redact.end(block.id), block, log);
  }
  await showText(step.redact.end(step.messageId), step, log);
}

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
  return [...step.reasoning.values()].map((block) => reasoningDone(block));
}

function reasoningDone(block: Thought, providerData?: ProviderData): Draft {
  const payload = {
    reasoning_id: block.id,
    text: block.text,
    duration_ms: Math.round(performance.now() - block.since),
    visibility: "visible" as const,
    ...(providerData !== undefined && { provider_data: providerData }),
  };
  return { type: "reasoning.done", payload };
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
