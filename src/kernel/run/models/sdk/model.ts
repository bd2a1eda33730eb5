// A Model on the AI SDK at doStream level, whatever the provider: no retries, no steps.
// Every way a call can end is one finish part, a ModelError or the caller's own abort, and each of them
// leaves the connection closed.
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { ModelError, type Model, type ModelPart, type ModelRequest, type Price } from "../model.ts";
import { failureOf, incomplete } from "../provider/failure.ts";
import type { Translator } from "./parts.ts";

/** What every provider's factory takes. */
export type ProviderOptions = {
  id: string;
  baseUrl: string;
  apiKey: string;
  contextWindow?: number | null;
  price?: Price | null;
  /** How long the server may be silent, before the first part and between parts. */
  idleTimeoutMs: number;
  fetch?: typeof globalThis.fetch;
};

export type SdkModelOptions = Omit<ProviderOptions, "baseUrl" | "apiKey" | "fetch"> & {
  provider: string;
  apiKey?: string;
  sdk: LanguageModelV4;
  translator: () => Translator;
  prepare: (request: ModelRequest) => LanguageModelV4CallOptions;
};

export function createSdkModel(options: SdkModelOptions): Model {
  const { sdk, apiKey, idleTimeoutMs, prepare } = options;

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    signal.throwIfAborted();
    const call = startCall(signal, idleTimeoutMs);
    const translator = options.translator();
    try {
      const asked = { ...prepare(request), abortSignal: call.signal };
      const { stream: parts, response } = await call.wait(sdk.doStream(asked));
      requireEventStream(response?.headers?.["content-type"]);
      const reader = parts.getReader();
      for (;;) {
        const { done, value } = await call.wait(reader.read());
        if (done) throw incomplete();
        for (const part of translator.translate(value)) {
          yield part;
          if (part.type === "finish") return;
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error, { apiKey, finishSeen: translator.finishSeen() });
    } finally {
      call.close();
    }
  }

  const { provider, id, contextWindow = null, price = null } = options;
  return { provider, id, contextWindow, price, continues: true, stream };
}

export function fetchOf({ fetch }: { fetch?: typeof globalThis.fetch }): typeof globalThis.fetch {
  return guardFetch(fetch ?? globalThis.fetch);
}

/** A page or a JSON body with status 200 is not a stream that ended early; retrying would not help to see why. */
function requireEventStream(contentType: string | undefined): void {
  const mediaType = contentType?.split(";", 1)[0]?.trim().toLowerCase();
  if (mediaType === "text/html" || mediaType === "application/json") {
    throw new ModelError("malformed_output", `The model's server sent ${mediaType}, not events`);
  }
}

// One call's life: it ends when the caller aborts, when the server is silent for too long, or when it is closed.
// Whoever waits is released at once, and the same signal closes the socket.
type ModelCall = {
  signal: AbortSignal;
  /** The work's own result, unless the caller aborts or the server is silent for too long. */
  wait<Value>(work: PromiseLike<Value>): Promise<Value>;
  close(): void;
};

function startCall(caller: AbortSignal, idleTimeoutMs: number): ModelCall {
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

// Bounds what a provider's response can make us hold in memory, and where it can send us.
// The SDK buffers an unfinished line and an error body without limit; a hostile server must not
// be able to exhaust the runner with either.
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BODY_BYTES = 64 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

function guardFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    // A redirect could carry the key to another origin: fetch only drops `authorization` on the way.
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (response.body === null) return response;
    const guard = response.ok ? boundedEvents() : boundedErrorBody();
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(guard), { status, statusText, headers });
  };
}

function boundedEvents(): TransformStream<Uint8Array, Uint8Array> {
  let total = 0;
  let line = 0;
  return new TransformStream({
    transform(bytes, controller) {
      total += bytes.length;
      const lineEnd = Math.max(bytes.lastIndexOf(LINE_FEED), bytes.lastIndexOf(CARRIAGE_RETURN));
      line = lineEnd === -1 ? line + bytes.length : bytes.length - lineEnd - 1;
      if (total > MAX_RESPONSE_BYTES) {
        throw new ModelError("malformed_output", "The model's response exceeds 64 MiB");
      }
      if (line > MAX_LINE_BYTES) {
        throw new ModelError("malformed_output", "The model's response has a line over 4 MiB");
      }
      controller.enqueue(bytes);
    },
  });
}

/** Cuts instead of failing: the status already says what went wrong. */
function boundedErrorBody(): TransformStream<Uint8Array, Uint8Array> {
  let room = MAX_ERROR_BODY_BYTES;
  return new TransformStream({
    transform(bytes, controller) {
      controller.enqueue(bytes.subarray(0, room));
      room -= bytes.length;
      if (room <= 0) controller.terminate();
    },
  });
}
