// Any server that speaks OpenAI's chat completions. The SDK guesses about tool calls such servers send, so every
// raw chunk is also entered in a ledger, and a guess becomes an error.
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type Model, ModelError } from "../model.ts";
import { createSdkModel, fetchOf, type ProviderOptions } from "../sdk/model.ts";
import { createTranslator } from "../sdk/parts.ts";
import { toPrompt, toTools } from "../sdk/prompt.ts";
import { tokens } from "../sdk/usage.ts";
import { z } from "zod";
import type { CallLedger } from "../call-ledger.ts";

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

// Keeps account of every tool-call delta on the wire and compares it with the calls the SDK made of them.
// The SDK guesses when ids, indices or names are missing or repeated: it drops what it finds ambiguous and
// hands orphaned arguments to another call. A guess must become an error here, never an executed call.
const MAX_CALLS = 256;
const MAX_CALL_BYTES = 1024 * 1024;

const Delta = z.object({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }),
});
const Choice = z.object({
  delta: z.object({ tool_calls: z.array(Delta).nullish() }).nullish(),
  finish_reason: z.string().nullish(),
});
const Chunk = z.object({ choices: z.tuple([Choice], z.unknown()) });

function createToolCallLedger(): CallLedger {
  const announced = new Set<string>(); // every (index, id, name) that said "here is a call"
  const named = new Set<string>(); // indices and ids that have a name
  const mentioned = new Set<string>();
  let bytes = 0;
  let argumentChars = 0;
  let finished = false;

  function recordDelta({ index, id, function: { name, arguments: text } }: z.infer<typeof Delta>) {
    const wireId = id?.trim() ? id : undefined;
    const keys = index != null ? [`index ${index}`] : wireId != null ? [`id ${wireId}`] : [];
    for (const key of keys) mentioned.add(key);
    if (name?.trim()) {
      for (const key of keys) named.add(key);
      if (wireId != null) named.add(`id ${wireId}`);
      if (wireId != null) announced.add(JSON.stringify([index ?? null, wireId, name]));
    }
    argumentChars += text?.length ?? 0;
    bytes += Buffer.byteLength(`${id ?? ""}${name ?? ""}${text ?? ""}`);
    if (bytes > MAX_CALL_BYTES) throw malformed("The model's tool calls exceed 1 MiB");
    if (announced.size > MAX_CALLS) throw malformed(`The model made over ${MAX_CALLS} tool calls`);
  }

  return {
    record(rawChunk) {
      const chunk = Chunk.safeParse(rawChunk);
      if (!chunk.success) return; // the SDK's own schema judges it
      const [choice] = chunk.data.choices;
      if (choice.finish_reason != null) finished = true;
      for (const delta of choice.delta?.tool_calls ?? []) recordDelta(delta);
    },
    started: () => undefined, // the raw deltas say more
    settle(calls) {
      const delivered = calls.reduce((sum, { argumentsText }) => sum + argumentsText.length, 0);
      if (calls.length > MAX_CALLS) throw malformed(`The model made over ${MAX_CALLS} tool calls`);
      if (delivered !== argumentChars) {
        throw malformed("The model sent tool arguments that belong to no call");
      }
      if (!mentioned.isSubsetOf(named))
        throw malformed("The model sent a tool call without a name");
      if (announced.size > calls.length) {
        throw malformed("The model sent tool calls that cannot be told apart");
      }
    },
    finishSeen: () => finished,
  };
}

function malformed(message: string): ModelError {
  return new ModelError("malformed_output", message);
}
