// Token counts as a provider reported them. What it did not say is null, never 0, and a count that is no
// count (negative, fractional) is not passed on.
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ModelPart } from "../model.ts";

export function usageParts({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): ModelPart[] {
  if (raw === undefined) return [];
  const cacheWriteTokens = tokens(inputTokens.cacheWrite);
  return [
    {
      type: "usage",
      inputTokens: tokens(inputTokens.total) ?? null,
      outputTokens: tokens(outputTokens.total) ?? null,
      reasoningTokens: tokens(outputTokens.reasoning) ?? null,
      cachedTokens: tokens(inputTokens.cacheRead) ?? null,
      ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    },
  ];
}

export function tokens(count: number | null | undefined): number | undefined {
  return Number.isSafeInteger(count) && count! >= 0 ? count! : undefined;
}
