// Translates the SDK's stream parts into ModelParts, one model call per translator.
// Tool calls are let through only at the end, after the ledger agreed that none was lost or merged;
// no part is larger than 1 MiB and every string is well-formed.
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { ModelError, type FinishReason, type ModelPart } from "./model.ts";
import { streamedFailureOf } from "./provider-failure.ts";
import { createToolCallLedger } from "./tool-call-ledger.ts";
import { createWellFormedText } from "./well-formed.ts";

const MAX_PART_BYTES = 1024 * 1024;

type SdkPart = LanguageModelV4StreamPart;
type PartTable = {
  [Type in SdkPart["type"]]: (part: Extract<SdkPart, { type: Type }>) => ModelPart[];
};
type ToolCall = Extract<ModelPart, { type: "tool_call" }>;

const REASONS: Record<LanguageModelV4FinishReason["unified"], FinishReason> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  error: "other",
  interrupted: "other",
  other: "other",
};

export type Translator = {
  translate(part: SdkPart): ModelPart[];
  finishSeen(): boolean;
};

export function createTranslator(apiKey: string | undefined): Translator {
  const ledger = createToolCallLedger();
  const text = createWellFormedText();
  const reasoning = createWellFormedText();
  const calls: ToolCall[] = [];
  let block = 0; // the SDK calls every reasoning block "reasoning-0"

  const table: PartTable = {
    ...IGNORED,
    raw: ({ rawValue }) => {
      ledger.record(rawValue);
      return [];
    },
    "text-delta": ({ delta }) => textParts(text.push(bounded(delta))),
    "text-end": () => textParts(text.end()),
    "reasoning-start": () => {
      block += 1;
      return [];
    },
    "reasoning-delta": ({ delta }) => reasoningParts(block, reasoning.push(bounded(delta))),
    "reasoning-end": () => [
      ...reasoningParts(block, reasoning.end()),
      { type: "reasoning_end", id: `r${block}` },
    ],
    "tool-call": ({ toolCallId, toolName, input }) => {
      calls.push({
        type: "tool_call",
        providerCallId: toolCallId.toWellFormed(),
        name: toolName.toWellFormed(),
        argumentsText: input.toWellFormed(), // keeps the length, which the ledger compares
      });
      return [];
    },
    finish: ({ usage, finishReason }) => {
      ledger.settle(calls);
      return [
        ...calls,
        ...usageParts(usage),
        { type: "finish", reason: finish(finishReason, calls) },
      ];
    },
    error: ({ error }) => {
      throw streamedFailureOf(error, { apiKey, finishSeen: ledger.finishSeen() });
    },
  };

  return {
    translate: (part) => (table[part.type] as (part: SdkPart) => ModelPart[])(part),
    finishSeen: () => ledger.finishSeen(),
  };
}

const none = (): ModelPart[] => [];
const unexpected = ({ type }: { type: string }): never => {
  throw new ModelError("malformed_output", `The model sent a ${type} part, which nobody asked for`);
};

const IGNORED = {
  "stream-start": none,
  "response-metadata": none,
  "text-start": none,
  "tool-input-start": none,
  "tool-input-delta": none,
  "tool-input-end": none,
  ping: none,
  "tool-approval-request": unexpected,
  "tool-result": unexpected,
  custom: unexpected,
  file: unexpected,
  "reasoning-file": unexpected,
  source: none,
};

function textParts(text: string): ModelPart[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function reasoningParts(block: number, text: string): ModelPart[] {
  return text === "" ? [] : [{ type: "reasoning", id: `r${block}`, text }];
}

function bounded(delta: string): string {
  if (Buffer.byteLength(delta) <= MAX_PART_BYTES) return delta;
  throw new ModelError("malformed_output", "The model sent a single text part over 1 MiB");
}

function usageParts({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): ModelPart[] {
  if (raw === undefined) return [];
  return [
    {
      type: "usage",
      inputTokens: inputTokens.total ?? null,
      outputTokens: outputTokens.total ?? null,
      reasoningTokens: outputTokens.reasoning ?? null,
      cachedTokens: inputTokens.cacheRead ?? null,
    },
  ];
}

/** Many servers say "stop" after tool calls; a call they announced and did not send is an error. */
function finish(reason: LanguageModelV4FinishReason, calls: readonly ToolCall[]): FinishReason {
  if (reason.raw === "error") {
    throw new ModelError("incomplete", "The model's server gave up in the middle of the answer");
  }
  const mapped = REASONS[reason.unified];
  if (mapped === "tool_calls" && calls.length === 0) {
    throw new ModelError("malformed_output", "The model announced tool calls and sent none");
  }
  return calls.length > 0 && (mapped === "stop" || mapped === "other") ? "tool_calls" : mapped;
}
