// A run as the console's transcript and tool timeline have it. Types are the document's by default; the
// real client knows people as `human` and models as `assistant`, and gets those when it asks for them.
import type { Item, SettledTool, ToolItem } from "../../../kernel/state/run/items.ts";
import type { RunState } from "../../../kernel/state/run/state.ts";
import { toArray } from "../../../kernel/state/vector.ts";
import { isoTime } from "../../../kernel/dialect/iso-time.ts";
import { preview } from "../../../kernel/dialect/preview.ts";

export type TranscriptItem = {
  readonly id: string;
  readonly type: string;
  readonly role: "user" | "assistant" | "tool" | "system";
  readonly content: string;
  readonly created_at: string;
  readonly timestamp: number;
  readonly tool_name: string | null;
  readonly tool_call_id: string | null;
  readonly tool_calls: readonly object[] | null;
  readonly finish_reason: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
};
type Fields = Readonly<Record<string, unknown>>;
export type TimelineItem = {
  readonly id: string;
  readonly tool_name: string;
  readonly status: string;
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly duration_ms: number | null;
  readonly arguments_preview: Fields;
  readonly result_preview: Fields | null; // null: it has not ended
  readonly error: string | null;
  readonly run_id: string;
};

const MAX_CONTENT = 65_536;
const MAX_PREVIEW = 2_000;

export function transcriptOf(run: RunState): TranscriptItem[] {
  const items = withoutRepeats(toArray(run.items));
  const calls = Map.groupBy(
    items.filter((item) => item.kind === "tool"),
    ({ turnId }) => turnId,
  );
  const emitted = new Set<string>(); // turns whose calls stand with their text
  return items.flatMap((item): TranscriptItem[] => {
    if (item.kind === "tool") {
      const first = !emitted.has(item.turnId);
      emitted.add(item.turnId);
      const ofTurn = first ? (calls.get(item.turnId) ?? []) : [];
      const called = ofTurn.length > 0 ? [callsItem(run, item, ofTurn)] : [];
      return [...called, ...(item.output === null ? [] : [resultItem(run, item)])];
    }
    if (item.kind === "text" && !item.superseded) emitted.add(item.turnId);
    return spoken(run, item, calls);
  });
}

/** What was cut is left out as soon as a newer attempt of its step has words: they are what counts. */
function withoutRepeats(items: readonly Item[]): readonly Item[] {
  const newest = new Map<string, Item>();
  for (const item of items) {
    if (item.kind === "text" && item.text !== "") newest.set(stepOf(item), item);
  }
  return items.filter(
    (item) => item.kind !== "text" || !item.superseded || newest.get(stepOf(item)) === item,
  );
}

/** `t2.3` is the third attempt of the second step. */
const stepOf = ({ turnId }: { readonly turnId: string }) => turnId.split(".", 1)[0] ?? turnId;

type Calls = ReadonlyMap<string, readonly ToolItem[]>;

function spoken(run: RunState, item: Exclude<Item, ToolItem>, calls: Calls): TranscriptItem[] {
  switch (item.kind) {
    case "user": {
      if (item.retracted) return [];
      // Unique by itself, unlike what a run names: the stream tells it so too.
      const about = { id: item.messageId, at: item.at, mode: item.mode };
      return [entry(run, about, { type: "user_message", role: "user", content: item.text })];
    }
    case "text": {
      const made = item.superseded ? [] : (calls.get(item.turnId) ?? []);
      const about = { id: `${run.runId}.${item.messageId}`, at: item.at };
      const said = { type: "assistant_message", role: "assistant", content: item.text } as const;
      const tools = made.length > 0 ? { tool_calls: made.map((call) => toolCall(run, call)) } : {};
      const cut = item.superseded ? { superseded: true } : {};
      const ids = { tool_call_ids: made.map(({ callId }) => `${run.runId}.${callId}`), ...cut };
      const finish_reason =
        item.status === "done" ? (made.length > 0 ? "tool_calls" : "stop") : null;
      return [entry(run, { ...about, ...ids }, { ...said, ...tools, finish_reason })];
    }
    case "reasoning": {
      const about = { id: `${run.runId}.${item.reasoningId}`, at: item.at };
      const said = { type: "assistant_reasoning", role: "assistant", content: item.text } as const;
      return item.superseded ? [] : [entry(run, about, said)];
    }
    case "notice": {
      const about = { id: `${run.runId}.${item.code}.${item.at}`, at: item.at, code: item.code };
      const content = item.detail === null ? item.text : `${item.text}\n\n${item.detail}`;
      return [entry(run, about, { type: "system_message", role: "system", content })];
    }
  }
}

type About = { id: string; at: number; [field: string]: unknown };
type Said = Pick<TranscriptItem, "type" | "role" | "content"> & Partial<TranscriptItem>;

function entry(run: RunState, { id, at, ...more }: About, said: Said): TranscriptItem {
  const { type, role, content, ...rest } = said;
  return {
    id,
    type,
    role,
    content: content.slice(0, MAX_CONTENT),
    created_at: isoTime(at),
    timestamp: at,
    tool_name: null,
    tool_call_id: null,
    tool_calls: null,
    finish_reason: null,
    ...rest,
    metadata: {
      run_id: run.runId,
      tool_call_ids: [],
      ...more,
      ...(content.length > MAX_CONTENT && { truncated: true }),
    },
  };
}

/** Calls of a turn in which the model said nothing. */
function callsItem(run: RunState, first: ToolItem, calls: readonly ToolItem[]): TranscriptItem {
  const ids = calls.map(({ callId }) => `${run.runId}.${callId}`);
  const about = { id: `${run.runId}.${first.turnId}.calls`, at: first.at, tool_call_ids: ids };
  return entry(run, about, {
    type: "assistant_tool_call",
    role: "assistant",
    content: "",
    tool_calls: calls.map((call) => toolCall(run, call)),
    finish_reason: "tool_calls",
  });
}

function toolCall(run: RunState, { callId, name, plan }: ToolItem): object {
  const given = JSON.stringify(plan.arguments);
  const called = { name, arguments: given };
  return { id: `${run.runId}.${callId}`, type: "function", function: called };
}

function resultItem(run: RunState, tool: SettledTool): TranscriptItem {
  const id = `${run.runId}.${tool.callId}`;
  return entry(
    run,
    { id: `${id}.result`, at: tool.endedAt, tool_call_ids: [id], status: tool.status },
    {
      type: "tool_result",
      role: "tool",
      content: textOf(tool),
      tool_name: tool.name,
      tool_call_id: id,
    },
  );
}

function textOf({ output, error, result }: SettledTool): string {
  const printed = `${output.head}${output.tail && `\n…\n${output.tail}`}`;
  const emitted = printed === "" && result !== null ? JSON.stringify(result) : printed;
  return error ? `${error.message}${emitted && `\n${emitted}`}` : emitted;
}

export function timelineOf(run: RunState): TimelineItem[] {
  const tools = toArray(run.items).filter((item) => item.kind === "tool");
  return tools.map((tool) => ({
    id: `${run.runId}.${tool.callId}`,
    tool_name: tool.name,
    status: tool.status,
    started_at: isoTime(tool.startedAt ?? tool.at), // a call that never started has when it was planned
    completed_at: tool.endedAt === null ? null : isoTime(tool.endedAt),
    duration_ms: tool.durationMs,
    arguments_preview: bounded(tool.plan.arguments),
    result_preview: resultOf(tool),
    error: tool.error?.message ?? null,
    run_id: run.runId,
  }));
}

/** Of a call that did not do what it was to do: how it ended and why, with what it had printed. */
function resultOf({ output, status, result, error }: ToolItem): Fields | null {
  if (output === null) return null;
  if (status === "completed") return bounded(result ?? (output.head && { output: output.head }));
  const why = error && { error: error.message };
  return bounded({ status, ...why, ...(output.head && { output: output.head }) });
}

/** As it is where it is small; otherwise its beginning as text. */
function bounded(value: unknown): Fields {
  const text = JSON.stringify(value) ?? "null";
  if (text.length > MAX_PREVIEW) return { preview: preview(value, MAX_PREVIEW), truncated: true };
  if (typeof value === "object" && !Array.isArray(value)) return (value ?? {}) as Fields;
  return value === "" ? {} : { value };
}

const CLIENT_TYPES: Readonly<Record<string, string>> = {
  user_message: "human",
  assistant_message: "assistant",
  tool_result: "tool",
  assistant_reasoning: "reasoning",
  system_message: "system",
};

/** In the words of the real client, for who asks for them. */
export function forClient(item: TranscriptItem): TranscriptItem {
  return { ...item, type: CLIENT_TYPES[item.type] ?? item.type };
}
