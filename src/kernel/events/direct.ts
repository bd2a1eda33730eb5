// A run that a person's command made: its one call was planned at admission, and no model is asked.
import type { ToolItem } from "../state/run/items.ts";
import type { RunState } from "../state/run/state.ts";
import { values } from "../state/vector.ts";

export const DIRECT_TURN = "direct";

export function directCall(state: RunState): ToolItem | undefined {
  // It is planned with the run's first message, so a later turn is proof that there is none.
  for (const item of values(state.items)) {
    if (item.kind === "tool") return item.turnId === DIRECT_TURN ? item : undefined;
    if (item.kind === "text" || item.kind === "reasoning") return undefined;
  }
  return undefined;
}
