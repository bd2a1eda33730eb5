// What clients of `/v1/responses` send: a text, or a list of items, among which answers to what an earlier
// response asked for. What would only tune a model is ignored; what asks for another kind of answer is
// refused.
import { z } from "zod";
import { ModelName, OpenAiMetadata } from "../chat/body.ts";
import {
  above,
  callText,
  contentText,
  fieldsOf,
  given,
  many,
  outputText,
  otherThan,
  refuse,
  textField,
  unsupported,
  type InputItem,
  type Unsupported,
} from "../openai/input.ts";
import { own } from "../../../../kernel/events/own.ts";

const Id = z.string().min(1).max(300);

export const ResponsesBody = z.looseObject({
  input: z.union([z.string(), z.array(z.unknown()).max(2_000)], "a text or a list of items"),
  instructions: z.string().nullish(),
  model: ModelName.nullish(),
  previous_response_id: Id.nullish(),
  conversation: z.union([Id, z.looseObject({ id: Id })], "a name or {id}").nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  metadata: OpenAiMetadata.nullish(),
});
export type ResponsesBody = z.infer<typeof ResponsesBody>;

export const RESPONSES_UNSUPPORTED: Unsupported = {
  tools: many,
  tool_choice: otherThan("auto", "none"),
  prompt: given,
  top_logprobs: above(0),
  text: (value) => {
    const format = (value as { format?: { type?: unknown } | null } | null | undefined)?.format;
    return given(format) && format?.type !== "text";
  },
};

/** A conversation is a session: its name is the session's id. */
export function conversationOf({ conversation }: Pick<ResponsesBody, "conversation">) {
  return typeof conversation === "string" ? conversation : conversation?.id;
}

export function responseInput({ input }: Pick<ResponsesBody, "input">): InputItem[] {
  if (typeof input === "string") return [{ kind: "said", role: "user", text: input }];
  return input.flatMap((item, index) => inputItem(item, `input.${index}`));
}

type Fields = Readonly<Record<string, unknown>>;

function inputItem(item: unknown, param: string): InputItem[] {
  const fields = fieldsOf(item, param);
  const type = fields["type"] ?? "message";
  const read = typeof type === "string" && own(READ, type);
  if (!read) unsupported(`${param}.type`, `Items of type “${shown(type)}” cannot be taken.`);
  return read(fields, param);
}

const READ: Readonly<Record<string, (fields: Fields, param: string) => InputItem[]>> = {
  message,
  function_call: (fields, param) => {
    const callId = textField(fields, "call_id", param);
    const name = textField(fields, "name", param);
    return [{ kind: "call", callId, text: callText(name, textField(fields, "arguments", param)) }];
  },
  function_call_output: (fields, param) => {
    const callId = textField(fields, "call_id", param);
    const text = contentText(fields["output"], `${param}.output`);
    return [{ kind: "output", callId, text, param }];
  },
  mcp_call: (fields, param) => {
    const callId = textField(fields, "id", param);
    const name = textField(fields, "name", param);
    const text = callText(name, textField(fields, "arguments", param));
    const result = fields["output"] ?? fields["error"];
    if (typeof result !== "string") return [{ kind: "call", callId, text }];
    return [{ kind: "call", callId, text: `${text}\n\n${outputText(result)}` }];
  },
  mcp_approval_response: (fields, param) => {
    const requestId = textField(fields, "approval_request_id", param);
    const { approve, reason } = fields;
    if (typeof approve !== "boolean")
      refuse(`${param}.approve`, "approve has to be true or false.");
    if (given(reason) && typeof reason !== "string") refuse(`${param}.reason`, "a text");
    const said = typeof reason === "string" && reason !== "" ? reason : undefined;
    return [{ kind: "approval", requestId, approve, reason: said, param }];
  },
  // Our own output, given back: thoughts are no provider's but the first one's, requests are answered
  // by name.
  reasoning: () => [],
  mcp_approval_request: () => [],
};

function message(fields: Fields, param: string): InputItem[] {
  const role = textField(fields, "role", param);
  const text = contentText(fields["content"], `${param}.content`);
  if (role === "system" || role === "developer") return [{ kind: "rules", text }];
  if (role !== "user" && role !== "assistant") refuse(`${param}.role`, "There is no such role.");
  return [{ kind: "said", role, text }];
}

function shown(type: unknown): string {
  return String(typeof type === "string" ? type : typeof type).slice(0, 40);
}

/** A result in the conversation whose call nobody knows would be lost on the agent. */
export function spokenOutputs(items: readonly InputItem[], answers: ReadonlySet<InputItem>): void {
  const known = new Set(items.flatMap((item) => (item.kind === "call" ? [item.callId] : [])));
  for (const item of items) {
    if (item.kind !== "output" || answers.has(item) || known.has(item.callId)) continue;
    refuse(`${item.param}.call_id`, "There is no call, and no question, of that id.");
  }
}
