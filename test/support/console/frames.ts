// The console's dialect in tests: emits the events of one run (or its subagent) and compares the document's examples with
// the result.
import assert from "node:assert/strict";
import { consoleDialect, type ConsoleFrame } from "../../../src/windows/console/wire/console.ts";
import { encode } from "../../../src/kernel/dialect/dialect.ts";
import type { Draft } from "../../../src/kernel/events/events.ts";
import * as d from "../drafts.ts";
import { sealAll, type AnyDraft, type Entry } from "../events.ts";

const LIVE = { replay: false };

export function emitted(entries: readonly Entry[], state = consoleDialect.begin()): ConsoleFrame[] {
  return sealAll(entries, "sess_123").flatMap((event) =>
    encode(consoleDialect, event, state, LIVE),
  );
}

export const inRun = (...drafts: AnyDraft[]): Entry[] =>
  drafts.map((draft) => ({ logId: "run_987", draft }));

export function only(frames: readonly ConsoleFrame[], type: string): ConsoleFrame {
  const found = frames.filter((frame) => frame.type === type);
  assert.equal(found.length, 1, `one ${type} among ${frames.map((frame) => frame.type).join(" ")}`);
  return found[0] as ConsoleFrame;
}

/** Every field of the document's example is present and equal; further fields are allowed. */
export function assertLike(frame: ConsoleFrame, example: { type: string; payload: object }): void {
  assert.equal(frame.type, example.type);
  const { payload } = frame;
  const picked = Object.keys(example.payload).map((key) => [key, payload[key]]);
  assert.deepEqual(Object.fromEntries(picked), example.payload);
}

export const BEGUN: AnyDraft[] = [
  {
    type: "message.user",
    payload: {
      message_id: "msg_1",
      text: "Inspect API server routes",
      mode: "start",
      attachments: [],
    },
  },
  d.queued,
  d.started(),
  d.turnStarted(1),
];

export const call = (name: string, input: object): Draft[] => [
  {
    type: "tool.intent",
    payload: {
      call_id: "tool_1",
      turn_id: "t1.1",
      index: 0,
      provider_call_id: "p",
      name,
      label: "Search for api_server",
      risk: "read",
      replay: "safe",
      plan: { tool: name, arguments: input as never, workspace: "/w" },
      plan_hash: d.PLAN_HASH,
    },
  },
  {
    type: "tool.started",
    payload: { call_id: "tool_1", name, arguments: input as never, attempt: 1 },
  },
];

export const result = (name: string, value: unknown, output = ""): Draft => ({
  type: "tool.done",
  payload: {
    call_id: "tool_1",
    name,
    ok: true,
    status: "completed",
    result: value as never,
    output: { head: output, tail: "", bytes: output.length, sha256: null, truncated: false },
    exit_code: null,
    duration_ms: 944,
    error: null,
  },
});
