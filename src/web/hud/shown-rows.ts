// Splits the feed into a replayed group and live rows. Pure.
import type { HudNode } from "../../windows/hud/state/hud-state.ts";
import { plural } from "../text/format.ts";
import type { IconName } from "../ui/icon.tsx";
import { originOf, type HudFeed } from "./fold.ts";
import { own } from "../../kernel/events/own.ts";

export const LIMITS = [20, 50, 100, 200, 0] as const; // 0: all
export const USUAL_LIMIT = 50;

export function limitOf(text: string | null): number {
  const wanted = Number(text ?? USUAL_LIMIT);
  return LIMITS.find((limit) => limit === wanted) ?? USUAL_LIMIT;
}

export type Split = { readonly past: readonly HudNode[]; readonly news: readonly HudNode[] };

type Replay = {
  readonly isReplay: (node: HudNode) => boolean;
  readonly moment: boolean; // a moment of the past is shown: nothing of it goes on
};

/** A node that is running or has live children is live, because a collapsed group must not hide it. */
export function splitReplay(nodes: readonly HudNode[], { isReplay, moment }: Replay): Split {
  const isPast = (node: HudNode): boolean =>
    (moment || node.state !== "running") && isReplay(node) && node.children.every(isPast);
  return { past: nodes.filter(isPast), news: nodes.filter((node) => !isPast(node)) };
}

/** The label of the replayed group. */
export function describeReplayed(
  { past, news }: Split,
  isReplay: (node: HudNode) => boolean,
): string {
  const below = countWhere(news, isReplay);
  const all = plural(countNodes(past) + below, "row");
  const where = below === 0 ? "" : `, ${below.toLocaleString("en")} of them below`;
  return `Replayed: ${all} from before this window was opened${where}`;
}

function countWhere(nodes: readonly HudNode[], counts: (node: HudNode) => boolean): number {
  return nodes.reduce(
    (sum, node) => sum + (counts(node) ? 1 : 0) + countWhere(node.children, counts),
    0,
  );
}

export function countNodes(nodes: readonly HudNode[]): number {
  return nodes.reduce((sum, { children }) => sum + 1 + countNodes(children), 0);
}

export function nodeAt(
  feed: HudFeed,
  nodes: readonly HudNode[],
  anchor: { readonly runId: string; readonly seq: number },
): HudNode | null {
  for (const node of nodes) {
    const origin = originOf(feed, node);
    if (origin?.runId === anchor.runId && origin.seq === anchor.seq) return node;
    const below = nodeAt(feed, node.children, anchor);
    if (below) return below;
  }
  return null;
}

/** The row in the tab order: the last focused one if visible, else the newest. */
export function tabStop(nodes: readonly HudNode[], focused: string | null): string | null {
  if (focused !== null && isAmong(nodes, focused)) return focused;
  const last = nodes.at(-1);
  return last ? (tabStop(last.children, null) ?? last.id) : null;
}

function isAmong(nodes: readonly HudNode[], id: string): boolean {
  return nodes.some((node) => node.id === id || isAmong(node.children, id));
}

// The protocol starts labels with an emoji; the page draws an icon instead.
const SIGNS: Readonly<Record<string, IconName>> = {
  "👁": "eye",
  "✏️": "pencil",
  "⚡": "bolt",
  "🌐": "globe",
  "🔍": "search",
};
const TYPES: Record<HudNode["type"], IconName> = {
  turn: "play",
  think: "thought",
  tool: "tool",
  received: "inbox",
};
const TOOLS: Readonly<Record<string, IconName>> = {
  delegate: "people",
  plan: "list",
  todo: "list",
  clarify: "question",
};

export function signOf({ label, type, tool }: HudNode): { icon: IconName; words: string } {
  const [sign = ""] = label.split(" ", 1);
  if (Object.hasOwn(SIGNS, sign)) {
    return { icon: SIGNS[sign] ?? TYPES[type], words: label.slice(sign.length + 1) };
  }
  const named = own(TOOLS, tool ?? "");
  return { icon: named ?? TYPES[type], words: label };
}

/** The full value of a truncated frame: a blob or an event. */
export type Whole = { readonly bytes: number } & (
  | { readonly sha256: string }
  | { readonly runId: string; readonly seq: number }
);

const EVENT = /^\/api\/runs\/([^/?]+)\/events\?after_seq=(\d+)$/;

/** Undefined if nothing was truncated, or its place is unknown. */
export function wholeOf(full: unknown): Whole | undefined {
  const { bytes, sha256, href } = (full ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof bytes !== "number" || typeof href !== "string") return undefined;
  if (typeof sha256 === "string") return { bytes, sha256 };
  const [, runId, after] = EVENT.exec(href) ?? [];
  return runId === undefined ? undefined : { bytes, runId, seq: Number(after) + 1 };
}
