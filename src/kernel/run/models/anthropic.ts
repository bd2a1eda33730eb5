// Anthropic's Messages API, with its prompt cache: the system prompt and everything up to the last message are
// marked, so that each turn pays for what it adds.
import { createAnthropic } from "@ai-sdk/anthropic";
import { getModelCapabilities } from "@ai-sdk/anthropic/internal";
import type { LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { createCallLedger } from "./call-ledger.ts";
import type { Model } from "./model.ts";
import { createSdkModel, fetchOf, type ProviderOptions } from "./sdk/model.ts";
import { createTranslator } from "./sdk/parts.ts";
import { toPrompt, toTools } from "./sdk/prompt.ts";

const CACHED: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

export function createAnthropicModel(options: ProviderOptions): Model {
  const { id, apiKey, baseUrl } = options;
  const sdk = createAnthropic({ baseURL: baseUrl, apiKey, fetch: fetchOf(options) })(id);
  const thinking = thinkingOf(id);
  return createSdkModel({
    ...options,
    provider: "anthropic",
    sdk,
    translator: () => createTranslator({ apiKey, ledger: createCallLedger(), keepsCallIds: true }),
    prepare: ({ messages, tools }) => ({
      prompt: markCached(toPrompt(messages, { model: `anthropic/${id}`, strictIds: true })),
      tools: toTools(tools),
      // A ping is a sign of life: a model that thinks for long is not a server that hangs.
      providerOptions: { anthropic: { ...thinking, includePings: true } },
    }),
  });
}

/** Where the model decides itself how much to think. Older ones think only on a budget, which nobody set. */
function thinkingOf(id: string): SharedV4ProviderOptions[string] {
  const { supportsAdaptiveThinking } = getModelCapabilities(id);
  return supportsAdaptiveThinking ? { thinking: { type: "adaptive", display: "summarized" } } : {};
}

function markCached(prompt: LanguageModelV4Message[]): LanguageModelV4Message[] {
  const system = prompt.findLastIndex(({ role }) => role === "system");
  const marked = new Set([system, prompt.length - 1]);
  return prompt.map((message, at) =>
    marked.has(at) ? { ...message, providerOptions: CACHED } : message,
  );
}
