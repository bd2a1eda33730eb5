// How a response grows: items are added, written and closed, each step an event with the next number.
import type { EventOf } from "../../../../kernel/events/events.ts";
import { scoped } from "../../../../kernel/dialect/call-index.ts";
import * as item from "./items.ts";
import type { OutputItem, WrittenItem } from "./items.ts";
import type { ResponsesState } from "./object.ts";
import { own } from "../../../../kernel/events/own.ts";

export type ResponsesFrame = {
  readonly type: string;
  readonly sequence_number: number;
  readonly [field: string]: unknown;
};

export function emit(state: ResponsesState, type: string, fields: object): ResponsesFrame {
  const sequence_number = state.sequence;
  state.sequence += 1;
  return { type, sequence_number, ...fields };
}

/** `key`: what the item is about, while it may still change. */
export function add(state: ResponsesState, key: string, added: OutputItem): ResponsesFrame {
  const output_index = state.output.length;
  state.output.push(added);
  state.open[key] = output_index;
  return emit(state, "response.output_item.added", { output_index, item: added });
}

export function at(state: ResponsesState, key: string): number | undefined {
  return own(state.open, key);
}

export function close(state: ResponsesState, key: string, last: OutputItem): ResponsesFrame[] {
  const output_index = at(state, key);
  if (output_index === undefined) return [];
  state.output[output_index] = last;
  delete state.open[key];
  return [emit(state, "response.output_item.done", { output_index, item: last })];
}

/** An item that is there all at once. */
export function addWhole(state: ResponsesState, whole: OutputItem): ResponsesFrame[] {
  return [add(state, whole.id, whole), ...close(state, whole.id, whole)];
}

const WRITING = {
  message: { event: "response.output_text", part: item.textPart, more: { logprobs: [] } },
  reasoning: { event: "response.reasoning_text", part: item.thoughtPart, more: {} },
} as const;

function withText(written: WrittenItem, text: string): WrittenItem {
  if (written.type === "message") return { ...written, content: [item.textPart(text)] };
  return { ...written, content: [item.thoughtPart(text)] };
}

/** Adds words to a message or thought, which begins with its first. */
export function write(
  state: ResponsesState,
  empty: WrittenItem,
  delta: string,
): readonly ResponsesFrame[] {
  const { id: item_id, type } = empty;
  const { event, part, more } = WRITING[type];
  const frames: ResponsesFrame[] = [];
  if (at(state, item_id) === undefined) {
    frames.push(add(state, item_id, empty));
    const place = { item_id, output_index: state.output.length - 1, content_index: 0 };
    frames.push(emit(state, "response.content_part.added", { ...place, part: part("") }));
  }
  const output_index = at(state, item_id) ?? 0;
  const before = state.output[output_index] as WrittenItem;
  state.output[output_index] = withText(before, (before.content[0]?.text ?? "") + delta);
  const place = { item_id, output_index, content_index: 0 };
  return [...frames, emit(state, `${event}.delta`, { ...place, delta, ...more })];
}

/** `status`: a step that a person cut short keeps its words. */
export function writeEnd(
  state: ResponsesState,
  { id: item_id }: WrittenItem,
  { text, status }: { text: string; status: "completed" | "incomplete" },
): readonly ResponsesFrame[] {
  const output_index = at(state, item_id);
  if (output_index === undefined) return [];
  const written = state.output[output_index] as WrittenItem;
  const { event, part, more } = WRITING[written.type];
  const place = { item_id, output_index, content_index: 0 };
  return [
    emit(state, `${event}.done`, { ...place, text, ...more }),
    emit(state, "response.content_part.done", { ...place, part: part(text) }),
    ...close(state, item_id, { ...withText(written, text), status }),
  ];
}

export function isNote({ asked }: ResponsesState, id: string): boolean {
  return Object.keys(asked).some((requestId) => item.noteId(requestId) === id);
}

export function messageOf(event: EventOf<"token.delta" | "message.completed">) {
  return item.emptyMessage(`msg_${scoped(event, event.payload.message_id)}`);
}

export function thoughtOf(event: EventOf<"reasoning.delta" | "reasoning.done">) {
  return item.emptyReasoning(`rs_${scoped(event, event.payload.reasoning_id)}`);
}

/** Nothing of a run goes on behind its end. What was said stays. */
export function closeAll(state: ResponsesState): ResponsesFrame[] {
  return Object.entries(state.open).flatMap(([key, index]) => {
    const open = state.output[index];
    return open && "status" in open ? close(state, key, { ...open, status: "incomplete" }) : [];
  });
}
