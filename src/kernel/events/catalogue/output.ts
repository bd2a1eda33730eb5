// What the model says and thinks, and what it cost.
import { z } from "zod";
import { defineEvent } from "../event.ts";
import { LEFT_OUT } from "../left-out.ts";

export const ToolCall = z.object({
  call_id: z.string(), // minted by the runner: providers repeat and omit theirs
  name: z.string(),
  arguments_text: z.string(), // exactly as the model sent it, also when it is not JSON
});
export type ToolCall = z.infer<typeof ToolCall>;

const usage = {
  provider: z.string(),
  model: z.string(),
  input_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  total_tokens: z.int().nullable(),
  reasoning_tokens: z.int().nullable(),
  cached_tokens: z.int().nullable(),
  cost_usd: z.number().nullable(),
  duration_ms: z.number().nonnegative(),
};

export const OUTPUT_EVENTS = [
  defineEvent(
    "token.delta",
    {
      message_id: z.string(),
      delta: z.string(),
      content_type: z.literal("text"),
    },
    { share: "all", search: false, work: "none" },
  ),
  /** The model step is over: from here on it is never asked for again. */
  defineEvent(
    "message.completed",
    {
      message_id: z.string(),
      turn_id: z.string(),
      text: z.string(),
      tool_calls: z.array(ToolCall),
      finish_reason: z.string(),
    },
    { share: "all", search: true, work: "none" },
  ),
  defineEvent(
    "reasoning.delta",
    {
      reasoning_id: z.string(),
      delta: z.string(),
      visibility: z.enum(["visible", "hidden"]),
    },
    { share: { thinking: (p) => ({ ...p, delta: "" }) }, search: false, work: "none" },
  ),
  defineEvent(
    "reasoning.done",
    {
      reasoning_id: z.string(),
      text: z.string(),
      duration_ms: z.number().nonnegative(),
      visibility: z.enum(["visible", "hidden"]),
      provider_data: z.json().optional(), // opaque (signatures); given back to the same provider
    },
    {
      share: {
        thinking: ({ provider_data: _data, ...p }) => ({ ...p, text: LEFT_OUT }),
        environment: ({ provider_data: _data, ...p }) => p,
      },
      search: false,
      work: "none",
    },
  ),
  defineEvent(
    "progress",
    {
      phase: z.string(),
      message: z.string(),
      call_id: z.string().nullable(),
    },
    { share: "all", search: false, work: "none" },
  ),
] as const;

export const USAGE_EVENTS = [
  /**
   * From `completed` on, models read `summary` instead of everything before it, except this run's
   * turns from `kept_from_turn` on. What was compressed stays in the journal.
   */
  defineEvent(
    "compaction",
    {
      phase: z.enum(["started", "completed"]),
      reason: z.enum(["window", "asked"]).optional(),
      kept_from_turn: z.int().positive().nullable().optional(),
      original_tokens: z.int().nonnegative(),
      compacted_tokens: z.int().nonnegative(),
      summary: z.string().nullable(),
    },
    { share: "all", search: false, work: ({ phase }) => (phase === "started" ? "begins" : "none") },
  ),
  /** Of one turn. */
  defineEvent(
    "usage.updated",
    {
      turn_id: z.string(),
      ...usage,
      context_window: z.int().positive().nullable().optional(), // null: unknown
    },
    { share: "all", search: false, work: "none" },
  ),
  /** Of the whole run. */
  defineEvent("usage.final", usage, {
    share: "all",
    search: false,
    work: "none",
  }),
] as const;
