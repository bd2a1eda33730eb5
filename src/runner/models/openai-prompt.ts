// Turns the runner's conversation into the SDK's prompt.
// What is sent is always valid: well-formed text, and call arguments that are a JSON object even
// where the model once wrote something broken, because many servers refuse the whole request otherwise.
import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from "@ai-sdk/provider";
import type { ModelMessage, ToolSpec } from "./model.ts";

type MessageOf<Role extends ModelMessage["role"]> = Extract<ModelMessage, { role: Role }>;
type Encoders = {
  [Role in ModelMessage["role"]]: (message: MessageOf<Role>) => LanguageModelV4Message[];
};

const encoders: Encoders = {
  system: ({ text }) => [{ role: "system", content: text.toWellFormed() }],
  user: ({ text }) => [{ role: "user", content: [textPart(text)] }],
  assistant: ({ text, toolCalls }) => {
    const calls = toolCalls.map(({ callId, name, argumentsText }) => ({
      type: "tool-call" as const,
      toolCallId: callId,
      toolName: name,
      input: objectText(argumentsText.toWellFormed()),
    }));
    const content = [...(text === "" ? [] : [textPart(text)]), ...calls];
    return content.length === 0 ? [] : [{ role: "assistant", content }];
  },
  tool: ({ callId, name, text, isError }) => [
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: callId,
          toolName: name,
          output: { type: isError ? "error-text" : "text", value: text.toWellFormed() },
        },
      ],
    },
  ],
};

export function toPrompt(messages: readonly ModelMessage[]): LanguageModelV4Message[] {
  return messages.flatMap((message) => {
    const encode = encoders[message.role] as (message: ModelMessage) => LanguageModelV4Message[];
    return encode(message);
  });
}

export function toTools(tools: readonly ToolSpec[]): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema,
  }));
}

function textPart(text: string) {
  return { type: "text" as const, text: text.toWellFormed() };
}

function objectText(argumentsText: string): string {
  if (argumentsText.trim() === "") return "{}";
  try {
    const value: unknown = JSON.parse(argumentsText);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return argumentsText;
  } catch {
    // Shown to the model as what it is, so that it can do better.
  }
  return JSON.stringify({ invalid_arguments: argumentsText });
}
