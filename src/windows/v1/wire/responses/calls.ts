// Calls in a response. What the server executes is an `mcp_call`: clients take a `function_call` for their own
// job and fail. Only questions are functions, because only the client can answer them.
import type { CallItem, McpCallItem, OutputItem } from "./items.ts";
import { SERVER_LABEL } from "./items.ts";
import { V1_METADATA, type ResponsesState, type V1Metadata } from "./object.ts";
import { add, addWhole, at, close, emit, type ResponsesFrame } from "./writing.ts";

type Call = { readonly name: string; readonly arguments: unknown };
type Ended = { readonly ok: boolean; readonly output: string; readonly error?: string | null };

/** A question: the client is to answer it with a `function_call_output`. */
export function addQuestion(state: ResponsesState, key: string, call: Call): ResponsesFrame[] {
  return addCall(state, key, call, functionCall(key, call.name));
}

/** A tool the server executes. Its arguments are known at once, its end is not. */
export function addToolCall(state: ResponsesState, key: string, call: Call): ResponsesFrame[] {
  const own = state.metadata[V1_METADATA] as V1Metadata | undefined;
  const asFunction = own?.tool_items === "function_call";
  return addCall(state, key, call, (asFunction ? functionCall : mcpCall)(key, call.name));
}

function functionCall(key: string, name: string): CallItem {
  const id = `fc_${key}`;
  return { id, type: "function_call", status: "in_progress", call_id: key, name, arguments: "" };
}

function mcpCall(key: string, name: string): McpCallItem {
  return {
    id: `mcp_${key}`,
    type: "mcp_call",
    status: "in_progress",
    server_label: SERVER_LABEL,
    name,
    arguments: "",
    approval_request_id: null,
    output: null,
    error: null,
  };
}

function addCall(
  state: ResponsesState,
  key: string,
  call: Call,
  empty: CallItem | McpCallItem,
): ResponsesFrame[] {
  if (at(state, key) !== undefined) return setArguments(state, key, call.arguments); // one item per call
  const added = add(state, key, empty);
  const place = { item_id: empty.id, output_index: state.output.length - 1 };
  const begun =
    empty.type === "mcp_call" ? [emit(state, "response.mcp_call.in_progress", place)] : [];
  const delta = JSON.stringify(call.arguments) ?? "{}";
  const more = emit(state, `response.${empty.type}_arguments.delta`, { ...place, delta });
  return [added, ...begun, more, ...setArguments(state, key, call.arguments)];
}

function openCall(state: ResponsesState, key: string) {
  const output_index = at(state, key);
  const call: OutputItem | undefined =
    output_index === undefined ? undefined : state.output[output_index];
  if (output_index === undefined) return undefined;
  return call?.type === "mcp_call" || call?.type === "function_call"
    ? { output_index, call }
    : undefined;
}

/** Also of a call whose arguments a person changed. */
export function setArguments(state: ResponsesState, key: string, given: unknown): ResponsesFrame[] {
  const open = openCall(state, key);
  if (!open) return [];
  const { output_index, call } = open;
  const text = JSON.stringify(given) ?? "{}";
  state.output[output_index] = { ...call, arguments: text };
  const fields = { item_id: call.id, output_index, name: call.name, arguments: text };
  return [emit(state, `response.${call.type}_arguments.done`, fields)];
}

/** The call is over, and this is what came of it. */
export function endCall(
  state: ResponsesState,
  key: string,
  { ok, output, error = null }: Ended,
): ResponsesFrame[] {
  const open = openCall(state, key);
  if (!open) return []; // settled before: the first result counts
  const { output_index, call } = open;
  if (call.type === "mcp_call") {
    const status = ok ? "completed" : "failed";
    const approval_request_id = approvalOf(state, key);
    const last = { ...call, status, approval_request_id, output, error } as const;
    const place = { item_id: call.id, output_index };
    return [emit(state, `response.mcp_call.${status}`, place), ...close(state, key, last)];
  }
  const status = ok ? "completed" : "incomplete";
  const type = "function_call_output";
  const result = { id: `fco_${key}`, type, status, call_id: key, output } as const;
  return [...close(state, key, { ...call, status }), ...addWhole(state, result)];
}

function approvalOf({ asked }: ResponsesState, callId: string): string | null {
  const found = Object.values(asked).findLast(
    (each) => each.callId === callId && each.waiting.kind === "approval",
  );
  return found?.waiting.request_id ?? null;
}

/** The call is over, and nothing came of it. */
export function dropCall(state: ResponsesState, key: string): ResponsesFrame[] {
  const open = openCall(state, key);
  return open ? close(state, key, { ...open.call, status: "incomplete" }) : [];
}
