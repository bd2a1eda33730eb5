// What the runner asks of any model, and everything a model may answer.
// A model answers only with these parts or throws a ModelError: the runner needs no other vocabulary,
// never sees a provider's types and decides about retries from `retryable` alone.

export type ToolSpec = {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>; // JSON Schema
};

/** What a provider wants back with its own words (signatures, ids). Opaque JSON, journaled as it is. */
export type ProviderData = JsonValue;
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };

/** USD per million tokens. What is left out costs as much as other input. */
export type Rates = {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number;
  readonly cacheWrite?: number;
};

/** Some providers charge the whole call more when its input is longer than `above` tokens. */
export type Price = Rates & { readonly longPrompt?: Rates & { readonly above: number } };

export const FREE: Price = { input: 0, output: 0 };

/** What a model can be given as itself, besides words. */
export type FileKind = "image" | "pdf" | "audio";

/** A file that came with a message: told in words, and as itself where the model reads its kind. */
export type AttachedFile = {
  readonly text: string;
  readonly file?: { readonly name: string; readonly mediaType: string; readonly data: Uint8Array };
};

/** The conversation so far. Call ids are the runner's own, never a provider's. */
export type ModelMessage =
  | { role: "system"; text: string }
  | { role: "user"; text: string; attached?: readonly AttachedFile[] }
  | {
      role: "assistant";
      text: string;
      /** Which model said it ("provider/model"): its opaque data goes back to no other. */
      model?: string;
      reasoning?: readonly { text: string; providerData: ProviderData }[];
      toolCalls: readonly {
        callId: string;
        name: string;
        argumentsText: string;
        providerData?: ProviderData;
      }[];
    }
  | {
      role: "tool";
      callId: string;
      name: string;
      text: string;
      isError: boolean;
      attached?: readonly AttachedFile[]; // a picture that the call took
    };

export type ModelRequest = {
  messages: readonly ModelMessage[];
  tools: readonly ToolSpec[];
  runId: string;
};

export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "other";

/** Strings are well-formed Unicode. `argumentsText` is what the model wrote: it may be broken JSON. */
export type ModelPart =
  | { type: "text"; text: string }
  | { type: "reasoning"; id: string; text: string }
  | { type: "reasoning_end"; id: string; providerData?: ProviderData }
  | {
      type: "tool_call";
      providerCallId: string;
      name: string;
      argumentsText: string;
      providerData?: ProviderData;
    }
  | {
      type: "usage";
      inputTokens: number | null; // null: the provider did not say
      outputTokens: number | null;
      reasoningTokens: number | null;
      cachedTokens: number | null;
      cacheWriteTokens?: number; // left out: none, or the provider did not say
    }
  | { type: "finish"; reason: FinishReason };

export interface Model {
  readonly provider: string;
  readonly id: string;
  /** In tokens; null: unknown. */
  readonly contextWindow: number | null;
  /** Null: unknown, and said so. */
  readonly price: Price | null;
  /** Left out: only words. */
  readonly reads?: readonly FileKind[];
  /** It goes on with an answer that was cut when it is asked to. Left out: it says all of it again. */
  readonly continues?: boolean;
  /** A scripted model answers side questions by itself; every other is asked like for anything. */
  aside?(kind: "title" | "summary" | "goal", text: string): string;

  /**
   * One model call. Ends after exactly one `finish`, or throws a ModelError, or throws
   * `signal.reason` promptly after an abort with its connection closed. Reads ahead no further
   * than the consumer pulls.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

// Retryable means: the same request may succeed later. Whether and when is the runner's decision.
const RETRYABLE = {
  rate_limited: true,
  overloaded: true,
  timeout: true,
  network: true,
  auth: false,
  bad_request: false,
  context_length: false,
  malformed_output: true, // sampled output: the next sample is usually sound
  incomplete: true,
  unknown_model: false,
} as const satisfies Record<string, boolean>;

export type ModelErrorCode = keyof typeof RETRYABLE;

/** `message` is safe to journal: bounded, without keys or response bodies. */
export class ModelError extends Error {
  readonly code: ModelErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: ModelErrorCode, message: string, options: { retryAfterMs?: number } = {}) {
    super(message);
    this.name = "ModelError";
    this.code = code;
    this.retryable = RETRYABLE[code];
    this.retryAfterMs = options.retryAfterMs;
  }
}
