// Sessions, turns, what the model thinks and says, and what it all cost, in the execution tree.
import { MODEL_CALL } from "../../../src/windows/daemon/wire/events.ts";
import type { NodeFacts } from "./nodes.ts";
import { given, numberIn, textIn, timeIn, type Case } from "./params.ts";
import { settleWaiting } from "./permissions.ts";
import { beginIteration, leaveIteration, liveScope, scopeFor, seal } from "./scope.ts";
import { add, below, change, find, goesOn, isA, nearest, nodeAt, type TreeDraft } from "./store.ts";
import { truncate } from "../../../src/kernel/text/truncate.ts";

export const turnCases = {
  "stream.session_started": (params, draft) => {
    const id = textIn(params, "sessionId");
    if (find(draft, id) !== undefined) return; // a snapshot repeats it
    const { model, projectPath } = params;
    add(draft, undefined, {
      id,
      type: "session",
      status: "running",
      label: `session (${textIn(params, "model")})`,
      ...during({ startTime: timeIn(params, "timestamp") }),
      metadata: { model, ...(typeof projectPath === "string" && { projectPath }) },
    });
    draft.activeNodeId = id;
  },

  "stream.session_ended": (params, draft) => {
    const at = find(draft, textIn(params, "sessionId"));
    if (at === undefined || nodeAt(draft, at).type !== "session") return;
    change(draft, at, (node) => ({
      ...node,
      status: "completed",
      ...during({ endTime: timeIn(params, "timestamp") }),
      metadata: { ...node.metadata, endReason: params["reason"] },
    }));
    draft.activeNodeId = null;
  },

  "stream.turn_started": (params, draft) => {
    const id = textIn(params, "requestId");
    if (find(draft, id) !== undefined) return;
    const turnNumber = numberIn(params, "turnNumber");
    add(draft, turnParent(draft, textIn(params, "sessionId")), {
      id,
      type: "turn",
      status: "running",
      label: `turn ${turnNumber}`,
      ...during({ startTime: timeIn(params, "timestamp") }),
      metadata: { turnNumber },
    });
    draft.activeNodeId = id;
    leaveIteration(draft);
    draft.stats = { ...draft.stats, totalTurns: draft.stats.totalTurns + 1 };
  },

  // Calls have an end of their own. Thinking and talking end with the turn, and nobody works for it
  // any more.
  "stream.turn_completed": (params, draft) => {
    const at = find(draft, textIn(params, "requestId"));
    if (at === undefined || !goesOn(nodeAt(draft, at))) return;
    for (const inner of below(draft, at)) {
      settleWaiting(draft, inner);
      change(draft, inner, endWithTurn);
    }
    draft.subagents = draft.subagents.filter((place) => goesOn(nodeAt(draft, place)));
    settleWaiting(draft, at);
    change(draft, at, (node) => ({
      ...node,
      status: "completed",
      ...during({ endTime: timeIn(params, "timestamp") }),
      duration: numberIn(params, "durationMs"),
      ...(params["stopReason"] === "ERROR" && lastErrorOf(node)),
      metadata: { ...node.metadata, ...given(params, "stopReason") },
    }));
  },

  "stream.heartbeat": (params, draft) => {
    if (params["phase"] === MODEL_CALL) leaveIteration(draft);
  },

  "stream.thinking": (params, draft) => {
    const delta = textIn(params, "delta");
    const scope = scopeFor(draft, params["parentStepId"]);
    if (!scope) return;
    if (scope.late) return addLate(draft, scope.at, "thinking", delta);
    const open = draft.thinkingSealed ? undefined : find(draft, draft.currentThinkingId);
    if (open === undefined) return beginIteration(draft, scope.at, { status: "running", delta });
    change(draft, open, (node) => ({ ...node, text: (node.text ?? "") + delta }));
    draft.activeNodeId = draft.currentThinkingId;
  },

  "stream.text": (params, draft) => {
    const delta = textIn(params, "delta");
    const scope = scopeFor(draft, params["parentStepId"]);
    if (!scope) return;
    if (scope.late) return addLate(draft, scope.at, "text", delta);
    const open = draft.textIsOpen ? find(draft, draft.currentTextId) : undefined;
    if (open !== undefined) change(draft, open, (node) => longer(node, delta));
    else beginText(draft, scope.at, delta);
    seal(draft, "thinking");
    draft.activeNodeId = draft.currentTextId;
  },

  // The model was cut off: what it was saying stays as far as it came, and what it says next is new.
  "stream.error": (params, draft) => {
    const error = textIn(params, "error");
    const text = draft.textIsOpen ? draft.currentTextId : null;
    const thought = draft.thinkingSealed ? null : draft.currentThinkingId;
    const cut = find(draft, text ?? thought);
    const scope = liveScope(draft);
    if (cut !== undefined) change(draft, cut, (node) => ({ ...node, status: "failed", error }));
    else if (scope !== undefined) {
      const noted = (node: NodeFacts) => ({ ...node.metadata, lastError: error });
      change(draft, scope, (node) => ({ ...node, metadata: noted(node) }));
    }
    leaveIteration(draft);
  },

  "stream.usage": (params, draft) => {
    draft.stats = {
      ...draft.stats,
      inputTokens: numberIn(params, "totalInputTokens"),
      outputTokens: numberIn(params, "totalOutputTokens"),
    };
  },

  "stream.compaction": (params, draft) => {
    const at = nearest(draft, find(draft, draft.activeNodeId), isA("turn"));
    if (at === undefined) return;
    const compaction = given(params, "originalTokens", "compactedTokens", "phase");
    change(draft, at, (node) => {
      const before = node.metadata?.["compactions"];
      const compactions = [...(Array.isArray(before) ? before : []), compaction];
      return { ...node, metadata: { ...node.metadata, compactions } };
    });
  },
} satisfies Record<string, Case>;

/** Exact optional fields: an unknown time is absent. */
export function during(times: { startTime?: number | undefined; endTime?: number | undefined }) {
  const { startTime, endTime } = times;
  return {
    ...(startTime !== undefined && { startTime }),
    ...(endTime !== undefined && { endTime }),
  };
}

/** A running step, else the session, else nothing: a turn whose beginning was missed is shown all the same. */
function turnParent(draft: TreeDraft, sessionId: string): number | undefined {
  const active = find(draft, draft.activeNodeId);
  const step = nearest(draft, active, (node) => node.type === "step" && goesOn(node));
  const turn = nearest(draft, step, isA("turn"));
  // A plan that was left behind by a turn that is over holds nothing new.
  const live = turn === undefined || goesOn(nodeAt(draft, turn)) ? step : undefined;
  return live ?? nearest(draft, active, isA("session")) ?? find(draft, sessionId);
}

function endWithTurn(node: NodeFacts): NodeFacts {
  const { type, status } = node;
  if (status !== "running") return node;
  if (type === "thinking" || type === "text") return { ...node, status: "completed" };
  return type === "subagent" ? { ...node, status: "cancelled" } : node;
}

/** An error that a turn got over is a note; the one it ended with is its error. */
function lastErrorOf({ metadata }: NodeFacts): { error?: string } {
  const error = metadata?.["lastError"];
  return typeof error === "string" ? { error } : {};
}

/** A new iteration's text: below its thinking, which is made up if there was none. */
function beginText(draft: TreeDraft, scope: number, delta: string): void {
  if (draft.thinkingSealed || draft.currentThinkingId === null) {
    beginIteration(draft, scope, { status: "completed", delta: "" });
  }
  const id = `${draft.currentThinkingId}:text:${draft.nextSyntheticId}`;
  draft.nextSyntheticId += 1;
  const node = {
    id,
    type: "text",
    status: "running",
    label: previewOf(delta),
    text: delta,
  } as const;
  add(draft, find(draft, draft.currentThinkingId) ?? scope, node);
  draft.currentTextId = id;
  draft.textIsOpen = true;
}

const MAX_LABEL = 22;
const LABEL_WINDOW = 200; // beyond it a label is not looked for any more: text may be a megabyte

function previewOf(text: string): string {
  return truncate(text.trimStart(), MAX_LABEL);
}

function longer(node: NodeFacts, delta: string): NodeFacts {
  const before = node.text ?? "";
  const text = before + delta;
  const label =
    before.length > LABEL_WINDOW ? node.label : previewOf(text.slice(0, 2 * LABEL_WINDOW));
  return { ...node, text, label };
}

/** One node for each kind, however much comes too late. */
function addLate(draft: TreeDraft, step: number, type: "text" | "thinking", delta: string): void {
  const id = `${nodeAt(draft, step).id}:late:${type}`;
  const at = find(draft, id);
  const grown = (node: NodeFacts) =>
    type === "text" ? longer(node, delta) : { ...node, text: (node.text ?? "") + delta };
  if (at !== undefined) return change(draft, at, grown);
  const label = type === "text" ? previewOf(delta) : "thinking";
  add(draft, step, { id, type, status: "completed", label, text: delta });
}
