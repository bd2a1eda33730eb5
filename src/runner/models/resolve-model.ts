// From a name ("provider/model") to a model. A name nobody can serve is a visible error of the run,
// never a silent fallback to another model.
// A key goes only where it belongs: a provider's own to its own address (or the one configured with it), the key
// of QUARTERDECK_BASE_URL to that URL, and none to a server on this machine.
import { ANTHROPIC_URL, createAnthropicModel } from "./anthropic.ts";
import { createDemo } from "./demo.ts";
import { isLocal, localUrl, type LocalProvider } from "./discover.ts";
import { createGoogleModel, GOOGLE_URL } from "./google.ts";
import { createLocalModel } from "./local-model.ts";
import { readModelData } from "./model-data.ts";
import { ModelError, type Model } from "./model.ts";
import { createOpenAiCompatible } from "./openai-compatible.ts";
import { createOpenAi, OPENAI_URL } from "./openai.ts";
import type { ProviderOptions } from "./sdk-model.ts";

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
  demoDelayMs: number;
  /** models.json in the home: prices and windows that correct or extend ours. */
  modelsFile?: string;
};

type KeyedEntry = {
  url: string;
  keyName: string;
  key(settings: ModelSettings): string | undefined;
  create(options: ProviderOptions): Model;
};

export const KEYED: Record<KeyedProvider, KeyedEntry> = {
  openai: {
    url: OPENAI_URL,
    keyName: "OPENAI_API_KEY",
    key: ({ openAiKey }) => openAiKey,
    create: createOpenAi,
  },
  anthropic: {
    url: ANTHROPIC_URL,
    keyName: "ANTHROPIC_API_KEY",
    key: ({ anthropicKey }) => anthropicKey,
    create: createAnthropicModel,
  },
  google: {
    url: GOOGLE_URL,
    keyName: "GOOGLE_GENERATIVE_AI_API_KEY",
    key: ({ googleKey }) => googleKey,
    create: createGoogleModel,
  },
};

export function resolveModel(settings: ModelSettings): (name: string) => Model {
  const demo = createDemo({ delayMs: settings.demoDelayMs });
  const { idleTimeoutMs, baseUrl } = settings;
  return (name) => {
    const slash = name.indexOf("/");
    const provider = slash < 0 ? "" : name.slice(0, slash);
    const id = name.slice(slash + 1);
    if (provider === "demo") return demo;
    const facts = readModelData(settings.modelsFile).lookUp(provider, id);
    if (isLocal(provider)) {
      const url = localUrl(provider, settings.baseUrls);
      return createLocalModel({ provider, id, baseUrl: url, facts, idleTimeoutMs });
    }
    const key = isKeyed(provider) ? keyFor(provider, settings) : undefined;
    if (isKeyed(provider) && key) {
      const at = settings.baseUrls?.[provider] ?? KEYED[provider].url;
      return KEYED[provider].create({ id, baseUrl: at, apiKey: key, idleTimeoutMs, ...facts });
    }
    if (baseUrl) {
      const apiKey = settings.modelKey;
      const options = { provider: provider || "custom", id, baseUrl, idleTimeoutMs, ...facts };
      return createOpenAiCompatible({ ...options, ...(apiKey && { apiKey }) });
    }
    throw new ModelError(isKeyed(provider) ? "auth" : "unknown_model", refusal(name, provider));
  };
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
