// Folds the daemon's envelopes into a tree of what was done (execution-event-schema: the reducer builds
// it, the wire knows nothing of it). Pure: the same envelopes give the same tree, live, replayed, cut
// or repeated, in a browser as in a test.
import { checkEnvelope } from "./checks.ts";
import { NO_IDS } from "../../../src/kernel/state/id-map.ts";
import type { ExecutionNode, ExecutionTree } from "./nodes.ts";
import type { Case } from "./params.ts";
import { permissionCases } from "./permissions.ts";
import { planCases } from "./plans.ts";
import { cellAt, NO_CALLS, type Cell, type ExecutionState, type TreeDraft } from "./store.ts";
import { toolCases } from "./tools.ts";
import { turnCases } from "./turns.ts";
import { emptyVector, values } from "../../../src/kernel/state/vector.ts";
import { own } from "../../../src/kernel/events/own.ts";

export type { ExecutionNode, ExecutionTree } from "./nodes.ts";
export type { ExecutionState } from "./store.ts";

export function emptyExecution(sessionId: string): ExecutionState {
  return {
    sessionId,
    activeNodeId: null,
    lastEventId: 0,
    nextSyntheticId: 1,
    currentThinkingId: null,
    thinkingSealed: false,
    currentTextId: null,
    textIsOpen: false,
    pendingPermissionsByToolUseId: {},
    stats: {
      totalTools: 0,
      completedTools: 0,
      failedTools: 0,
      totalTurns: 0,
      inputTokens: 0,
      outputTokens: 0,
    },
    cells: emptyVector(),
    roots: emptyVector(),
    ids: NO_IDS,
    steps: NO_IDS,
    outside: NO_CALLS,
    subagents: [],
    waiting: {},
  };
}

const CASES: Readonly<Record<string, Case>> = {
  ...turnCases,
  ...toolCases,
  ...planCases,
  ...permissionCases,
};

/**
 * Takes anything that was on the socket. The same state comes back for what was seen before, for other
 * sessions, and for what is not an envelope. Unknown methods move the watermark and nothing else.
 */
export function applyEnvelope(state: ExecutionState, value: unknown): ExecutionState {
  const envelope = checkEnvelope(value);
  if (!envelope || envelope.sessionId !== state.sessionId) return state;
  const { eventId, receivedAt, event } = envelope;
  if (eventId <= state.lastEventId) return state;
  const draft: TreeDraft = { ...state, lastEventId: eventId };
  const handle = own(CASES, event.method);
  const at = Date.parse(receivedAt);
  handle?.(event.params, draft, Number.isNaN(at) ? 0 : at);
  return draft;
}

/** The tree as it is drawn. Nodes that did not change are the same objects as the last time. */
export function toExecutionTree(state: ExecutionState): ExecutionTree {
  const { cells: _cells, roots, ids: _ids, steps: _steps, ...position } = state;
  const { outside: _outside, subagents: _subagents, waiting: _waiting, ...tree } = position;
  return { ...tree, rootNodes: [...values(roots)].map((at) => nodeOf(state, at)) };
}

const drawn = new WeakMap<Cell, ExecutionNode>();

function nodeOf(state: ExecutionState, at: number): ExecutionNode {
  const cell = cellAt(state, at);
  const known = drawn.get(cell);
  if (known) return known;
  const children = [...values(cell.children)].map((child) => nodeOf(state, child));
  const node = { ...cell.node, children };
  drawn.set(cell, node);
  return node;
}
