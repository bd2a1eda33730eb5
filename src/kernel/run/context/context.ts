// Builds the conversation for a model from the session's runs. Text of superseded turns was seen by a person but
// never finished, so it is left out.
import type { Journal } from "../../journal/journal.ts";
import { directCall } from "../../events/direct.ts";
import type { Attachment, HistoryMessage } from "../../events/catalogue/lifecycle.ts";
import type { Item, ReasoningItem, ToolItem, UserItem } from "../../state/run/items.ts";
import type { RunState } from "../../state/run/state.ts";
import { toolPictures } from "../../state/tool-pictures.ts";
import { isTerminal } from "../../state/run/status.ts";
import { values } from "../../state/vector.ts";
import { withFiles, type Said } from "./attachments.ts";
import { historyOf } from "./conversation.ts";
import type { Model, ModelMessage, ProviderData } from "../models/model.ts";

export async function buildMessages(
  journal: Journal,
  state: RunState,
  system: string,
  model?: Pick<Model, "reads" | "contextWindow">,
): Promise<ModelMessage[]> {
  const past = await historyOf(journal, state);
  const said: Said[] = [
    { role: "system", text: system },
    ...(past.summary === null ? [] : [summaryMessage(past.summary)]),
    ...historyMessages(past.history),
    ...past.runs.flatMap(messagesOf),
    ...messagesOf(state),
  ];
  const { blobs, redactor } = journal;
  return withFiles(said, { blobs, model, redact: redactor?.text });
}

function summaryMessage(summary: string): ModelMessage {
  // With an end: what the user says next may be sent in the same message (sdk-prompt.ts).
  const text = `[The conversation so far was compressed. Its summary:]\n\n${summary}\n\n[End of the summary.]`;
  return { role: "user", text };
}

/** What says nothing is left out, and a user begins: strict servers refuse the whole request otherwise. */
function historyMessages(history: readonly HistoryMessage[]): ModelMessage[] {
  const emitted = history.filter(({ text }) => text.trim() !== "");
  const messages = emitted.map(({ role, text }): ModelMessage =>
    role === "user" ? { role, text } : { role, text, toolCalls: [] },
  );
  if (emitted[0]?.role !== "assistant") return messages;
  return [{ role: "user", text: "[The conversation began elsewhere.]" }, ...messages];
}

type Turn = { id: string; text: string; reasoning: ReasoningItem[]; tools: ToolItem[] };

export function messagesOf(run: RunState): Said[] {
  const direct = directCall(run);
  const messages: Said[] = direct ? directMessages(direct) : [];
  let turn: Turn | undefined;
  let steers: UserItem[] = []; // said while a turn ran: the model reads them after its results
  const closeTurn = (next: string | undefined) => {
    if (turn) messages.push(...turnMessages(turn, run.model));
    for (const steer of steers) if (steer.duringTurn !== next) messages.push(userMessage(steer));
    steers = steers.filter(({ duringTurn }) => duringTurn === next);
  };
  for (const item of kept(run)) {
    if (item === direct) continue;
    if (item.kind === "user") {
      if (item.retracted) continue;
      steers.push(item);
      if (item.duringTurn !== null) continue;
      closeTurn(undefined); // said between turns: everything before it comes first
      turn = undefined;
      continue;
    }
    if (item.kind === "notice" || (item.kind !== "tool" && item.superseded)) continue;
    if (turn?.id !== item.turnId) {
      closeTurn(item.turnId);
      turn = { id: item.turnId, text: "", reasoning: [], tools: [] };
    }
    if (item.kind === "text") turn.text += item.text;
    else if (item.kind === "reasoning") turn.reasoning.push(item);
    else turn.tools.push(item);
  }
  closeTurn(undefined);
  // Nobody said anything (it was taken back), or no model answered: then there is no answer to end.
  const emitted = messages.length > 0 && !(direct && run.turn === null);
  return emitted ? [...messages, ...endMessage(run)] : messages;
}

/**
 * Without what the run's compaction stands for: all but the first message, the kept turns, and what
 * came after it began. The words of a command are told by what it did.
 */
function* kept(run: RunState): Generator<Item> {
  const { compaction } = run;
  const keptFromTurn = compaction ? (compaction.keptFromTurn ?? Infinity) : 0;
  const isCommand = directCall(run) !== undefined;
  let first = true;
  let reached = false;
  let index = 0;
  for (const item of values(run.items)) {
    const turnId = item.kind === "user" ? item.duringTurn : turnIdOf(item);
    const later = index >= (compaction?.items ?? 0);
    reached ||= later || (turnId !== null && turnIndex(turnId) >= keptFromTurn);
    const opening = first && item.kind === "user";
    if (opening ? !isCommand : reached) yield item;
    first &&= item.kind !== "user";
    index += 1;
  }
}

function turnIdOf(item: Exclude<Item, UserItem>): string | null {
  return item.kind === "notice" ? null : item.turnId;
}

function turnIndex(turnId: string): number {
  return Number(/^t(\d+)\./.exec(turnId)?.[1] ?? 0);
}

/** What a person did by a command is told as what it was; a compression is not worth a word. */
function directMessages(call: ToolItem): ModelMessage[] {
  if (call.name === "compress" || call.status !== "completed") return [];
  const text = `[The user did this: ${call.label}. Result: ${resultText(call)}]`;
  return [{ role: "user", text }];
}

function endMessage(run: RunState): ModelMessage[] {
  if (!isTerminal(run.status) || run.status === "completed") return [];
  const why = run.error?.message ?? "the user stopped it";
  return [{ role: "assistant", text: `[This run ended early: ${why}]`, toolCalls: [] }];
}

function userMessage({ text, attachments }: UserItem): Said {
  return attachments.length > 0 ? { role: "user", text, attachments } : { role: "user", text };
}

function turnMessages(turn: Turn, model: string): Said[] {
  const toolCalls = turn.tools.map((tool) => ({
    callId: tool.callId,
    name: tool.name,
    argumentsText: JSON.stringify(tool.plan.arguments),
    ...(tool.providerData !== null && { providerData: tool.providerData as ProviderData }),
  }));
  const reasoning = turn.reasoning
    .filter(({ providerData }) => providerData !== null)
    .map(({ text, providerData }) => ({ text, providerData: providerData as ProviderData }));
  const results = turn.tools.map((tool): Said => ({
    role: "tool",
    callId: tool.callId,
    name: tool.name,
    text: resultText(tool),
    isError: tool.status !== "completed" && tool.status !== "marked_done",
    ...picturesOf(tool),
  }));
  return [{ role: "assistant", text: turn.text, model, reasoning, toolCalls }, ...results];
}

/** Pictures that a call took or was answered with, like files somebody attached. */
function picturesOf(tool: ToolItem): { attachments?: Attachment[] } {
  const pictures = toolPictures(tool);
  return pictures.length === 0 ? {} : { attachments: [...pictures] };
}

/** A branch may leave in the middle of a call. */
const UNFINISHED = "[This call had not ended here: what it did is not known.]";

/** What the model reads of a result: the error if there is one, then the output, bounded. */
export function resultText(tool: ToolItem): string {
  const { output, error, result } = tool;
  if (output === null) return UNFINISHED;
  const parts: string[] = [];
  if (error) parts.push(`${error.code}: ${error.message}`);
  if (output.bytes > 0) {
    const shown = output.head.length + output.tail.length;
    const gap = output.truncated ? `\n[… ${output.bytes - shown} bytes left out …]\n` : "";
    parts.push(`${output.head}${gap}${output.tail}`);
  } else if (result !== null && !error) {
    parts.push(JSON.stringify(result));
  }
  if (tool.exitCode !== null && tool.exitCode !== 0) parts.push(`[exit code ${tool.exitCode}]`);
  const { request } = tool;
  if (request?.kind === "approval" && request.answer?.status === "approved") {
    if (request.answer.feedback)
      parts.push(`[Allowed, with the words: ${request.answer.feedback}]`);
    if (request.planHash !== tool.planHash) parts.push("[A person changed the arguments first]");
  }
  return parts.join("\n") || "[no output]";
}
