// Labels of tree nodes.
import type { Item, NoticeItem, ToolItem, ToolStatus } from "../../kernel/state/run/items.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { isTerminal } from "../../kernel/state/run/status.ts";
import { get } from "../../kernel/state/vector.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { RUN_STATUS } from "../session/runs/status-label.ts";
import { plural } from "../text/format.ts";
import { TOOL_STATE } from "../tools/status-label.ts";
import { displayOf } from "../../kernel/state/tools/display.ts";
import type { Tone } from "../ui/badge.tsx";
import type { IconName } from "../ui/icon.tsx";
import type { Span, StepFacts, TurnFacts } from "./outline.ts";
import { waits } from "./marks.ts";
import type { ChildFacts, NodeSource, TreeNode } from "./node.ts";

export type NodeFacts = {
  readonly icon: IconName;
  readonly label: string; // nothing in it can hide
  readonly note: string | null;
  readonly state: string;
  readonly tone: Tone;
  readonly startedAt: number | null; // unix seconds
  readonly durationMs: number | null; // null: it goes on, or has none
  readonly going: boolean;
  readonly dim: boolean; // it counts for nothing any more
};

const emitted = new WeakMap<TreeNode, NodeFacts>();

/** Computed once per node, and only for drawn ones. */
export function factsOf(node: TreeNode): NodeFacts {
  const known = emitted.get(node);
  if (known) return known;
  const facts = (FACTS[node.source.kind] as (source: NodeSource) => NodeFacts)(node.source);
  emitted.set(node, facts);
  return facts;
}

type Facts = {
  readonly [Kind in NodeSource["kind"]]: (source: Extract<NodeSource, { kind: Kind }>) => NodeFacts;
};

const FACTS: Facts = {
  run: ({ run, rewound }) => runFacts(run, rewound),
  step: ({ step }) => stepFacts(step),
  pending: ({ name }) => pendingFacts(name),
  turn: ({ turn }) => turnFacts(turn),
  item: ({ item, child }) =>
    item.kind === "tool" && child ? delegateFacts(item, child) : itemFacts(item),
};

const GOING: ReadonlySet<ToolStatus> = new Set([
  "awaiting_approval",
  "awaiting_clarify",
  "running",
  "outcome_unknown",
]);

type Named<Kind> = Extract<Item, { kind: Kind }>;
type ItemTable = { readonly [Kind in Item["kind"]]: (item: Named<Kind>) => NodeFacts };

const ITEMS: ItemTable = {
  user: ({ text, mode, retracted, at }) => ({
    ...still(at),
    icon: "send",
    label: begin(text) || "An empty message",
    note: retracted ? "taken back" : USER_NOTE[mode],
    state: retracted ? "Taken back" : "Said",
    dim: retracted,
  }),
  text: ({ text, status, superseded, at }) => ({
    ...still(at),
    icon: "thought",
    label: begin(text),
    note: superseded ? "interrupted" : null,
    ...(status === "streaming" ? WRITING : WRITTEN),
    dim: superseded,
  }),
  reasoning: ({ text, status, superseded, durationMs, at }) => ({
    ...still(at),
    icon: "bolt",
    label: `Thinking: ${begin(text)}`,
    note: superseded ? "interrupted" : null,
    ...(status === "streaming" ? { ...WRITING, state: "Thinking" } : WRITTEN),
    durationMs,
    dim: superseded,
  }),
  tool: (item) => toolFacts(item),
  notice: (item) => ({
    ...still(item.at),
    icon: NOTICE_ICON[item.tone],
    label: begin(item.code === "recovery" ? "The process crashed; the run resumed" : item.text),
    note: null,
    state: NOTICE_STATE[item.tone],
    tone: item.tone === "error" ? "bad" : "neutral",
    dim: false,
    ...(waits(item.request) && { state: "Needs an answer", tone: "warning", going: true }),
  }),
};

const USER_NOTE = { start: null, queue: "queued", steer: "steer", goal: "goal" } as const;
const NOTICE_ICON: Record<NoticeItem["tone"], IconName> = {
  info: "wheel",
  warning: "bolt",
  error: "alert",
};
const NOTICE_STATE: Record<NoticeItem["tone"], string> = {
  info: "Notice",
  warning: "Warning",
  error: "Error",
};
const WRITING = { state: "Writing", tone: "busy", going: true } as const;
const WRITTEN = { state: "Done", tone: "neutral" } as const;

export function itemFacts(item: Item): NodeFacts {
  return (ITEMS[item.kind] as (item: Item) => NodeFacts)(item);
}

function still(at: number) {
  return { startedAt: at, durationMs: null, going: false, tone: "neutral" } as const;
}

/** Enough for the widest line; escaping a whole answer at every token would be slow. */
function begin(text: string): string {
  return visibleLine(text.slice(0, 240));
}

function toolFacts(item: ToolItem): NodeFacts {
  const { label: state, tone } = TOOL_STATE[item.status];
  const notes = [
    item.attempt > 1 && `attempt ${item.attempt}`,
    item.exitCode !== null && item.exitCode !== 0 && `exit ${item.exitCode}`,
  ].filter((note) => note !== false);
  return {
    icon: displayOf(item.name).icon,
    label: visibleLine(displayOf(item.name).title(item).slice(0, 240)) || visibleLine(item.name),
    note: notes.length > 0 ? notes.join(" · ") : null,
    state,
    tone,
    startedAt: item.at,
    durationMs: item.durationMs,
    going: GOING.has(item.status),
    dim: false,
  };
}

/** A call that started a subagent has the subagent's status. */
function delegateFacts(item: ToolItem, child: ChildFacts): NodeFacts {
  const own = toolFacts(item);
  if (isTerminal(child.status) || item.status !== "running") {
    return { ...own, note: countNote(child, own.note) };
  }
  const { label: state, tone } = RUN_STATUS[child.status];
  return { ...own, state, tone, note: countNote(child, own.note) };
}

function countNote({ turns }: ChildFacts, note: string | null): string | null {
  return [turns > 0 && plural(turns, "turn"), note].filter(Boolean).join(" · ") || null;
}

function turnFacts(turn: TurnFacts): NodeFacts {
  const { index, attempt, model, phase, tokens } = turn;
  const again = attempt > 1 ? ` · attempt ${attempt}` : "";
  return {
    ...span(turn),
    icon: "wheel",
    label: `Turn ${index}${again} · ${visibleLine(model)}`,
    note: phase === "superseded" ? "interrupted" : tokensNote(tokens),
    ...TURN_STATE[phase],
    going: phase === "running",
    dim: phase === "superseded",
  };
}

const TURN_STATE = {
  running: { state: "Running", tone: "busy" },
  over: { state: "Done", tone: "good" },
  superseded: { state: "Interrupted", tone: "neutral" },
} as const;

function tokensNote(tokens: number | null): string | null {
  return tokens === null ? null : plural(tokens, "token");
}

function stepFacts(step: StepFacts): NodeFacts {
  const over = step.endSeq !== null && step.status === "running"; // the run ended in the middle of it
  const { state, tone } = STEP_STATE[over ? "stopped" : step.status];
  return {
    ...span(step),
    icon: "list",
    label: `Step: ${visibleLine(step.name)}`,
    note: step.fallbacks > 0 ? plural(step.fallbacks, "other approach", "other approaches") : null,
    state,
    tone,
    going: step.endSeq === null,
    dim: false,
  };
}

const STEP_STATE = {
  running: { state: "Running", tone: "busy" },
  completed: { state: "Done", tone: "good" },
  failed: { state: "Failed", tone: "bad" },
  stopped: { state: "Stopped", tone: "neutral" },
} as const;

function pendingFacts(name: string): NodeFacts {
  return {
    icon: "list",
    label: `Step: ${visibleLine(name)}`,
    note: null,
    state: "Not begun",
    tone: "neutral",
    startedAt: null,
    durationMs: null,
    going: false,
    dim: true,
  };
}

function runFacts(run: RunState, rewound: boolean): NodeFacts {
  const { label: state, tone } = RUN_STATUS[run.status];
  const over = isTerminal(run.status);
  const first = get(run.items, 0);
  const tokens = tokensNote(run.usage.total_tokens);
  return {
    icon: "flag",
    label: begin(first?.kind === "user" ? first.text : "") || "Run",
    note: [rewound && "undone", run.turns > 0 && plural(run.turns, "turn"), tokens]
      .filter(Boolean)
      .join(" · "),
    state,
    tone,
    startedAt: run.createdAt,
    durationMs: over ? (run.updatedAt - run.createdAt) * 1_000 : null,
    going: !over,
    dim: rewound,
  };
}

function span({ at, endedAt }: Span) {
  return { startedAt: at, durationMs: endedAt === null ? null : (endedAt - at) * 1_000 };
}
