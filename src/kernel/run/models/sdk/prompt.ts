// Turns the runner's conversation into the SDK's prompt.
// What is sent is always valid: well-formed text, ids that are unique, and call arguments that are a JSON object even
// where the model once wrote something broken, because many servers refuse the whole request otherwise.
// A provider's opaque data goes back only to the model that wrote it.
import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AttachedFile, ModelMessage, ToolSpec } from "../model.ts";
import { readKept } from "../provider/data.ts";

type MessageOf<Role extends ModelMessage["role"]> = Extract<ModelMessage, { role: Role }>;
type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;
type Content = AssistantMessage["content"][number];
const AFTER_ALL = 1_000_000;
type Placed = { at: number; order: number; content: Content };

export type PromptOptions = {
  /** Whose prompt this is: "provider/model". */
  model: string;
  /** Whether ids may only have letters, digits, "_" and "-". */
  strictIds: boolean;
};

type Encoding = { model: string; ids: WireIds };
type Encoders = {
  [Role in ModelMessage["role"]]: (
    message: MessageOf<Role>,
    encoding: Encoding,
  ) => LanguageModelV4Message[];
};

const encoders: Encoders = {
  system: ({ text }) => [{ role: "system", content: text.toWellFormed() }],
  user: ({ text, attached = [] }) => {
    const said = isBlank(text) ? "[an empty message]" : text;
    const words = [said, ...attached.map((file) => file.text)].join("\n\n");
    return [{ role: "user", content: [textPart(words), ...attached.flatMap(filePart)] }];
  },
  assistant: (message, encoding) => {
    const calls = callsOf(message, encoding);
    if (isBlank(message.text) && calls.length === 0) return []; // reasoning alone is no answer
    const content = interleave(message.text, [...reasoningOf(message, encoding), ...calls]);
    return [{ role: "assistant", content }];
  },
  tool: ({ callId, name, text, isError, attached = [] }, { ids }) => {
    const value = [text, ...attached.map((file) => file.text)].join("\n").toWellFormed();
    const output = { type: isError ? ("error-text" as const) : ("text" as const), value };
    const toolCallId = ids.resultOf(callId);
    const result = { type: "tool-result" as const, toolCallId, toolName: wireName(name), output };
    return [{ role: "tool", content: [result] }];
  },
};

export function toPrompt(
  messages: readonly ModelMessage[],
  { model, strictIds }: PromptOptions,
): LanguageModelV4Message[] {
  const encoding: Encoding = { model, ids: createWireIds({ strict: strictIds }) };
  const encoded = picturesAfter(messages).flatMap((message) => {
    const encode = encoders[message.role] as (
      message: ModelMessage,
      encoding: Encoding,
    ) => LanguageModelV4Message[];
    return encode(message, encoding);
  });
  return encoded.reduce<LanguageModelV4Message[]>(joinAlike, []);
}

/** Few servers take a picture as a result: those of a step follow all its results, which must not be parted. */
function picturesAfter(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.flatMap((message, index) => {
    if (message.role !== "tool" || messages[index + 1]?.role === "tool") return [message];
    const before = messages.slice(0, index).findLastIndex(({ role }) => role !== "tool");
    const step = messages.slice(before + 1, index + 1);
    const files = step.flatMap((each) => (each.role === "tool" ? (each.attached ?? []) : []));
    const attached = files.filter(({ file }) => file !== undefined);
    if (attached.length === 0) return [message];
    return [message, { role: "user", text: "[The pictures that these calls took:]", attached }];
  });
}

/**
 * Roles alternate: Gemini refuses a turn that answers only some of its calls, and templates of local
 * models refuse two messages of one side in a row (an interrupted answer and the note that it was).
 */
function joinAlike(
  messages: LanguageModelV4Message[],
  message: LanguageModelV4Message,
): LanguageModelV4Message[] {
  const last = messages.at(-1);
  if (last?.role === "tool" && message.role === "tool") last.content.push(...message.content);
  else if (last?.role === "user" && message.role === "user") joinText(last, message);
  else if (last?.role === "assistant" && message.role === "assistant") {
    last.content.push(...message.content);
  } else messages.push(message);
  return messages;
}

type UserMessage = Extract<LanguageModelV4Message, { role: "user" }>;

/** One part where there are only words, because some servers take no list of them. */
function joinText(last: UserMessage, { content }: UserMessage): void {
  const parts = [...last.content, ...content];
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  last.content = [textPart(text), ...parts.filter((part) => part.type !== "text")];
}

function filePart({ file }: AttachedFile): UserMessage["content"] {
  if (!file) return [];
  const { name, mediaType, data } = file;
  return [{ type: "file", mediaType, filename: name, data: { type: "data", data } }];
}

export function toTools(
  tools: readonly ToolSpec[],
  options: { strict?: boolean } = {},
): LanguageModelV4FunctionTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    inputSchema,
    ...options,
  }));
}

function reasoningOf(message: MessageOf<"assistant">, { model }: Encoding): Placed[] {
  if (message.model !== model) return [];
  return (message.reasoning ?? []).flatMap(({ text, providerData }) => {
    const kept = readKept(providerData);
    if (!kept?.metadata) return [];
    const { at, order, metadata } = kept;
    const content = { type: "reasoning" as const, text: text.toWellFormed() };
    return [{ at, order, content: { ...content, providerOptions: metadata } }];
  });
}

function callsOf(message: MessageOf<"assistant">, { model, ids }: Encoding): Placed[] {
  const end = message.text.length;
  return message.toolCalls.map(({ callId, name, argumentsText, providerData }, index) => {
    const kept = message.model === model ? readKept(providerData) : undefined;
    const options: SharedV4ProviderOptions | undefined = kept?.metadata;
    const content: Content = {
      type: "tool-call",
      toolCallId: ids.callOf(callId, kept?.call_id),
      toolName: wireName(name),
      input: objectText(argumentsText.toWellFormed()),
      ...(options && { providerOptions: options }),
    };
    return { at: kept?.at ?? end, order: kept?.order ?? AFTER_ALL + index, content };
  });
}

/** The pieces in the order they had in the answer, with its text around them. */
function interleave(text: string, pieces: readonly Placed[]): Content[] {
  const content: Content[] = [];
  let said = 0;
  const sayUpTo = (end: number) => {
    const part = text.slice(said, end);
    if (!isBlank(part)) content.push(textPart(part)); // Anthropic refuses text without a letter
    said = Math.max(said, end);
  };
  for (const piece of pieces.toSorted((a, b) => a.at - b.at || a.order - b.order)) {
    sayUpTo(Math.min(piece.at, text.length));
    content.push(piece.content);
  }
  sayUpTo(text.length);
  return content;
}

/** A name no provider accepts was never a tool: it goes back in a form that does not spoil the request. */
function wireName(name: string): string {
  return name.replaceAll(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
}

function isBlank(text: string): boolean {
  return text.trim() === "";
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

// The ids tool calls have in a request. Ours are unique in a run but not in a session, and some providers accept
// neither a repeated id nor every character; a result has to follow its call under whatever id that got.
const SAFE = /^[\w-]{1,64}$/;

type WireIds = {
  /** The provider's own id where it has one: signed thinking may be bound to it. */
  callOf(callId: string, providerCallId: string | undefined): string;
  /** Results follow their calls, so the last call with this id is meant. */
  resultOf(callId: string): string;
};

function createWireIds({ strict }: { strict: boolean }): WireIds {
  const used = new Set<string>();
  const current = new Map<string, string>();

  function unique(wanted: string): string {
    let id = wanted;
    for (let copy = 2; used.has(id); copy += 1) id = `${wanted}-${copy}`;
    used.add(id);
    return id;
  }

  return {
    callOf(callId, providerCallId) {
      const theirs = providerCallId !== undefined && SAFE.test(providerCallId);
      const ours = strict ? callId.replaceAll(/[^\w-]/g, "-").slice(-56) : callId;
      const id = unique(theirs ? providerCallId : ours);
      current.set(callId, id);
      return id;
    },
    resultOf: (callId) => current.get(callId) ?? callId,
  };
}
