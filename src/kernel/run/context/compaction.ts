// Makes room in the model's context window: a summary replaces older turns, the newest stay as they are. Nothing is
// removed from the journal. After a crash the summary is requested again.
import { estimateTokenCount } from "tokenx";
import type { RunState } from "../../state/run/state.ts";
import { directCall } from "../../events/direct.ts";
import { toArray, vectorOf } from "../../state/vector.ts";
import { askSideQuestion } from "./side-question.ts";
import { buildMessages } from "./context.ts";
import type { Model, ModelMessage } from "../models/model.ts";
import type { RunLog } from "../loop/run-log.ts";

/** How full the window may be before the next turn. */
const FULL = 0.8;
/** How much of the window one summary may read; without a known window, this many tokens. */
const READABLE = 0.7;
const UNKNOWN_WINDOW = 100_000;
const LONGEST_RESULT = 4_000; // characters of one tool result that a summary is made from
const CHARS_PER_TOKEN = 3;

const SYSTEM =
  "You compress a conversation between a user and an agent so that the agent can go on with your text " +
  "alone. Keep: what the user wants and decided, constraints, names, paths, commands and their outcomes, " +
  "what was changed in which file, what failed and why, open questions, what comes next. Leave out " +
  "pleasantries. Write plain text.";

export type CompactionRequest = { readonly reason: "window" | "asked"; readonly focus?: string };

function estimate(messages: readonly ModelMessage[]): number {
  return messages.reduce(
    (sum, message) => sum + estimateTokenCount(plain(message)) + fileTokens(message),
    0,
  );
}

/** Nobody knows before a provider has counted: about what they say of one picture, or one short document. */
const TOKENS_OF_FILE = 1_500;

function fileTokens(message: ModelMessage): number {
  if (message.role !== "user") return 0;
  return (message.attached ?? []).filter(({ file }) => file).length * TOKENS_OF_FILE;
}

/** Whether the next call would come too near to the end of the window. */
export function isFull(state: RunState, model: Model, messages: readonly ModelMessage[]): boolean {
  if (model.contextWindow === null) return false;
  const tokens = state.context?.tokens ?? estimate(messages);
  return tokens > model.contextWindow * FULL && canCompress(state, messages);
}

/** Nothing can be gained when all there is is the summary and the newest message. */
function canCompress(state: RunState, messages: readonly ModelMessage[]): boolean {
  const turns = state.turn?.index ?? 0;
  return messages.length > 3 && (state.compaction?.keptFromTurn ?? 0) <= turns;
}

export async function compress(
  log: RunLog,
  model: Model,
  request: CompactionRequest,
): Promise<string> {
  const build = (state: RunState) => buildMessages(log.journal, state, "", model);
  const original_tokens = log.state.context?.tokens ?? estimate(await build(log.state));
  const keptFromTurn = keptTurn(log.state);
  const about = { reason: request.reason, kept_from_turn: keptFromTurn };
  if (!log.state.compacting) {
    const payload = {
      phase: "started",
      original_tokens,
      compacted_tokens: 0,
      summary: null,
    } as const;
    await log.append([{ type: "compaction", payload: { ...payload, ...about } }]);
  }
  // What was said before it began is in it and can no longer be edited; what came later stays word by word.
  const text = transcript((await build(asItBegan(log.state))).slice(1), model, request.focus);
  const aside = { kind: "summary", system: SYSTEM, text, runId: log.claim.runId } as const;
  const answer = await askSideQuestion(model, aside, log.signal);
  const summary = answer.text || "[There was nothing to say about it.]";
  const compacted_tokens = estimateTokenCount(summary);
  const payload = { phase: "completed", original_tokens, compacted_tokens, summary } as const;
  await log.append([answer.usage, { type: "compaction", payload: { ...payload, ...about } }]);
  return summary;
}

function asItBegan(state: RunState): RunState {
  return { ...state, items: vectorOf(toArray(state.items).slice(0, state.compactingItems)) };
}

/** The newest turn stays as it is; null: a command's own work, of which nothing is kept. */
function keptTurn(state: RunState): number | null {
  if (directCall(state) && state.turn === null) return null;
  const newest = state.turn?.index ?? 1;
  const already = state.compaction?.keptFromTurn ?? 0;
  return already >= newest ? newest + 1 : Math.max(1, newest);
}

function transcript(
  messages: readonly ModelMessage[],
  model: Model,
  focus: string | undefined,
): string {
  const room = (model.contextWindow ?? UNKNOWN_WINDOW) * READABLE * CHARS_PER_TOKEN;
  const parts = messages.map((message) => `${message.role}: ${plain(message)}`);
  let text = parts.join("\n\n");
  if (text.length > room) {
    const half = Math.floor(room / 2);
    text = `${text.slice(0, half)}\n\n[… left out for length …]\n\n${text.slice(-half)}`;
  }
  const request = focus ? `\n\nTake special care of: ${focus}` : "";
  return `Compress this conversation.${request}\n\n${text.toWellFormed()}`;
}

function plain(message: ModelMessage): string {
  if (message.role === "tool") {
    const { text } = message;
    return text.length <= LONGEST_RESULT ? text : `${text.slice(0, LONGEST_RESULT)} […]`;
  }
  if (message.role === "user") {
    return [message.text, ...(message.attached ?? []).map(({ text }) => text)].join("\n\n");
  }
  if (message.role !== "assistant") return message.text;
  const calls = message.toolCalls.map(
    ({ name, argumentsText }) => `[calls ${name} ${argumentsText}]`,
  );
  return [message.text, ...calls].filter(Boolean).join("\n");
}
