import { own } from "../../../kernel/events/own.ts";
// What a server of the terminal channel says, read tolerantly: unknown fields are ignored, and what is not
// understood is passed over, never an exception. A `requestId` says that the text asks something.

export type ServerFrame =
  | { readonly type: "connected"; readonly sessionId: string }
  | {
      readonly type: "ack";
      readonly messageId: string;
      readonly duplicate: boolean;
      readonly pending: boolean;
      readonly reply: string | undefined;
      readonly error: string | undefined;
      readonly requestId: string | undefined;
    }
  | {
      readonly type: "message";
      readonly messageId: string;
      readonly runId: string;
      readonly text: string;
      readonly finishReason: string;
      readonly requestId: string | undefined;
    }
  | {
      readonly type: "error";
      readonly error: string;
      readonly messageId: string | undefined;
      readonly requestId: string | undefined;
      /** Our own server says so; to others an error is a sentence. */
      readonly unauthorized: boolean;
    }
  | { readonly type: "pong" }
  | { readonly type: "other"; readonly what: string };

type Fields = Readonly<Record<string, unknown>>;

export function parseServerFrame(text: string): ServerFrame {
  const fields = objectIn(text);
  const type = fields?.["type"];
  if (!fields || typeof type !== "string") return { type: "other", what: "no frame" };
  const parse = own(PARSERS, type);
  return parse?.(fields) ?? { type: "other", what: type };
}

const PARSERS: Readonly<Record<string, (fields: Fields) => ServerFrame | undefined>> = {
  connected: (fields) => ({ type: "connected", sessionId: textIn(fields, "session_id") ?? "" }),
  ack: (fields) => {
    const messageId = textIn(fields, "message_id");
    if (messageId === undefined) return undefined;
    return {
      type: "ack",
      messageId,
      duplicate: fields["duplicate"] === true,
      pending: fields["pending"] === true,
      reply: textIn(fields, "reply"),
      error: textIn(fields, "error"),
      requestId: textIn(fields, "request_id"),
    };
  },
  message: (fields) => {
    const messageId = textIn(fields, "message_id");
    if (messageId === undefined || fields["role"] !== "assistant") return undefined;
    return {
      type: "message",
      messageId,
      runId: textIn(fields, "run_id") ?? "",
      text: textIn(fields, "text") ?? "",
      finishReason: textIn(fields, "finish_reason") ?? "stop",
      requestId: textIn(fields, "request_id"),
    };
  },
  error: (fields) => ({
    type: "error",
    error: textIn(fields, "error") ?? "unknown error",
    messageId: textIn(fields, "message_id"),
    requestId: textIn(fields, "request_id"),
    unauthorized: fields["code"] === "unauthorized",
  }),
  pong: () => ({ type: "pong" }),
};

function objectIn(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === "string" ? value : undefined;
}
