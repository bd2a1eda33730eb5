// Where the transcript shows the selected event: its item, and the calls around it from the outermost in. Pure.
import { createContext } from "react";
import type { SessionView } from "../../kernel/client/sessions/store.ts";
import type { Item } from "../../kernel/state/run/items.ts";
import { get, type Vector } from "../../kernel/state/vector.ts";
import type { Anchor } from "../session/selection.ts";
import type { ItemPlace } from "./rows.ts";

const MAX_DEPTH = 32;

/** Null while it is not loaded. */
export function placesOf({ runs }: Pick<SessionView, "runs">, anchor: Anchor): ItemPlace[] | null {
  const index = itemAt(runs[anchor.runId]?.items, anchor.seq);
  if (index === null) return null;
  const places: ItemPlace[] = [{ runId: anchor.runId, index }];
  let run = runs[anchor.runId];
  while (run && run.depth > 0 && places.length < MAX_DEPTH) {
    const childRunId = run.runId;
    run = run.parentRunId === null ? undefined : runs[run.parentRunId];
    const at = run ? callOf(run.items, childRunId) : null;
    if (!run || at === null) return null;
    places.unshift({ runId: run.runId, index: at });
  }
  return run ? places : null;
}

/** Binary search: items are in order of start. */
function itemAt(items: Vector<Item> | undefined, seq: number): number | null {
  let low = -1;
  let high = (items?.length ?? 0) - 1;
  while (items && low < high) {
    const middle = (low + high + 1) >> 1;
    if ((get(items, middle)?.seq ?? 0) <= seq) low = middle;
    else high = middle - 1;
  }
  return low < 0 ? null : low;
}

function callOf(items: Vector<Item>, childRunId: string): number | null {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = get(items, index);
    if (item?.kind === "tool" && item.childRunId === childRunId) return index;
  }
  return null;
}

/** Outermost first. */
export const SelectedContext = createContext<readonly ItemPlace[]>([]);
