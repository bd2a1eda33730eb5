// Spans at a collector, from real processes: one tree per run, whole after a runner was killed, after the collector was
// away, and after a runner ended before it had told everything.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun } from "../../support/http.ts";
import { startReceiver, type ReceivedSpan } from "../../support/servers/otlp-receiver.ts";
import { openServer } from "../../support/pair.ts";
import { startWork } from "../../support/processes.ts";
import { newTestHome, quarterdeck } from "../../support/program.ts";
import { rawSql } from "../../support/journal/raw-journal.ts";
import { approve, eventsOf } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

type Receiver = Awaited<ReturnType<typeof startReceiver>>;
const SECRET = "the cargo is contraband";
const env = ({ endpoint }: Receiver) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector",
});

const operation = (span: ReceivedSpan) => span.attributes["gen_ai.operation.name"];

/** Once the run's own span is there, everything below it is. */
async function treeOf(receiver: Receiver, runId: string): Promise<ReceivedSpan[]> {
  const root = await until(
    () => receiver.spans.find(({ attributes }) => attributes["quarterdeck.run_id"] === runId),
    "the run's span",
  );
  return once(receiver.spans.filter(({ traceId }) => traceId === root.traceId));
}

/** A span may come twice, when the answer was lost; then it is the same one. */
function once(spans: readonly ReceivedSpan[]): ReceivedSpan[] {
  const byId = new Map<string, ReceivedSpan>();
  for (const span of spans) {
    const known = byId.get(span.spanId);
    if (known) assert.deepEqual(span, known);
    else byId.set(span.spanId, span);
  }
  return [...byId.values()];
}

function checkTree(spans: readonly ReceivedSpan[], events: readonly RunEvent[]): void {
  const of = (name: string) => spans.filter((span) => operation(span) === name);
  assert.equal(of("invoke_agent").length, 1);
  assert.equal(of("chat").length, eventsOf(events, "turn.started").length);
  assert.equal(of("execute_tool").length, eventsOf(events, "tool.done").length);
  const [root] = of("invoke_agent");
  for (const span of spans) {
    if (span !== root) assert.equal(span.parentSpanId, root?.spanId);
    assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano));
  }
}

test("[I6] a run is a trace: agent, turns and tools with their figures, and no word of what was said", async () => {
  await using receiver = await startReceiver();
  using place = newTestHome();
  await using server = await openServer(place);
  await using _runner = await startWork(place, { env: env(receiver) });
  const { run_id } = await startRun(server, `todo a\nexec echo ${SECRET}\nsay ${SECRET}`);
  await approve(server, run_id);
  const { events } = await followRun(() => server, run_id);
  const spans = await treeOf(receiver, run_id);
  checkTree(spans, events);
  const names = spans.map(({ name }) => name).toSorted();
  assert.deepEqual(
    [...new Set(names)],
    ["chat demo", "execute_tool exec", "execute_tool todo", "invoke_agent default"],
  );
  const chat = spans.find((span) => operation(span) === "chat");
  assert.equal(chat?.attributes["gen_ai.provider.name"], "demo");
  assert.equal(chat?.attributes["gen_ai.request.model"], "demo");
  assert.ok(Array.isArray(chat?.attributes["gen_ai.response.finish_reasons"]));
  assert.equal(typeof chat?.attributes["gen_ai.usage.input_tokens"], "number");
  assert.ok(!receiver.raw.join("\n").includes("contraband"));
  assert.equal(receiver.heads[0]?.authorization, "Bearer collector");
});

test("[I6c, R14] contents go along for who switched that on, without known secrets", async () => {
  await using receiver = await startReceiver();
  using place = newTestHome();
  const key = "sk-a-key-that-stays-secret";
  await using server = await openServer(place);
  const on = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true", OPENAI_API_KEY: key };
  await using _runner = await startWork(place, { env: { ...env(receiver), ...on } });
  const { run_id } = await startRun(server, `say ${SECRET} ${key}`);
  await followRun(() => server, run_id);
  const spans = await treeOf(receiver, run_id);
  const chat = spans.find((span) => operation(span) === "chat");
  assert.match(String(chat?.attributes["gen_ai.output.messages"]), /the cargo is contraband/);
  assert.match(String(chat?.attributes["gen_ai.input.messages"]), /"role":"user"/);
  assert.ok(!receiver.raw.join("\n").includes(key));
});

test("[I6a] a runner that is killed leaves no span out and makes none twice: another goes on in the same trace", async () => {
  await using receiver = await startReceiver();
  using place = newTestHome();
  await using server = await openServer(place);
  const first = await startWork(place, { env: env(receiver) });
  const { run_id } = await startRun(server, "todo a\npace 20\ncount 250\nsay done");
  await readEvents(server, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes('"message_id":"m2.1","delta"'),
  });
  const known = "SELECT seq FROM traces WHERE seq > 0";
  await until(async () => (await rawSql(place, known)).length > 0, "the first spans to be told");
  first.signal("SIGKILL");
  await first.ended;
  const before = receiver.spans.length;
  await using _second = await startWork(place, { env: env(receiver) });
  const { events } = await followRun(() => server, run_id);
  assert.equal(eventsOf(events, "recovery").length, 1);
  const spans = await treeOf(receiver, run_id);
  checkTree(spans, events);
  assert.ok(before > 0 && before < spans.length, "some came from each of the two");
  assert.equal(receiver.spans.length, spans.length, "what was told before is not told again");
  const cut = spans.filter(({ attributes }) => attributes["error.type"] === "runner_lost");
  assert.equal(cut.length, 1);
  await until(
    async () => (await rawSql(place, "SELECT 1 AS one FROM traces")).length === 0,
    "the end",
  );
});

test("[I6b] a collector that is away makes nobody wait; what it missed is told by whoever is there when it is back", async () => {
  await using receiver = await startReceiver();
  receiver.refuse(400);
  using place = newTestHome();
  await using server = await openServer(place);
  const first = await startWork(place, { env: env(receiver) });
  const { run_id } = await startRun(server, "todo a\nsay done");
  const { events } = await followRun(() => server, run_id);
  await until(() => receiver.heads.length > 0, "a try");
  first.signal("SIGKILL"); // with everything still to tell
  await first.ended;
  assert.equal(receiver.spans.length, 0);
  await rawSql(place, "UPDATE traces SET lease_until = 1"); // as if time had passed
  receiver.refuse(0);
  await using _second = await startWork(place, { env: env(receiver) });
  checkTree(await treeOf(receiver, run_id), events);
});

test("[I6] a runner that is asked to end tells the rest first; without a collector nothing is kept for one", async () => {
  await using receiver = await startReceiver();
  using place = newTestHome();
  await using server = await openServer(place);
  const quiet = await startWork(place);
  const { run_id: ignored } = await startRun(server, "say quiet");
  await followRun(() => server, ignored);
  assert.deepEqual(await rawSql(place, "SELECT run_id FROM traces"), []);
  quiet.signal("SIGTERM");
  await quiet.ended;
  const emitted = await startWork(place, { env: env(receiver) });
  const { run_id } = await startRun(server, "say aloud");
  await followRun(() => server, run_id);
  emitted.signal("SIGTERM");
  assert.equal(await emitted.ended, 0);
  assert.ok(receiver.spans.some(({ attributes }) => attributes["quarterdeck.run_id"] === run_id));
  assert.equal((await call(server, "GET", "/api/status")).status, 200);
});

test("[I6] doctor says where spans go, and what is wrong with the settings", async () => {
  using place = newTestHome();
  const doctor = (more: Record<string, string>) =>
    quarterdeck(["doctor", "--home", place.home, "--workspace", place.workspace], { env: more });
  assert.match((await doctor({})).stdout, /telemetry: off/);
  const endpoint = "http://127.0.0.1:4318/";
  const { stdout } = await doctor({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  assert.match(stdout, /telemetry: spans go to http:\/\/127\.0\.0\.1:4318/);
  for (const [name, value] of [
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "not an address"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
  ] as const) {
    const { code, stderr } = await doctor({ [name]: value });
    assert.equal(code, 2);
    assert.match(stderr, /^The setting “otlp_/);
  }
});
