// What clients of `/v1/chat/completions` send. What would only tune a model is ignored, as the agent's
// model is not theirs to tune; what asks for another kind of answer is refused.
import { z } from "zod";
import {
  above,
  callText,
  contentText,
  fieldsOf,
  given,
  isTrue,
  many,
  otherThan,
  outputText,
  refuse,
  textField,
  type InputItem,
  type Unsupported,
} from "../openai/input.ts";

export const OpenAiMetadata = z.record(z.string().max(200), z.string().max(8_192));
export const ModelName = z.string().min(1).max(200);

export const ChatBody = z.looseObject({
  messages: z.array(z.unknown()).min(1, "say something").max(2_000),
  model: ModelName.nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  metadata: OpenAiMetadata.nullish(),
});
export type ChatBody = z.infer<typeof ChatBody>;

export const CHAT_UNSUPPORTED: Unsupported = {
  n: above(1),
  tools: many,
  functions: many,
  tool_choice: otherThan("auto", "none"),
  function_call: otherThan("auto", "none"),
  logprobs: isTrue,
  top_logprobs: above(0),
  audio: given,
  modalities: (value) => Array.isArray(value) && value.some((each) => each !== "text"),
  response_format: (value) => given(value) && (value as { type?: unknown }).type !== "text",
  web_search_options: given,
  stop: (value) => (typeof value === "string" && value !== "") || many(value),
};

export function chatInput({ messages }: Pick<ChatBody, "messages">): InputItem[] {
  return messages.flatMap((message, index) => chatMessage(message, `messages.${index}`));
}

function chatMessage(message: unknown, param: string): InputItem[] {
  const fields = fieldsOf(message, param);
  const role = textField(fields, "role", param);
  const content = () => contentText(fields["content"], `${param}.content`);
  if (role === "system" || role === "developer") return [{ kind: "rules", text: content() }];
  if (role === "user") return [{ kind: "said", role, text: content() }];
  if (role === "tool" || role === "function") {
    return [{ kind: "said", role: "assistant", text: outputText(content()) }];
  }
  if (role !== "assistant") refuse(`${param}.role`, "There is no such role.");
  const words = given(fields["content"]) ? content() : "";
  const said: InputItem = { kind: "said", role, text: words };
  return [said, ...callsOf(fields["tool_calls"], `${param}.tool_calls`)];
}

function callsOf(calls: unknown, param: string): InputItem[] {
  if (!given(calls)) return [];
  if (!Array.isArray(calls)) refuse(param, "tool_calls has to be a list.");
  return calls.map((call: unknown, index): InputItem => {
    const at = `${param}.${index}`;
    const called = fieldsOf(fieldsOf(call, at)["function"], `${at}.function`);
    const name = textField(called, "name", `${at}.function`);
    const text = callText(name, textField(called, "arguments", `${at}.function`));
    return { kind: "said", role: "assistant", text };
  });
}
