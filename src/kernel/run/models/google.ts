// Google's Gemini API. Thoughts are asked for where the model has them; their signatures go back with the calls,
// because Gemini 3 refuses a tool loop without them.
import { createGoogle } from "@ai-sdk/google";
import { createCallLedger } from "./call-ledger.ts";
import type { Model } from "./model.ts";
import { createSdkModel, fetchOf, type ProviderOptions } from "./sdk/model.ts";
import { createTranslator } from "./sdk/parts.ts";
import { toPrompt, toTools } from "./sdk/prompt.ts";

const THINKS = /^(models\/)?gemini-(2\.5|[3-9]|\d\d)/;

export function createGoogleModel(options: ProviderOptions): Model {
  const { id, apiKey, baseUrl } = options;
  const sdk = createGoogle({ baseURL: baseUrl, apiKey, fetch: fetchOf(options) })(id);
  const thinking = THINKS.test(id) ? { thinkingConfig: { includeThoughts: true } } : {};
  return createSdkModel({
    ...options,
    provider: "google",
    sdk,
    translator: () => createTranslator({ apiKey, ledger: createCallLedger(), keepsCallIds: true }),
    prepare: ({ messages, tools }) => ({
      prompt: toPrompt(messages, { model: `google/${id}`, strictIds: true }),
      tools: toTools(tools),
      providerOptions: { google: thinking },
    }),
  });
}
