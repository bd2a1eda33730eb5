// From a name ("provider/model") to a model. A name nobody can serve is a visible error of the run,
// never a silent fallback to another model.
// A key goes only where it belongs: a provider's own to its own address (or the one configured with it), the key
// of QUARTERDECK_BASE_URL to that URL, and none to a server on this machine.
import { isLocal, localUrl, type LocalProvider } from "./discover.ts";
import { readModelData, type ModelFacts } from "./model-data.ts";
import { FREE, ModelError, type FileKind, type Model } from "./model.ts";
import { ANTHROPIC_URL, GOOGLE_URL, OPENAI_URL } from "./provider/urls.ts";
import type { ProviderOptions } from "./sdk/model.ts";

export type KeyedProvider = "openai" | "anthropic" | "google";

export type ModelSettings = {
  /** Any OpenAI-compatible endpoint: serves every name that no provider below serves. */
  baseUrl: string | undefined;
  modelKey: string | undefined;
  openAiKey: string | undefined;
  anthropicKey?: string | undefined;
  googleKey?: string | undefined;
  /** Other addresses of the providers. A provider's key is sent there. */
  baseUrls?: Partial<Record<KeyedProvider | LocalProvider, string>>;
  idleTimeoutMs: number;
  /** Serves demo/…; left out: nobody does. */
  demo?: (options: { delayMs: number }) => Model;
  demoDelayMs?: number;
  /** models.json in the home: prices and windows that correct or extend ours. */
  modelsFile?: string;
};

type KeyedEntry = {
  url: string;
  keyName: string;
  key(settings: ModelSettings): string | undefined;
  load(): Promise<(options: ProviderOptions) => Model>;
};

export const KEYED: Record<KeyedProvider, KeyedEntry> = {
  openai: {
    url: OPENAI_URL,
    keyName: "OPENAI_API_KEY",
    key: ({ openAiKey }) => openAiKey,
    load: async () => (await import("./openai.ts")).createOpenAi,
  },
  anthropic: {
    url: ANTHROPIC_URL,
    keyName: "ANTHROPIC_API_KEY",
    key: ({ anthropicKey }) => anthropicKey,
    load: async () => (await import("./anthropic.ts")).createAnthropicModel,
  },
  google: {
    url: GOOGLE_URL,
    keyName: "GOOGLE_GENERATIVE_AI_API_KEY",
    key: ({ googleKey }) => googleKey,
    load: async () => (await import("./google.ts")).createGoogleModel,
  },
};

export function resolveModel(settings: ModelSettings): (name: string) => Model {
  const demo = settings.demo?.({ delayMs: settings.demoDelayMs ?? 0 });
  const known = new Map<string, Model>();
  return (name) => {
    const slash = name.indexOf("/");
    const provider = slash < 0 ? "" : name.slice(0, slash);
    if (provider === "demo" && demo) return demo;
    const wanted = { name, provider, id: name.slice(slash + 1) };
    const data = readModelData(settings.modelsFile);
    const facts = data.lookUp(provider, wanted.id);
    const reads = data.reads(provider, wanted.id) ?? usuallyReads(provider, settings);
    const key = JSON.stringify([name, facts, reads]); // an edited models.json makes another model of it
    const model = known.get(key) ?? createModel({ ...wanted, reads }, facts, settings);
    if (known.size > MAX_KNOWN) known.clear();
    known.set(key, model);
    return model;
  };
}

/** The big providers take pictures and PDFs, Gemini sound too; of others' models most take pictures, few more. */
function usuallyReads(provider: string, settings: ModelSettings): readonly FileKind[] {
  const own = isKeyed(provider) && keyFor(provider, settings) !== undefined;
  if (!own) return ["image"];
  return provider === "google" ? ["image", "pdf", "audio"] : ["image", "pdf"];
}

const MAX_KNOWN = 200;

type Wanted = {
  readonly name: string;
  readonly provider: string;
  readonly id: string;
  readonly reads: readonly FileKind[];
};

function createModel(
  { name, provider, id, reads }: Wanted,
  facts: ModelFacts,
  settings: ModelSettings,
): Model {
  const { idleTimeoutMs, baseUrl, modelKey } = settings;
  const common = { provider, id, reads, ...facts };
  if (isLocal(provider)) {
    const options = { provider, id, baseUrl: localUrl(provider, settings.baseUrls), facts };
    return lazyModel({ ...common, price: facts.price ?? FREE }, async () =>
      (await import("./local-model.ts")).createLocalModel({ ...options, idleTimeoutMs }),
    );
  }
  const apiKey = isKeyed(provider) ? keyFor(provider, settings) : undefined;
  if (isKeyed(provider) && apiKey) {
    const entry = KEYED[provider];
    const { url } = entry;
    const options = { id, baseUrl: settings.baseUrls?.[provider] ?? url, apiKey, idleTimeoutMs };
    return lazyModel(common, async () => (await entry.load())({ ...options, ...facts }));
  }
  if (baseUrl) {
    const options = { ...common, provider: provider || "custom", baseUrl, idleTimeoutMs };
    const keyed = { ...options, ...(modelKey && { apiKey: modelKey }) };
    return lazyModel(options, async () =>
      (await import("./openai/compatible.ts")).createOpenAiCompatible(keyed),
    );
  }
  throw new ModelError(isKeyed(provider) ? "auth" : "unknown_model", refusal(name, provider));
}

export function isKeyed(provider: string): provider is KeyedProvider {
  return Object.hasOwn(KEYED, provider);
}

/** Who sets a base URL for OpenAI-compatible calls means it for openai/… too, unless OpenAI has one of its own. */
export function keyFor(provider: KeyedProvider, settings: ModelSettings): string | undefined {
  if (provider === "openai" && settings.baseUrl && !settings.baseUrls?.openai) return undefined;
  return KEYED[provider].key(settings);
}

function refusal(name: string, provider: string): string {
  const shown = name.slice(0, 100);
  return isKeyed(provider)
    ? `${shown} needs ${KEYED[provider].keyName}. Set it and restart, or choose another model.`
    : `No provider serves “${shown}”. Use openai/…, anthropic/…, google/…, ollama/… or lmstudio/…, set QUARTERDECK_BASE_URL, or use demo/demo.`;
}

// A model whose library is loaded with its first call: a runner that plays the demo, or waits for work,
// pays for none of them.
type Facts = Pick<Model, "provider" | "id" | "contextWindow" | "price" | "reads">;

function lazyModel(facts: Facts, load: () => Promise<Model>): Model {
  let loading: Promise<Model> | undefined;
  let loaded: Model | undefined;
  return {
    ...facts,
    continues: true,
    get contextWindow() {
      return loaded?.contextWindow ?? facts.contextWindow;
    },
    async *stream(request, signal) {
      signal.throwIfAborted();
      loaded = await (loading ??= load());
      yield* loaded.stream(request, signal);
    },
  };
}
