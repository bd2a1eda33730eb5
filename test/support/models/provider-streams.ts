// The bytes OpenAI (Responses), Anthropic and Google really stream, piece by piece, for the scripted model server.
import { raw, type ReplyStep } from "./model-server.ts";

function named(type: string, data: Record<string, unknown>): ReplyStep {
  return raw(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}

type Tokens = {
  input: number;
  output: number;
  cached?: number;
  written?: number;
  reasoning?: number;
};

export const anthropic = {
  start: ({ input, cached = 0, written = 0 }: Omit<Tokens, "output">) =>
    named("message_start", {
      message: {
        id: "msg_01",
        type: "message",
        role: "assistant",
        model: "claude-test",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: input,
          cache_creation_input_tokens: written,
          cache_read_input_tokens: cached,
          output_tokens: 1,
        },
      },
    }),
  ping: named("ping", {}),
  block: (index: number, content_block: Record<string, unknown>) =>
    named("content_block_start", { index, content_block }),
  delta: (index: number, delta: Record<string, unknown>) =>
    named("content_block_delta", { index, delta }),
  stop: (index: number) => named("content_block_stop", { index }),
  error: (type: string, message: string) => named("error", { error: { type, message } }),
  text: (index: number, ...deltas: string[]): ReplyStep[] => [
    anthropic.block(index, { type: "text", text: "" }),
    ...deltas.map((text) => anthropic.delta(index, { type: "text_delta", text })),
    anthropic.stop(index),
  ],
  thinking: (index: number, thinking: string, signature: string): ReplyStep[] => [
    anthropic.block(index, { type: "thinking", thinking: "", signature: "" }),
    ...(thinking ? [anthropic.delta(index, { type: "thinking_delta", thinking })] : []),
    anthropic.delta(index, { type: "signature_delta", signature }),
    anthropic.stop(index),
  ],
  call: (index: number, id: string, name: string, ...json: string[]): ReplyStep[] => [
    anthropic.block(index, { type: "tool_use", id, name, input: {} }),
    ...json.map((partial_json) =>
      anthropic.delta(index, { type: "input_json_delta", partial_json }),
    ),
    anthropic.stop(index),
  ],
  end: (stop_reason: string, output_tokens: number): ReplyStep[] => [
    named("message_delta", {
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens },
    }),
    named("message_stop", {}),
  ],
};

export const openai = {
  start: [
    named("response.created", { response: { id: "resp_1", created_at: 1, model: "gpt-test" } }),
    named("response.in_progress", { response: { id: "resp_1", created_at: 1, model: "gpt-test" } }),
  ],
  added: (output_index: number, item: Record<string, unknown>) =>
    named("response.output_item.added", { output_index, item }),
  done: (output_index: number, item: Record<string, unknown>) =>
    named("response.output_item.done", { output_index, item }),
  text: (index: number, ...deltas: string[]): ReplyStep[] => {
    const id = `msg_${index}`;
    const item = { id, type: "message", role: "assistant", content: [] };
    return [
      openai.added(index, { ...item, status: "in_progress" }),
      ...deltas.map((delta) =>
        named("response.output_text.delta", {
          item_id: id,
          output_index: index,
          content_index: 0,
          delta,
        }),
      ),
      openai.done(index, { ...item, status: "completed" }),
    ];
  },
  /** One reasoning item; each summary is a part of its own, and the encrypted content comes last. */
  reasoning: (index: number, encrypted_content: string, ...summaries: string[]): ReplyStep[] => {
    const id = `rs_${index}`;
    const at = { item_id: id, output_index: index };
    return [
      openai.added(index, { id, type: "reasoning", summary: [] }),
      ...summaries.flatMap((text, summary_index) => [
        named("response.reasoning_summary_part.added", {
          ...at,
          summary_index,
          part: { type: "summary_text", text: "" },
        }),
        named("response.reasoning_summary_text.delta", { ...at, summary_index, delta: text }),
        named("response.reasoning_summary_part.done", {
          ...at,
          summary_index,
          part: { type: "summary_text", text },
        }),
      ]),
      openai.done(index, {
        id,
        type: "reasoning",
        encrypted_content,
        summary: summaries.map((text) => ({ type: "summary_text", text })),
      }),
    ];
  },
  call: (index: number, call_id: string, name: string, args: string): ReplyStep[] => {
    const item = { id: `fc_${index}`, type: "function_call", call_id, name };
    return [
      openai.added(index, { ...item, arguments: "", status: "in_progress" }),
      named("response.function_call_arguments.delta", {
        item_id: item.id,
        output_index: index,
        delta: args,
      }),
      openai.done(index, { ...item, arguments: args, status: "completed" }),
    ];
  },
  end: ({ input, output, cached = 0, reasoning = 0 }: Tokens, incomplete?: string): ReplyStep =>
    named(incomplete ? "response.incomplete" : "response.completed", {
      response: {
        id: "resp_1",
        ...(incomplete && { incomplete_details: { reason: incomplete } }),
        usage: {
          input_tokens: input,
          input_tokens_details: { cached_tokens: cached },
          output_tokens: output,
          output_tokens_details: { reasoning_tokens: reasoning },
          total_tokens: input + output,
        },
      },
    }),
  failed: (code: string, message: string) =>
    named("response.failed", {
      sequence_number: 9,
      response: { id: "resp_1", status: "failed", error: { code, message } },
    }),
  error: (code: string, message: string) =>
    named("error", { sequence_number: 9, error: { type: code, code, message, param: null } }),
};

type GooglePart = Record<string, unknown>;

export const google = {
  chunk: (value: Record<string, unknown>) => raw(`data: ${JSON.stringify(value)}\r\n\r\n`),
  parts: (...parts: GooglePart[]) =>
    google.chunk({
      candidates: [{ content: { role: "model", parts }, index: 0 }],
      responseId: "g1",
      modelVersion: "gemini-test",
    }),
  thought: (text: string): GooglePart => ({ text, thought: true }),
  call: (name: string, args: Record<string, unknown>, thoughtSignature?: string): GooglePart => ({
    functionCall: { name, args },
    ...(thoughtSignature && { thoughtSignature }),
  }),
  end: (finishReason: string, { input, output, cached = 0, reasoning = 0 }: Tokens) =>
    google.chunk({
      candidates: [{ content: { role: "model", parts: [{ text: "" }] }, finishReason, index: 0 }],
      usageMetadata: {
        promptTokenCount: input,
        candidatesTokenCount: output - reasoning,
        thoughtsTokenCount: reasoning,
        cachedContentTokenCount: cached,
        totalTokenCount: input + output,
      },
    }),
  error: (code: number, status: string, message: string, details?: unknown[]) =>
    google.chunk({ error: { code, status, message, ...(details && { details }) } }),
};
