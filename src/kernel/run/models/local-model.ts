// A model on this machine (Ollama, LM Studio), through its server's OpenAI-compatible side. It costs nothing, gets
// no key, and its window is asked for beside the first call, never before it.
import { localWindow, type LocalProvider } from "./discover.ts";
import { FREE, type Model, type ModelPart, type ModelRequest } from "./model.ts";
import type { ModelFacts } from "./model-data.ts";
import { createOpenAiCompatible } from "./openai/compatible.ts";

export type LocalModelOptions = {
  provider: LocalProvider;
  id: string;
  baseUrl: string; // the server's root
  facts: ModelFacts;
  idleTimeoutMs: number;
};

const PROBE_MS = 1_000; // beside the call, so nearly always over before it

export function createLocalModel({ facts, ...options }: LocalModelOptions): Model {
  const { provider, id, baseUrl } = options;
  const inner = createOpenAiCompatible({ ...options, baseUrl: `${baseUrl}/v1` });
  let window = facts.contextWindow;

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const asked =
      window === null && !signal.aborted
        ? localWindow({ provider, baseUrl, id }, { timeoutMs: PROBE_MS })
        : null;
    try {
      yield* inner.stream(request, signal);
    } finally {
      if (!signal.aborted) window ??= await asked;
    }
  }

  return {
    provider,
    id,
    price: facts.price ?? FREE,
    continues: true,
    stream,
    get contextWindow() {
      return window;
    },
  };
}
