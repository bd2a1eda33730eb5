// A run as a list of steps, including those of its subagents. Turns are not steps: one more turn must not make
// everything after it differ.
import type { Item, ToolItem } from "../../../kernel/state/run/items.ts";
import type { RunState } from "../../../kernel/state/run/state.ts";
import { isTerminal } from "../../../kernel/state/run/status.ts";
import { values } from "../../../kernel/state/vector.ts";
import { visibleJson, visibleText } from "../../../kernel/text/visible-text.ts";
import { RUN_STATUS } from "../../../web/session/runs/status-label.ts";
import { itemFacts } from "../../../web/tree/labels.ts";
import type { Tone } from "../../../web/ui/badge.tsx";
import type { IconName } from "../../../web/ui/icon.tsx";
import type { Alignable } from "./align.ts";

export type Step = Alignable & {
  readonly id: string;
  readonly runId: string;
  readonly seq: number;
  readonly depth: number; // 0: the run itself
  readonly turn: number | null;
  readonly icon: IconName;
  readonly label: string;
  readonly state: string;
  readonly tone: Tone;
  readonly durationMs: number | null;
  /** What was asked or said and its result, with invisible characters escaped. */
  readonly text: string;
  readonly result: string;
};

type Runs = Readonly<Record<string, RunState>>;

export function stepsOf(runs: Runs, runId: string, depth = 0): Step[] {
  const run = runs[runId];
  if (!run) return [];
  const steps: Step[] = [];
  for (const item of values(run.items)) {
    if ((item.kind === "text" || item.kind === "reasoning") && item.superseded) continue; // counts for nothing
    steps.push(stepOf(item, runId, depth));
    if (item.kind === "tool" && item.childRunId !== null) {
      steps.push(...stepsOf(runs, item.childRunId, depth + 1));
    }
  }
  if (isTerminal(run.status)) steps.push(endOf(run, depth));
  return steps;
}

const made = new WeakMap<Item, Map<string, Step>>();

/** Cached, because items are immutable. */
function stepOf(item: Item, runId: string, depth: number): Step {
  const name = `${depth} ${runId}`;
  const known = made.get(item)?.get(name);
  if (known) return known;
  const { icon, label, state, tone, durationMs } = itemFacts(item);
  const text = textOf(item);
  const result = item.kind === "tool" ? resultOf(item) : "";
  const slot = `${depth} ${item.kind} ${item.kind === "tool" ? item.name : ""}`;
  const step: Step = {
    id: `${runId}:${item.seq}`,
    runId,
    seq: item.seq,
    depth,
    turn: turnOf(item),
    icon,
    label,
    state,
    tone,
    durationMs,
    text,
    result,
    slot,
    key: `${slot}\n${text}`,
    outcome: item.kind === "tool" ? `${item.status}\n${result}` : "",
  };
  const both = made.get(item) ?? new Map<string, Step>();
  made.set(item, both.set(name, step));
  return step;
}

function endOf(run: RunState, depth: number): Step {
  const { label, tone } = RUN_STATUS[run.status];
  const result = run.error ? visibleText(run.error.message) : "";
  const slot = `${depth} end`;
  return {
    id: `${run.runId}:end`,
    runId: run.runId,
    seq: run.seq,
    depth,
    turn: null,
    icon: "flag",
    label: depth === 0 ? "End of the run" : "End of the subagent",
    state: label,
    tone,
    durationMs: (run.updatedAt - run.createdAt) * 1_000,
    text: "",
    result,
    slot,
    key: slot,
    outcome: `${run.status}\n${result}`,
  };
}

function textOf(item: Item): string {
  if (item.kind !== "tool") return visibleText(item.text);
  return visibleJson(sorted(item.plan.arguments));
}

function resultOf({ output, error }: ToolItem): string {
  const printed = output ? output.head + (output.tail === "" ? "" : `\n…\n${output.tail}`) : "";
  return visibleText([error?.message, printed].filter(Boolean).join("\n"));
}

/** `t3.1` is turn 3. */
function turnOf(item: Item): number | null {
  const id = item.kind === "user" || item.kind === "notice" ? "" : item.turnId;
  const [, index] = /^t(\d+)\./.exec(id) ?? [];
  return index === undefined ? null : Number(index);
}

/** Sorts keys, so that argument order does not matter. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, part]): [string, unknown] => [
    name,
    sorted(part),
  ]);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
