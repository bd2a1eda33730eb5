// The cost of folding an event, and that it does not grow with the run.
import { sealer } from "../src/kernel/journal/hash-chain.ts";
import type { Draft, RunEvent } from "../src/kernel/events/events.ts";
import { applyEvent, emptyRun } from "../src/kernel/state/run/state.ts";
import { median, type Line } from "./stats.ts";

export function benchReducer(): Line[] {
  return [1_000, 10_000, 100_000, 1_000_000].map((size): Line => {
    const events = makeEvents(size);
    const rounds = size < 100_000 ? 9 : 3;
    const times = Array.from({ length: rounds }, () => {
      const repeat = Math.max(1, 50_000 / size);
      const began = performance.now();
      for (let round = 0; round < repeat; round++) events.reduce(applyEvent, emptyRun("r"));
      return ((performance.now() - began) * 1_000) / (size * repeat);
    });
    const what = `reducer, run of ${size.toLocaleString("en")} events`;
    return {
      what,
      ours: median(times),
      floor: undefined,
      unit: "µs/event",
      better: "lower",
      goal: "≤ 0.5, flat",
    };
  });
}

/** Turns of text and tools, as a long run has them: ten deltas, then a tool call, and so on. */
function makeEvents(size: number): RunEvent[] {
  const events: RunEvent[] = [];
  const seal = sealer({ logId: "r", sessionId: "s", epoch: "e" });
  for (let seq = 1; seq <= size; seq++) {
    const place = { seq, sessionSeq: seq, at: String(seq), prevHash: "0".repeat(64) };
    const { body } = seal(draftAt(seq - 1), place);
    events.push(JSON.parse(body) as RunEvent);
  }
  return events;
}

function draftAt(index: number): Draft {
  const turn = Math.floor(index / 15);
  const call_id = `t${turn}.c0`;
  const message_id = `m${turn}`;
  switch (index % 15) {
    case 0:
      return {
        type: "turn.started",
        payload: { turn_id: `t${turn}`, index: turn + 1, attempt: 1, model: "demo/demo" },
      };
    case 11:
      return {
        type: "message.completed",
        payload: {
          message_id,
          turn_id: `t${turn}`,
          text: "x",
          tool_calls: [],
          finish_reason: "stop",
        },
      };
    case 12:
      return {
        type: "tool.intent",
        payload: {
          call_id,
          turn_id: `t${turn}`,
          index: 0,
          provider_call_id: "p",
          name: "read",
          label: "Read a",
          risk: "read",
          replay: "safe",
          plan: { tool: "read", arguments: { path: "a" }, workspace: "/" },
          plan_hash: "h",
        },
      };
    case 13:
      return {
        type: "tool.started",
        payload: { call_id, name: "read", arguments: {}, attempt: 1 },
      };
    case 14:
      return {
        type: "tool.done",
        payload: {
          call_id,
          name: "read",
          ok: true,
          status: "completed",
          result: null,
          output: { head: "a", tail: "", bytes: 1, sha256: null, truncated: false },
          exit_code: null,
          duration_ms: 1,
          error: null,
        },
      };
    default:
      return { type: "token.delta", payload: { message_id, delta: "word ", content_type: "text" } };
  }
}
