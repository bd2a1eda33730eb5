// Any server that speaks OpenAI's chat completions. The SDK guesses about tool calls such servers send, so every
// raw chunk is also entered in a ledger, and a guess becomes an error.
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Model } from "./model.ts";
import { createSdkModel, fetchOf, type ProviderOptions } from "./sdk-model.ts";
import { createTranslator } from "./sdk-parts.ts";
import { toPrompt, toTools } from "./sdk-prompt.ts";
import { tokens } from "./sdk-usage.ts";
import { createToolCallLedger } from "./tool-call-ledger.ts";

export type OpenAiCompatibleOptions = Omit<ProviderOptions, "apiKey"> & {
  provider: string;
  apiKey?: string;
};

export function createOpenAiCompatible(options: OpenAiCompatibleOptions): Model {
  const { provider, id, apiKey } = options;
  const sdk = createOpenAICompatible({
    name: provider,
    baseURL: options.baseUrl,
    includeUsage: true,
    fetch: fetchOf(options),
    convertUsage,
    ...(apiKey && { apiKey }),
  }).chatModel(id);
  return createSdkModel({
    ...options,
    sdk,
    translator: () =>
      createTranslator({ apiKey, ledger: createToolCallLedger(), keepsCallIds: false }),
    prepare: ({ messages, tools }) => ({
      prompt: toPrompt(messages, { model: `${provider}/${id}`, strictIds: false }),
      tools: toTools(tools),
      includeRawChunks: true,
    }),
  });
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
