// Groups consecutive calls. A call that a person must see is never in a group: it waits for or got an answer,
// failed, was denied, has an unknown outcome, or started a subagent. Pure and incremental.
import type { Item, ToolItem, ToolStatus } from "../../kernel/state/run/items.ts";
import { get, type Vector } from "../../kernel/state/vector.ts";
import { changedFrom } from "./changed-from.ts";

export type Group = {
  readonly from: number; // its first call
  readonly to: number; // one after its last call
  readonly calls: readonly ToolItem[];
};
export type Grouped = { readonly items: Vector<Item>; readonly groups: readonly Group[] };

export const MIN_CALLS = 3;

const JOINS: Record<ToolStatus, boolean> = {
  planned: true,
  running: true,
  completed: true,
  skipped: true,
  cancelled: true,
  marked_done: true,
  awaiting_approval: false,
  awaiting_clarify: false,
  outcome_unknown: false,
  failed: false,
  denied: false,
};
const ALONE: ReadonlySet<string> = new Set(["delegate", "clarify", "rollback", "compress"]);

function joins(item: Item | undefined): item is ToolItem {
  if (item?.kind !== "tool") return false;
  return JOINS[item.status] && item.request === null && !ALONE.has(item.name);
}

function continues(item: Item | undefined): boolean {
  return item?.kind === "reasoning" || joins(item);
}

/** `before` is an earlier grouping of the same run. Unchanged groups keep their identity. */
export function groupItems(before: Grouped | undefined, items: Vector<Item>): Grouped {
  if (before?.items === items) return before;
  const known = before?.groups ?? [];
  let start = before ? regroupFrom(before.items, items) : 0;
  if (before && start === items.length && start === before.items.length) {
    return { items, groups: known }; // only words streamed in
  }
  while (start > 0 && continues(get(items, start - 1))) start -= 1;
  const kept = known.filter(({ to }) => to <= start);
  const rest = known.slice(kept.length);
  const fresh = scan(items, start).map((group) => rest.find((was) => isSame(was, group)) ?? group);
  const isUnchanged =
    fresh.length === rest.length && fresh.every((group, at) => group === rest[at]);
  return { items, groups: isUnchanged ? known : [...kept, ...fresh] };
}

/** The first index at which a call changed. */
function regroupFrom(a: Vector<Item>, b: Vector<Item>): number {
  const common = Math.min(a.length, b.length);
  let index = changedFrom(a, b);
  for (; index < common; index += 1) {
    const [was, is] = [get(a, index), get(b, index)];
    if (was !== is && (was?.kind !== is?.kind || is?.kind === "tool")) return index;
  }
  return index;
}

function isSame(a: Group, b: Group): boolean {
  const { from, to, calls } = b;
  return a.from === from && a.to === to && a.calls.every((call, at) => call === calls[at]);
}

function scan(items: Vector<Item>, start: number): Group[] {
  const groups: Group[] = [];
  let calls: ToolItem[] = [];
  let [from, to] = [0, 0];
  const close = () => {
    if (calls.length >= MIN_CALLS) groups.push({ from, to, calls });
    calls = [];
  };
  for (let index = start; index < items.length; index += 1) {
    const item = get(items, index);
    if (joins(item)) {
      if (calls.length === 0) from = index;
      calls.push(item);
      to = index + 1;
    } else if (item?.kind !== "reasoning") close();
  }
  close();
  return groups;
}

/** Remembers the last grouping of each run. */
export type Grouping = (runId: string, items: Vector<Item>) => readonly Group[];

export function createGrouping(): Grouping {
  const known = new Map<string, Grouped>();
  return (runId, items) => {
    const grouped = groupItems(known.get(runId), items);
    known.set(runId, grouped);
    return grouped.groups;
  };
}
