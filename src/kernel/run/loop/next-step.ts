// Decides what a run needs next, from its folded state alone. A new run, a continued one and one whose runner was
// killed all take this path.
import { directCall } from "../../events/direct.ts";
import type { ToolItem } from "../../state/run/items.ts";
import type { RunState } from "../../state/run/state.ts";
import { values } from "../../state/vector.ts";

export type Step =
  | { do: "cancel" }
  | { do: "call_model"; index: number; attempt: number }
  | { do: "supersede"; turnId: string } // a model step was cut; what it showed stays, marked
  | { do: "settle_tools"; calls: readonly string[] }
  | { do: "close_turn"; turnId: string }
  | { do: "complete" };

export function nextStep(state: RunState): Step {
  if (state.status === "cancelling") return { do: "cancel" };
  const { turn } = state;
  if (!turn) return firstStep(state);
  switch (turn.phase) {
    case "model":
      return { do: "supersede", turnId: turn.turnId };
    case "superseded":
      return { do: "call_model", index: turn.index, attempt: turn.attempt + 1 };
    case "tools": {
      const calls = toolsOfTurn(state)
        .filter(({ callId }) => state.open[callId] !== undefined)
        .map(({ callId }) => callId);
      if (calls.length > 0) return { do: "settle_tools", calls };
      return { do: "close_turn", turnId: turn.turnId };
    }
    case "over": {
      const more = toolsOfTurn(state).length > 0 || steeredSince(state, turn.firstItem);
      if (more) return { do: "call_model", index: turn.index + 1, attempt: 1 };
      return { do: "complete" };
    }
    default:
      return turn.phase satisfies never;
  }
}

/** A run that a command made does its one call; only what is said to it meanwhile asks a model. */
function firstStep(state: RunState): Step {
  const direct = directCall(state);
  if (!direct) return { do: "call_model", index: 1, attempt: 1 };
  if (state.open[direct.callId] !== undefined) {
    return { do: "settle_tools", calls: [direct.callId] };
  }
  const said = [...values(state.items)].filter((item) => item.kind === "user" && !item.retracted);
  return said.length > 1 ? { do: "call_model", index: 1, attempt: 1 } : { do: "complete" };
}

function toolsOfTurn(state: RunState): ToolItem[] {
  const from = state.turn?.firstItem ?? 0;
  return [...values(state.items, from)].filter((item) => item.kind === "tool");
}

function steeredSince(state: RunState, from: number): boolean {
  return [...values(state.items, from)].some((item) => item.kind === "user" && !item.retracted);
}
