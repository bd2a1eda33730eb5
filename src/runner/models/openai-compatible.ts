// Any server that speaks OpenAI's chat completions, through the AI SDK at doStream level: no retries, no steps.
// Every way a call can end is a finish part, a ModelError or the caller's own abort, and each of them
// leaves the connection closed.
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ModelError, type Model, type ModelPart, type ModelRequest } from "./model.ts";
import { createTranslator } from "./openai-parts.ts";
import { toPrompt, toTools } from "./openai-prompt.ts";
import { failureOf } from "./provider-failure.ts";
import { guardFetch } from "./response-guard.ts";

export type OpenAiCompatibleOptions = {
  provider: string;
  id: string;
  baseUrl: string;
  apiKey?: string;
  /** How long the server may be silent, before the first part and between parts. */
  idleTimeoutMs: number;
  fetch?: typeof globalThis.fetch;
};

export function createOpenAiCompatible(options: OpenAiCompatibleOptions): Model {
  const sdk = createOpenAICompatible({
    name: options.provider,
    baseURL: options.baseUrl,
    includeUsage: true,
    fetch: guardFetch(options.fetch ?? globalThis.fetch),
    convertUsage,
    ...(options.apiKey && { apiKey: options.apiKey }),
  }).chatModel(options.id);

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    signal.throwIfAborted();
    const call = startCall(signal, options.idleTimeoutMs);
    const translator = createTranslator(options.apiKey);
    try {
      const { stream: parts, response } = await call.wait(
        sdk.doStream({
          prompt: toPrompt(request.messages),
          tools: toTools(request.tools),
          includeRawChunks: true,
          abortSignal: call.signal,
        }),
      );
      requireEventStream(response?.headers?.["content-type"]);
      const reader = parts.getReader();
      for (;;) {
        const { done, value } = await call.wait(reader.read());
        if (done) return;
        yield* translator.translate(value);
      }
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error, { apiKey: options.apiKey, finishSeen: translator.finishSeen() });
    } finally {
      call.close();
    }
  }

  return { provider: options.provider, id: options.id, stream };
}

type Call = {
  signal: AbortSignal;
  /** The work's own result, unless the caller aborts or the server is silent for too long. */
  wait<Value>(work: PromiseLike<Value>): Promise<Value>;
  close(): void;
};

function startCall(caller: AbortSignal, idleTimeoutMs: number): Call {
  const own = new AbortController();
  const signal = AbortSignal.any([caller, own.signal]);

  async function wait<Value>(work: PromiseLike<Value>): Promise<Value> {
    const stopped = Promise.withResolvers<never>();
    const stop = () => stopped.reject(signal.reason);
    const timer = setTimeout(() => {
      own.abort(new ModelError("timeout", `The model was silent for ${idleTimeoutMs} ms`));
    }, idleTimeoutMs);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await Promise.race([stopped.promise, work]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  return { signal, wait, close: () => own.abort() };
}

/** A page or a JSON body with status 200 is not a stream that ended early; retrying would not help to see why. */
function requireEventStream(contentType: string | undefined): void {
  const mediaType = contentType?.split(";", 1)[0]?.trim().toLowerCase();
  if (mediaType === "text/html" || mediaType === "application/json") {
    throw new ModelError("malformed_output", `The model's server sent ${mediaType}, not events`);
  }
}

type WireUsage = Parameters<
  NonNullable<Parameters<typeof createOpenAICompatible>[0]["convertUsage"]>
>[0];

/** The SDK's own converter reports 0 where the provider said nothing. */
function convertUsage(usage: WireUsage): LanguageModelV4Usage {
  const prompt = tokens(usage?.prompt_tokens);
  const cached = tokens(usage?.prompt_tokens_details?.cached_tokens);
  const completion = tokens(usage?.completion_tokens);
  const reasoning = tokens(usage?.completion_tokens_details?.reasoning_tokens);
  return {
    inputTokens: { total: prompt, noCache: undefined, cacheRead: cached, cacheWrite: undefined },
    outputTokens: { total: completion, text: undefined, reasoning },
    ...(usage && { raw: {} }), // present: the provider reported usage
  };
}

function tokens(count: number | null | undefined): number | undefined {
  return Number.isSafeInteger(count) && count! >= 0 ? count! : undefined;
}
