// OpenAI's Responses API. Nothing depends on state at OpenAI: nothing is stored there, and reasoning comes back
// to us encrypted and goes out again with the next request.
import { createOpenAI } from "@ai-sdk/openai";
import { createCallLedger } from "./call-ledger.ts";
import type { Model } from "./model.ts";
import { createSdkModel, fetchOf, type ProviderOptions } from "./sdk/model.ts";
import { createTranslator } from "./sdk/parts.ts";
import { toPrompt, toTools } from "./sdk/prompt.ts";

export function createOpenAi(options: ProviderOptions): Model {
  const { id, apiKey, baseUrl } = options;
  const sdk = createOpenAI({ baseURL: baseUrl, apiKey, fetch: fetchOf(options) }).responses(id);
  return createSdkModel({
    ...options,
    provider: "openai",
    sdk,
    translator: () => createTranslator({ apiKey, ledger: createCallLedger(), keepsCallIds: true }),
    prepare: ({ messages, tools }) => ({
      prompt: toPrompt(messages, { model: `openai/${id}`, strictIds: true }),
      // Strict schemas would make every optional field required, and the model answer null.
      tools: toTools(tools, { strict: false }),
      // The SDK leaves the summary out, and adds the encrypted reasoning, as the model reasons or not.
      providerOptions: { openai: { store: false, reasoningSummary: "auto" } },
    }),
  });
}
