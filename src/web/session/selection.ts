// The selected event, kept in the address and shared by all views.
import { useMemo } from "react";
import type { RunEvent } from "../../kernel/events/events.ts";
import type { Item } from "../../kernel/state/run/items.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { values } from "../../kernel/state/vector.ts";
import { adjust, useRoute } from "../use-route.ts";

/** The event something began with. */
export type Anchor = { readonly runId: string; readonly seq: number };

export function useSelection(): Anchor | null {
  const route = useRoute();
  const { runId, seq } = route.page === "session" ? route : {};
  return useMemo(
    () => (runId === undefined || seq === undefined ? null : { runId, seq }),
    [runId, seq],
  );
}

export function select(anchor: Anchor | null): void {
  adjust({ runId: anchor?.runId, seq: anchor?.seq });
}

/** The item an event belongs to, or the event itself. */
export function anchorOf(event: RunEvent, run: RunState | undefined): Anchor {
  const own = { runId: event.run_id, seq: event.seq };
  const named = new Set<unknown>(
    ["call_id", "message_id", "reasoning_id"].flatMap(
      (key) => (event.payload as Record<string, unknown>)[key] ?? [],
    ),
  );
  if (!run || named.size === 0) return own;
  for (const item of values(run.items)) {
    if (named.has(idOf(item))) return { runId: run.runId, seq: item.seq };
  }
  return own;
}

export function idOf(item: Item): string | null {
  if (item.kind === "tool") return item.callId;
  if (item.kind === "reasoning") return item.reasoningId;
  return item.kind === "notice" ? null : item.messageId;
}
