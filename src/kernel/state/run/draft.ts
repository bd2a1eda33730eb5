// The few ways a handler changes a run's items, so that `items` and `open` cannot disagree.
import type { Item, NewItem, NoticeItem } from "./items.ts";
import type { RunDraft } from "./state.ts";
import { get, push, set } from "../vector.ts";

/** Appends an item; with a key it stays open, so later events can find it in constant time. */
export function addItem(draft: RunDraft, item: NewItem, key?: string): void {
  if (key !== undefined) draft.open = { ...draft.open, [key]: draft.items.length };
  draft.items = push(draft.items, { ...item, seq: draft.seq });
}

/** Replaces an open item. False when there is none of that key: closed items never change again. */
export function updateOpen(draft: RunDraft, key: string, update: (item: Item) => Item): boolean {
  const position = draft.open[key];
  const item = position === undefined ? undefined : get(draft.items, position);
  if (position === undefined || !item) return false;
  const next = update(item);
  if (next !== item) draft.items = set(draft.items, position, next);
  return true;
}

export function closeItem(draft: RunDraft, key: string): void {
  if (draft.open[key] === undefined) return;
  const { [key]: _closed, ...open } = draft.open;
  draft.open = open;
}

type NoticeText = { code: string; text: string; at: number; detail?: string | null };

export function notice(
  tone: NoticeItem["tone"],
  { code, text, at, detail = null }: NoticeText,
): NewItem<NoticeItem> {
  return { kind: "notice", tone, code, text, detail, at, request: null };
}
