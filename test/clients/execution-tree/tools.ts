// Calls and subagents in the execution tree: whose they are, which go on side by side, how they ended.
import type { NodeFacts } from "./nodes.ts";
import { given, numberIn, textIn, type Case, type Params } from "./params.ts";
import { askBuffered, settleWaiting } from "./permissions.ts";
import { beginIteration, liveScope, scopeAround, scopeFor, seal } from "./scope.ts";
import {
  add,
  callsAround,
  cellAt,
  change,
  find,
  goesOn,
  nodeAt,
  noteNewestCall,
  type Cell,
  type TreeDraft,
} from "./store.ts";

export const toolCases = {
  "stream.tool_use": (params, draft, at) => {
    const id = textIn(params, "id");
    if (find(draft, id) !== undefined) return;
    const scope = scopeFor(draft, params["parentStepId"]);
    if (scope && !scope.late) ownIteration(draft, scope.at);
    const anchor = !scope || scope.late ? scope?.at : anchorIn(draft, scope.at);
    const parallel = besides(draft, anchor);
    noteNewestCall(draft, add(draft, anchor, toolNode(params, { id, startTime: at, parallel })));
    if (parallel && scope) change(draft, scope.at, besideOthers);
    if (!scope?.late) {
      seal(draft, "both");
      draft.activeNodeId = id;
    }
    draft.stats = { ...draft.stats, totalTools: draft.stats.totalTools + 1 };
    askBuffered(draft, id);
  },

  "stream.tool_completed": (params, draft, at) => {
    const id = textIn(params, "id");
    // One that was refused before it could start is told by its end alone.
    if (find(draft, id) === undefined) addEnded(draft, params, at);
    const tool = find(draft, id);
    if (tool === undefined) return;
    const failed = params["isError"] === true;
    // Nobody told us of an answer, and it is over: somebody answered elsewhere.
    settleWaiting(draft, tool, { by: "cli", yes: !failed });
    count(draft, tool, failed ? "failed" : "completed");
    change(draft, tool, (node) => ({
      ...node,
      status: failed ? "failed" : "completed",
      endTime: at,
      duration: numberIn(params, "durationMs"),
      ...given(params, "error"),
    }));
    backToParent(draft, tool);
  },

  "stream.subagent.start": (params, draft, at) => {
    const agentType = textIn(params, "agentType");
    const id = `subagent:${agentType}:${draft.nextSyntheticId}`;
    draft.nextSyntheticId += 1;
    const place = add(draft, liveScope(draft), {
      id,
      type: "subagent",
      status: "running",
      label: `subagent: ${agentType}`,
      startTime: at,
      metadata: { agentType, prompt: textIn(params, "prompt") },
    });
    draft.subagents = [...draft.subagents, place];
    draft.activeNodeId = id;
  },

  // The end names no subagent, only its kind: the one that began last is taken.
  "stream.subagent.end": (params, draft, at) => {
    const isIt = (place: number) =>
      nodeAt(draft, place).metadata?.["agentType"] === params["agentType"];
    const last = draft.subagents.findLastIndex(isIt);
    const place = draft.subagents[last];
    if (place === undefined) return;
    draft.subagents = draft.subagents.toSpliced(last, 1);
    change(draft, place, (node) => ({ ...node, status: "completed", endTime: at }));
  },
} satisfies Record<string, Case>;

function addEnded(draft: TreeDraft, params: Params, at: number): void {
  const scope = liveScope(draft);
  if (scope === undefined) return; // of a past that is not here
  const startTime = at - numberIn(params, "durationMs");
  const id = textIn(params, "id");
  add(draft, anchorIn(draft, scope), toolNode(params, { id, startTime, parallel: false }));
  draft.stats = { ...draft.stats, totalTools: draft.stats.totalTools + 1 };
}

/** A call needs a thought it came from, unless it goes on beside others of the same one. */
function ownIteration(draft: TreeDraft, scope: number): void {
  if (draft.currentTextId !== null) return;
  const thought = find(draft, draft.currentThinkingId);
  if (thought !== undefined && !draft.thinkingSealed) return;
  if (thought !== undefined && cellAt(draft, thought).busy > 0) return;
  beginIteration(draft, scope, { status: "completed", delta: "" });
}

/** What was said in this iteration, else its thought. */
function anchorIn(draft: TreeDraft, scope: number): number {
  return find(draft, draft.currentTextId) ?? find(draft, draft.currentThinkingId) ?? scope;
}

/**
 * Whether another call of the same turn or step goes on. Then that one is marked too: if it was not yet, it
 * has been alone since it began, and so is the newest there.
 */
function besides(draft: TreeDraft, anchor: number | undefined): boolean {
  const { open, newest } = callsAround(draft, anchor);
  if (open === 0) return false;
  if (newest >= 0 && goesOn(nodeAt(draft, newest))) change(draft, newest, besideOthers);
  return true;
}

const besideOthers = (node: NodeFacts): NodeFacts =>
  node.parallel === true ? node : { ...node, parallel: true };

function toolNode(
  params: Params,
  { id, startTime, parallel }: { id: string; startTime: number; parallel: boolean },
): NodeFacts {
  const name = textIn(params, "name");
  const summary = textIn(params, "summary");
  return {
    id,
    type: "tool",
    status: "running",
    label: summary === "" ? name : `${name} — ${summary}`,
    startTime,
    ...(parallel && { parallel }),
    metadata: { tool: name, ...given(params, "summary") },
  };
}

/** Once, also when a step was over before its call said so; what the call says itself is what counts. */
export function count(draft: TreeDraft, tool: number, as: NonNullable<Cell["counted"]>): void {
  const { counted } = cellAt(draft, tool);
  if (counted === as) return;
  const before = counted === null ? {} : { [COUNTER[counted]]: draft.stats[COUNTER[counted]] - 1 };
  draft.stats = { ...draft.stats, ...before, [COUNTER[as]]: draft.stats[COUNTER[as]] + 1 };
  change(draft, tool, (node) => node, { counted: as });
}

const COUNTER = { completed: "completedTools", failed: "failedTools" } as const;

/** What comes next belongs where the call came from, unless work has moved on to another scope. */
function backToParent(draft: TreeDraft, tool: number): void {
  const { parent } = cellAt(draft, tool);
  if (parent < 0 || scopeAround(draft, parent) !== liveScope(draft)) return;
  draft.activeNodeId = nodeAt(draft, parent).id;
}
