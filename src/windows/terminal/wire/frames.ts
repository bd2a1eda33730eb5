// What a device sends, as far as it can be understood, and what it is told when it cannot. Unknown fields
// are ignored; nothing here throws, and no frame ends a connection.

import { utf8Bytes } from "../../../kernel/text/truncate.ts";

export type DeviceFrame =
  | { readonly type: "connect"; readonly connect: DeviceConnect }
  | { readonly type: "message"; readonly message: DeviceMessage }
  | { readonly type: "ping" }
  | { readonly type: "bad"; readonly error: string; readonly messageId?: string | undefined };

export type DeviceConnect = {
  readonly peerId: string;
  readonly deviceName: string | undefined;
  readonly userId: string | undefined;
  readonly threadId: string | undefined;
  readonly token: string | undefined;
};
export type DeviceMessage = {
  readonly messageId: string;
  readonly text: string;
  readonly userId: string | undefined; // undefined: as connected
  readonly threadId: string | undefined;
  /** The request these words are meant for; null: none. Undefined: whatever was asked on this socket. */
  readonly answers: string | null | undefined;
};

export const CONNECT_FIRST = "connect is required before message.";
/** Of UTF-8. An id as the document recommends it, `<peer_id>-<counter>`, always has room. */
const MAX_NAME = 1_024;
const MAX_MESSAGE_ID = 1_100;
const MAX_REQUEST_ID = 300;
const MAX_TEXT = 131_072;

type Fields = Readonly<Record<string, unknown>>;

export function parseDeviceFrame(text: string): DeviceFrame {
  const fields = objectIn(text);
  if (typeof fields === "string") return bad(fields);
  const type = fields["type"];
  if (type === "ping") return { type };
  if (type === "connect") return parseConnect(fields);
  if (type === "message") return parseMessage(fields);
  const named = typeof type === "string" ? `: ${JSON.stringify(type.slice(0, 100))}` : "";
  return bad(`Unsupported websocket frame type${named}.`);
}

function objectIn(text: string): Fields | string {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Fields) : "The frame is not a JSON object.";
  } catch {
    return "The frame is not JSON.";
  }
}

function parseConnect(fields: Fields): DeviceFrame {
  const { peer_id: peerId, device_name: deviceName, token } = fields;
  if (typeof peerId !== "string" || peerId === "") return bad("peer_id is required.");
  const names = namesIn(fields, ["peer_id", "user_id", "thread_id"]);
  if (typeof names === "string") return bad(names);
  const connect = {
    peerId,
    deviceName: typeof deviceName === "string" && deviceName !== "" ? deviceName : undefined,
    userId: names["user_id"],
    threadId: names["thread_id"],
    token: typeof token === "string" ? token : undefined,
  };
  return { type: "connect", connect };
}

function parseMessage(fields: Fields): DeviceFrame {
  const { message_id: messageId, text } = fields;
  if (typeof messageId !== "string" || messageId === "") return bad("message_id is required.");
  const problem = problemOf("message_id", messageId, MAX_MESSAGE_ID);
  if (problem !== undefined) return bad(problem);
  if (typeof text !== "string" || text.trim() === "") return bad("text is required.", messageId);
  if (text.length > MAX_TEXT) {
    return bad(`text is too long (at most ${MAX_TEXT} characters).`, messageId);
  }
  const names = namesIn(fields, ["user_id", "thread_id"]);
  if (typeof names === "string") return bad(names, messageId);
  const { answers } = fields;
  if (answers !== undefined && answers !== null && !isRequestId(answers)) {
    return bad("answers must be a request_id or null.", messageId);
  }
  const { user_id: userId, thread_id: threadId } = names;
  return { type: "message", message: { messageId, text, userId, threadId, answers } };
}

function isRequestId(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_REQUEST_ID;
}

/** Left out, null and empty are the same: there is none. A text is what is wrong. */
function namesIn(
  fields: Fields,
  keys: readonly string[],
): Record<string, string | undefined> | string {
  const names: Record<string, string | undefined> = {};
  for (const key of keys) {
    const value = fields[key];
    if (value === undefined || value === null || value === "") continue;
    if (typeof value !== "string") return `${key} must be a text.`;
    const problem = problemOf(key, value, MAX_NAME);
    if (problem !== undefined) return problem;
    names[key] = value;
  }
  return names;
}

/** Any characters will do that can be stored as they are. */
function problemOf(key: string, value: string, most: number): string | undefined {
  if (value.includes("\0") || !value.isWellFormed()) return `${key} is not a text.`;
  return utf8Bytes(value) > most ? `${key} is too long (at most ${most} bytes).` : undefined;
}

function bad(error: string, messageId?: string): DeviceFrame {
  return { type: "bad", error, messageId };
}
