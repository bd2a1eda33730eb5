// A Model on the AI SDK at doStream level, whatever the provider: no retries, no steps.
// Every way a call can end is one finish part, a ModelError or the caller's own abort, and each of them
// leaves the connection closed.
import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { startCall } from "./model-call.ts";
import { ModelError, type Model, type ModelPart, type ModelRequest, type Price } from "./model.ts";
import { failureOf, incomplete } from "./provider-failure.ts";
import { guardFetch } from "./response-guard.ts";
import type { Translator } from "./sdk-parts.ts";

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
