// How a run ended and what it used, in the words of the OpenAI formats.
import type { Usage } from "../../../../kernel/events/catalogue/lifecycle.ts";

/** Null when the provider said nothing: a nought would be a claim. */
export function responseUsage(usage: Usage) {
  if (isUnknown(usage)) return null;
  const input_tokens = usage.input_tokens ?? 0;
  const output_tokens = usage.output_tokens ?? 0;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: usage.cached_tokens ?? 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
    total_tokens: usage.total_tokens ?? input_tokens + output_tokens,
  };
}
export type ResponseUsage = ReturnType<typeof responseUsage>;

export function chatUsage(counted: ResponseUsage) {
  return (
    counted && {
      prompt_tokens: counted.input_tokens,
      completion_tokens: counted.output_tokens,
      total_tokens: counted.total_tokens,
      prompt_tokens_details: counted.input_tokens_details,
      completion_tokens_details: counted.output_tokens_details,
    }
  );
}
export type ChatUsage = ReturnType<typeof chatUsage>;

function isUnknown({ input_tokens, output_tokens, total_tokens }: Usage): boolean {
  return input_tokens === null && output_tokens === null && total_tokens === null;
}

export type ChatFinish = "stop" | "length" | "content_filter";

/** Of a model's last step, as the journal has it. */
export function chatFinish(reason: string): ChatFinish {
  return reason === "length" || reason === "content_filter" ? reason : "stop";
}

/** Why a completed run's answer is not all of it; undefined when it is. */
export function incompleteReason(reason: string) {
  if (reason === "length") return "max_output_tokens" as const;
  return reason === "content_filter" ? reason : undefined;
}
