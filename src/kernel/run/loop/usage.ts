// What one model call used and cost. An unknown price is null, never zero.
import type { Draft } from "../../events/events.ts";
import type { Model, ModelPart, Price, Rates } from "../models/model.ts";

export type UsagePart = Extract<ModelPart, { type: "usage" }>;

export function usageDraft(
  usage: UsagePart | undefined,
  { turnId, model, durationMs }: { turnId: string; model: Model; durationMs: number },
): Draft {
  const input_tokens = usage?.inputTokens ?? null;
  const output_tokens = usage?.outputTokens ?? null;
  const known = input_tokens !== null || output_tokens !== null;
  return {
    type: "usage.updated",
    payload: {
      turn_id: turnId,
      provider: model.provider,
      model: model.id,
      input_tokens,
      output_tokens,
      total_tokens: known ? (input_tokens ?? 0) + (output_tokens ?? 0) : null,
      reasoning_tokens: usage?.reasoningTokens ?? null,
      cached_tokens: usage?.cachedTokens ?? null,
      cost_usd: costOf(usage, model.price),
      duration_ms: Math.round(durationMs),
      context_window: model.contextWindow,
    },
  };
}

/**
 * Null when the price or the counts are unknown. Tokens read from a cache and written to it are parts of the input,
 * each with a rate of its own; a prompt over the provider's threshold is charged at the higher rates as a whole.
 */
export function costOf(usage: UsagePart | undefined, price: Price | null): number | null {
  if (!price || usage?.inputTokens == null || usage.outputTokens == null) return null;
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens = 0 } = usage;
  const { longPrompt } = price;
  const rates: Rates = longPrompt && inputTokens > longPrompt.above ? longPrompt : price;
  const cached = Math.min(cachedTokens ?? 0, inputTokens);
  const written = Math.min(cacheWriteTokens, inputTokens - cached);
  const perMillion =
    (inputTokens - cached - written) * rates.input +
    cached * (rates.cachedInput ?? rates.input) +
    written * (rates.cacheWrite ?? rates.input) +
    outputTokens * rates.output;
  return perMillion / 1_000_000;
}
