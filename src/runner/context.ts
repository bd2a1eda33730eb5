// The conversation a model is given, rebuilt from the session's runs. Text of superseded turns was
// seen by a person but never finished, so no model is told it said that.
import type { Journal } from "../journal/journal.ts";
import { loadRun } from "../journal/load-run.ts";
import type { ToolItem, UserItem } from "../protocol/run-items.ts";
import type { RunState } from "../protocol/run-state.ts";
import { isTerminal } from "../protocol/run-status.ts";
import { values } from "../protocol/vector.ts";
import type { ModelMessage } from "./models/model.ts";

const SYSTEM =
  "You are an agent in Quarterdeck. Work in the user's workspace with the tools you have, say " +
  "briefly what you do, and ask when a decision is the user's to make.";

export async function buildMessages(journal: Journal, state: RunState): Promise<ModelMessage[]> {
  const session = await journal.session(state.sessionId);
  const goal = session?.goal?.status === "active" ? `The standing goal: ${session.goal.text}` : "";
  const system = [SYSTEM, state.instructions ?? "", goal].filter(Boolean).join("\n\n");
  const earlier = state.parentRunId === null ? await earlierRuns(journal, state) : [];
  return [{ role: "system", text: system }, ...earlier.flatMap(messagesOf), ...messagesOf(state)];
}

async function earlierRuns(journal: Journal, state: RunState): Promise<RunState[]> {
  const runs: RunState[] = [];
  for (const record of await journal.runsOf(state.sessionId)) {
    if (record.run_id === state.runId) break;
    if (record.parent_run_id !== null || !isTerminal(record.status)) continue;
    const run = await loadRun(journal, record.run_id);
    if (run) runs.push(run);
  }
  return runs;
}

type Turn = { id: string; text: string; tools: ToolItem[] };

export function messagesOf(run: RunState): ModelMessage[] {
  const messages: ModelMessage[] = [];
  let turn: Turn | undefined;
  let steers: UserItem[] = []; // said while a turn ran: the model reads them after its results
  const closeTurn = (next: string | undefined) => {
    if (turn) messages.push(...turnMessages(turn));
    for (const steer of steers) if (steer.duringTurn !== next) messages.push(userMessage(steer));
    steers = steers.filter(({ duringTurn }) => duringTurn === next);
  };
  for (const item of values(run.items)) {
    if (item.kind === "user") {
      steers.push(item);
      if (item.duringTurn !== null) continue;
      closeTurn(undefined); // said between turns: everything before it comes first
      turn = undefined;
      continue;
    }
    if (item.kind !== "text" && item.kind !== "tool") continue;
    if (item.kind === "text" && item.superseded) continue;
    if (turn?.id !== item.turnId) {
      closeTurn(item.turnId);
      turn = { id: item.turnId, text: "", tools: [] };
    }
    if (item.kind === "text") turn.text += item.text;
    else turn.tools.push(item);
  }
  closeTurn(undefined);
  return [...messages, ...endMessage(run)];
}

function endMessage(run: RunState): ModelMessage[] {
  if (run.status !== "cancelled" && run.status !== "failed") return [];
  const why = run.error?.message ?? "the user stopped it";
  return [{ role: "assistant", text: `[This run ended early: ${why}]`, toolCalls: [] }];
}

function userMessage({ text }: UserItem): ModelMessage {
  return { role: "user", text };
}

function turnMessages(turn: { text: string; tools: readonly ToolItem[] }): ModelMessage[] {
  const toolCalls = turn.tools.map((tool) => ({
    callId: tool.callId,
    name: tool.name,
    argumentsText: JSON.stringify(tool.plan.arguments),
  }));
  const results = turn.tools.map((tool): ModelMessage => ({
    role: "tool",
    callId: tool.callId,
    name: tool.name,
    text: resultText(tool),
    isError: tool.status !== "completed" && tool.status !== "marked_done",
  }));
  return [{ role: "assistant", text: turn.text, toolCalls }, ...results];
}

/** What the model reads of a result: the error if there is one, then the output, bounded. */
export function resultText(tool: ToolItem): string {
  const { output, error, result } = tool;
  const parts: string[] = [];
  if (error) parts.push(`${error.code}: ${error.message}`);
  if (output && output.bytes > 0) {
    const shown = output.head.length + output.tail.length;
    const gap = output.truncated ? `\n[… ${output.bytes - shown} bytes left out …]\n` : "";
    parts.push(`${output.head}${gap}${output.tail}`);
  } else if (result !== null && !error) {
    parts.push(JSON.stringify(result));
  }
  if (tool.exitCode !== null && tool.exitCode !== 0) parts.push(`[exit code ${tool.exitCode}]`);
  return parts.join("\n") || "[no output]";
}
