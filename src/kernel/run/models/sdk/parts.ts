// Translates the SDK's stream parts into ModelParts, one model call per translator.
// Tool calls are let through only at the end, after the ledger agreed that none was lost or merged;
// no part is larger than 1 MiB and every string is well-formed.
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { CallLedger } from "../call-ledger.ts";
import { ModelError, type FinishReason, type ModelPart } from "../model.ts";
import { keep, plainMetadata, type Place, mergeMetadata } from "../provider/data.ts";
import { incomplete, streamedFailureOf } from "../provider/failure.ts";
import { usageParts } from "./usage.ts";
import { createWellFormedText, type WellFormedText } from "../well-formed.ts";

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

export type TranslatorOptions = {
  apiKey: string | undefined;
  ledger: CallLedger;
  /** Whether the provider's call ids are kept, to be sent back instead of ours. */
  keepsCallIds: boolean;
};

export function createTranslator(options: TranslatorOptions): Translator {
  const { apiKey, ledger } = options;
  const text = createWellFormedText();
  const calls: ToolCall[] = [];
  const place: Place = { at: 0, order: 0 };
  const reasoning = createReasoningBlocks(() => {
    place.order += 1;
    return { ...place };
  });

  function say(words: string): ModelPart[] {
    place.at += words.length;
    return words === "" ? [] : [{ type: "text", text: words }];
  }

  const table: PartTable = {
    ...IGNORED,
    raw: ({ rawValue }) => {
      ledger.record(rawValue);
      return [];
    },
    "text-delta": ({ delta }) => say(text.push(bounded(delta))),
    "text-end": () => say(text.end()),
    "reasoning-start": ({ id, providerMetadata }) => reasoning.start(id, providerMetadata),
    "reasoning-delta": ({ id, delta, providerMetadata }) =>
      reasoning.delta(id, bounded(delta), providerMetadata),
    "reasoning-end": ({ id, providerMetadata }) => reasoning.end(id, providerMetadata),
    "tool-input-start": ({ id }) => {
      ledger.started(id);
      return [];
    },
    "tool-call": (call) => {
      place.order += 1;
      calls.push(toolCall(call, { ...place, keepsId: options.keepsCallIds }));
      return [];
    },
    finish: ({ usage, finishReason }) => {
      const reason = finish(finishReason, calls);
      ledger.settle(calls, { cutShort: reason === "length" || reason === "content_filter" });
      return [...say(text.end()), ...calls, ...usageParts(usage), { type: "finish", reason }];
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

function toolCall(
  call: Extract<SdkPart, { type: "tool-call" }>,
  { keepsId, ...place }: Place & { keepsId: boolean },
): ToolCall {
  if (call.providerExecuted) unexpected({ type: "server-side tool call" });
  const providerCallId = call.toolCallId.toWellFormed();
  const metadata = plainMetadata(call.providerMetadata);
  const kept = { ...(keepsId && { call_id: providerCallId }), ...(metadata && { metadata }) };
  return {
    type: "tool_call",
    providerCallId,
    name: call.toolName.toWellFormed(),
    argumentsText: call.input.toWellFormed(), // keeps the length, which the ledger compares
    ...(Object.keys(kept).length > 0 && { providerData: keep({ ...place, ...kept }) }),
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
  "tool-input-delta": none,
  "tool-input-end": none,
  ping: none,
  source: none,
  custom: ({ kind }: { kind: string }) =>
    kind === "anthropic.message_start" ? [] : unexpected({ type: kind }),
  "tool-approval-request": unexpected,
  "tool-result": unexpected,
  file: unexpected,
  "reasoning-file": unexpected,
};

function bounded(delta: string): string {
  if (Buffer.byteLength(delta) <= MAX_PART_BYTES) return delta;
  throw new ModelError("malformed_output", "The model sent a single text part over 1 MiB");
}

/** Many servers say "stop" after tool calls; a call they announced and did not send is an error. */
function finish(reason: LanguageModelV4FinishReason, calls: readonly ToolCall[]): FinishReason {
  if (reason.unified === "interrupted") throw incomplete();
  if (reason.raw === "error") {
    throw new ModelError("incomplete", "The model's server gave up in the middle of the answer");
  }
  if (reason.unified === "error") {
    throw new ModelError("malformed_output", "The model's server could not use what it generated");
  }
  const mapped = REASONS[reason.unified];
  if (mapped === "tool_calls" && calls.length === 0) {
    throw new ModelError("malformed_output", "The model announced tool calls and sent none");
  }
  return calls.length > 0 && (mapped === "stop" || mapped === "other") ? "tool_calls" : mapped;
}

// Reasoning as it streams: several blocks, each with its own text, and with what its provider wants back, which may
// arrive with the first, any or the last piece.
type Metadata = SharedV4ProviderMetadata | undefined;
type Block = { id: string; place: Place; text: WellFormedText; said: boolean; metadata: Metadata };

type ReasoningBlocks = {
  start(sdkId: string, metadata: Metadata): ModelPart[];
  delta(sdkId: string, delta: string, metadata: Metadata): ModelPart[];
  end(sdkId: string, metadata: Metadata): ModelPart[];
};

function createReasoningBlocks(nextPlace: () => Place): ReasoningBlocks {
  const blocks = new Map<string, Block>();
  let count = 0;

  function begin(sdkId: string): Block {
    count += 1;
    const text = createWellFormedText();
    const block = { id: `r${count}`, place: nextPlace(), text, said: false, metadata: undefined };
    blocks.set(sdkId, block); // some servers call every block "reasoning-0": the last one counts
    return block;
  }

  function blockOf(sdkId: string, metadata: Metadata): Block {
    const block = blocks.get(sdkId) ?? begin(sdkId);
    block.metadata = mergeMetadata(block.metadata, metadata);
    return block;
  }

  return {
    start(sdkId, metadata) {
      begin(sdkId).metadata = metadata;
      return [];
    },
    delta(sdkId, delta, metadata) {
      const block = blockOf(sdkId, metadata);
      return say(block, block.text.push(delta));
    },
    end: (sdkId, metadata) => endOf(blockOf(sdkId, metadata)),
  };
}

function say(block: Block, text: string): ModelPart[] {
  if (text === "") return [];
  block.said = true;
  return [{ type: "reasoning", id: block.id, text }];
}

/** Reasoning a provider hides has no words and must go back all the same: an empty part stands for it. */
function endOf(block: Block): ModelPart[] {
  const { id, place } = block;
  const last = say(block, block.text.end());
  const metadata = plainMetadata(block.metadata);
  if (!metadata) return [...last, { type: "reasoning_end", id }];
  const hidden: ModelPart[] = block.said ? [] : [{ type: "reasoning", id, text: "" }];
  return [
    ...last,
    ...hidden,
    { type: "reasoning_end", id, providerData: keep({ ...place, metadata }) },
  ];
}
