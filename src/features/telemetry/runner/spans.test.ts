// Recorded runs as spans: whatever was recorded, whoever makes them, and wherever they begin.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { linesOf } from "../../../../test/support/recordings/recordings.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import { newTrace, spanIdOf, takeEvent, traceIdOf, TRACED_TYPES, type Span } from "./spans.ts";

const root = join(import.meta.dirname, "../../../../test/journals");
const recorded = globSync("*.jsonl", { cwd: root }).map((file) => ({
  file,
  events: linesOf(readFileSync(join(root, file), "utf8")).map(
    (line) => JSON.parse(line) as RunEvent,
  ),
}));

function spansOf(events: readonly RunEvent[]): Span[] {
  const { run_id = "", session_id = "" } = events[0] ?? {};
  const run = newTrace(run_id, session_id);
  return events.flatMap((event) => takeEvent(run, event));
}
const count = (events: readonly RunEvent[], type: string) =>
  events.filter((event) => event.type === type).length;
const operation = (spans: readonly Span[], name: string) =>
  spans.filter(({ attributes }) => attributes["gen_ai.operation.name"] === name);

for (const { file, events } of recorded) {
  test(`[I6] ${file}: a span for the run, for every turn and for every call, within each other`, () => {
    const spans = spansOf(events);
    const [agent, ...more] = operation(spans, "invoke_agent");
    assert.ok(agent && more.length === 0);
    assert.equal(operation(spans, "chat").length, count(events, "turn.started"));
    assert.equal(operation(spans, "execute_tool").length, count(events, "tool.done"));
    assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
    for (const span of spans) {
      assert.match(span.traceId, /^[0-9a-f]{32}$/);
      assert.match(span.spanId, /^[0-9a-f]{16}$/);
      assert.equal(span.traceId, traceIdOf(events[0]?.run_id ?? ""));
      assert.ok(span.start <= span.end && span.start >= agent.start && span.end <= agent.end);
      if (span !== agent) assert.equal(span.parentSpanId, agent.spanId);
    }
    const times = new Set(events.map(({ created_at }) => created_at));
    for (const { start, end } of spans) assert.ok(times.has(start) && times.has(end));
  });

  test(`[I6c] ${file}: nothing that was said, asked for or returned is in a span`, () => {
    const text = JSON.stringify(spansOf(events));
    for (const { type, payload } of events) {
      const said = payload as {
        text?: string;
        delta?: string;
        arguments?: object;
        result?: unknown;
      };
      const words = [said.text, said.delta, ...Object.values(said.arguments ?? {})];
      if (type === "done" || type === "tool.done") words.push(JSON.stringify(said.result));
      for (const word of words) {
        if (typeof word !== "string" || !word.trim().includes(" ")) continue;
        assert.ok(!text.includes(JSON.stringify(word).slice(1, -1)), `${type}: ${word}`);
      }
    }
  });

  test(`[I6] ${file}: types that are not looked at would change nothing`, () => {
    const looked = events.filter(({ type }) => TRACED_TYPES.has(type));
    assert.deepEqual(spansOf(looked), spansOf(events));
  });
}

test("[I6] who wants contents gets what each turn was told and said, bounded", () => {
  const run = newTrace("r1", "s1", { withContents: true });
  const base = { created_at: 5, session_id: "s1", run_id: "r1" };
  const take = (type: string, payload: object) =>
    takeEvent(run, { ...base, type, payload } as RunEvent);
  const said = (turn_id: string, text: string, tool_calls: object[]) =>
    take("message.completed", { turn_id, text, tool_calls, finish_reason: "stop" });
  const list = (span: Span | undefined, name: string) =>
    JSON.parse(String(span?.attributes[`gen_ai.${name}.messages`])) as {
      role: string;
      parts: Record<string, unknown>[];
    }[];
  take("message.user", { message_id: "m1", text: "first", mode: "queue", attachments: [] });
  take("message.edited", { message_id: "m1", text: "read it" });
  take("turn.started", { turn_id: "t1", model: "demo/demo" });
  const call = { call_id: "c1", name: "read", arguments_text: '{"path":"a"}' };
  const [first] = said("t1", "", [call]);
  assert.deepEqual(list(first, "input"), [
    { role: "user", parts: [{ type: "text", content: "read it" }] },
  ]);
  assert.deepEqual(list(first, "output")[0]?.parts, [
    { type: "tool_call", id: "c1", name: "read", arguments: '{"path":"a"}' },
  ]);
  take("tool.intent", { call_id: "c1", name: "read", plan: { arguments: { path: "a" } } });
  const long = "x".repeat(100_000);
  const [tool] = take("tool.done", { call_id: "c1", status: "completed", result: { text: long } });
  assert.equal(tool?.attributes["gen_ai.tool.call.arguments"], '{"path":"a"}');
  assert.match(String(tool?.attributes["gen_ai.tool.call.result"]), /… \(83627 characters more\)$/);
  take("turn.started", { turn_id: "t2", model: "demo/demo" });
  const [second] = said("t2", "It says x.", []);
  assert.deepEqual(
    list(second, "input").map(({ role }) => role),
    ["user", "assistant", "tool"],
  );
  assert.ok(String(second?.attributes["gen_ai.input.messages"]).length < 70_000);
  const usage = { input_tokens: 1, output_tokens: 1, cached_tokens: 0, cost_usd: 0 };
  const [agent] = take("done", { status: "completed", result: "It says x.", error: null, usage });
  assert.equal(list(agent, "input").length, 1);
  assert.equal(list(agent, "output")[0]?.parts[0]?.["content"], "It says x.");
});

test("[I6] a turn that was cut is a span that failed, and what came after it another one", () => {
  const crash = recorded.find(({ file }) => file.startsWith("crash"))?.events ?? [];
  const chats = operation(spansOf(crash), "chat");
  assert.ok(chats.some(({ error }) => error === "runner_lost"));
  assert.ok(chats.some(({ error }) => error === undefined));
  const [agent] = operation(spansOf(crash), "invoke_agent");
  assert.equal(agent?.attributes["quarterdeck.recoveries"], count(crash, "recovery"));
});

test("[I6] a subagent's run hangs below the call that asked for it, in the same trace", () => {
  const run = newTrace("run_1.c7", "s1");
  const base = { created_at: 5, session_id: "s1", run_id: "run_1.c7" };
  const queued = { model: "google/gemini", profile: "coder", parent_run_id: "run_1" };
  const event = (type: string, payload: object) => ({ ...base, type, payload }) as RunEvent;
  takeEvent(run, event("run.queued", { ...queued, root_run_id: "run_0" }));
  const usage = { input_tokens: 3, output_tokens: null, cached_tokens: null, cost_usd: null };
  const failure = { code: "model_auth", message: "no key" };
  const [span] = takeEvent(run, event("done", { status: "failed", error: failure, usage }));
  assert.equal(span?.traceId, traceIdOf("run_0"));
  assert.equal(span?.parentSpanId, spanIdOf("run_1", "call c7"));
  assert.equal(span?.name, "invoke_agent coder");
  assert.equal(span?.error, "model_auth");
  assert.deepEqual(
    ["gen_ai.provider.name", "gen_ai.request.model", "gen_ai.usage.input_tokens"].map(
      (name) => span?.attributes[name],
    ),
    ["gcp.gemini", "gemini", 3],
  );
  assert.ok(!("gen_ai.usage.output_tokens" in (span?.attributes ?? {})), "unknown is left out");
});
