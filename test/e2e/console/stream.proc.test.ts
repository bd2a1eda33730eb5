// The console's stream through real clients while processes are killed: nothing lost, nothing twice.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, test } from "node:test";
import { EventSource } from "eventsource";
import type { ConsoleFrame } from "../../../src/windows/console/wire/console.ts";
import { call, readEvents } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { countTo } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

const place = newTestHome({ demo_delay_ms: 0, heartbeat_ms: 500 });
const program = await openPair(place, { apart: ["serve", "work"] });
after(async () => {
  await program[Symbol.asyncDispose]();
  place[Symbol.dispose]();
});

type Seen = { readonly id: string; readonly frame: ConsoleFrame };

const gui = (path: string, body: object) => call(program, "POST", `/api/gui${path}`, body);
const streamOf = (sessionId: string, query = "") => `/api/gui/stream/session/${sessionId}${query}`;

/** As the real client does it: `onmessage`, JSON, and what has no type is passed over. */
function watch(sessionId: string, query = "") {
  const seen: Seen[] = [];
  const problems: unknown[] = [];
  let pings = 0;
  let opened = 0;
  const source = new EventSource(`${program.url}${streamOf(sessionId, query)}`, {
    fetch: (input, init) =>
      fetch(input, {
        ...init,
        headers: { ...init.headers, authorization: `Bearer ${program.token}` },
      }),
  });
  source.onopen = () => (opened += 1);
  source.onmessage = ({ data, lastEventId }) => {
    const frame = JSON.parse(data as string) as ConsoleFrame & { ping?: number };
    if (frame.ping !== undefined) pings += 1;
    else seen.push({ id: lastEventId, frame });
  };
  source.onerror = ({ code }) => void (code !== undefined && problems.push(code));
  return {
    seen,
    problems,
    source,
    pings: () => pings,
    opened: () => opened,
    saw: (type: string, runId?: string) =>
      until(
        () =>
          seen.find(({ frame }) => frame.type === type && (runId ?? frame.run_id) === frame.run_id),
        `${type} on the stream`,
      ),
    [Symbol.dispose]: () => source.close(),
  };
}

/** Everything there is, from the beginning, by a client of its own. */
async function whole(sessionId: string, last: string): Promise<Seen[]> {
  const { frames } = await readEvents(program, streamOf(sessionId, "?history=1"), {
    until: ({ id }) => id === last,
  });
  return frames
    .filter(({ data }) => !data.startsWith('{"id":"ping:'))
    .map(({ id = "", data }) => ({ id, frame: JSON.parse(data) as ConsoleFrame }));
}

const typesIn = (seen: readonly Seen[]) => seen.map(({ frame }) => frame.type);
const spoken = (seen: readonly Seen[]) =>
  seen
    .filter(({ frame }) => frame.type === "message.assistant.delta")
    .map(({ frame }) => frame.payload["content"])
    .join("");

test("[V5, W1, W3] an EventSource opened before the session exists sees it whole, while serve is killed twice", async () => {
  const session_id = `session-${Date.now()}`;
  using client = watch(session_id);
  await until(() => client.pings() > 0, "a ping");
  const prompt = "think A long count.\ntodo one; two\npace 2\ncount 2500\nsay over";
  const { body } = await gui("/chat/send", { session_id, prompt, client_message_id: "first" });
  const run_id = body.data["run_id"] as string;
  for (const words of ["200", "900"]) {
    await until(() => spoken(client.seen).includes(` ${words} `), `the count to reach ${words}`);
    await program.kill("serve");
  }
  const { id: last } = await client.saw("run.completed", run_id);
  assert.ok(client.opened() >= 3, `it came back: ${client.opened()} connections`);
  assert.deepEqual(client.problems, [], "never refused");
  assert.deepEqual(client.seen, await whole(session_id, last), "nothing lost, nothing twice");
  assert.equal(spoken(client.seen).trim(), `${countTo(2500)} \nover`);
  const types = new Set(typesIn(client.seen));
  for (const type of [
    "run.started",
    "message.user",
    "message.reasoning.delta",
    "tool.started",
    "tool.completed",
    "todo.updated",
    "message.assistant.completed",
  ]) {
    assert.ok(types.has(type), type);
  }
  const todo = client.seen.find(({ frame }) => frame.type === "tool.completed")?.frame.payload;
  assert.equal(JSON.parse(String(todo?.["result_preview"])).todos.length, 2);
});

test("[W1, W20] a killed runner: the words go on where they stopped", async () => {
  const session_id = "taken-over";
  using client = watch(session_id);
  await until(() => client.pings() > 0, "a ping");
  await gui("/chat/send", { session_id, prompt: "pace 3\ncount 600\nsay over" });
  await until(() => spoken(client.seen).includes(" 100 "), "the count to begin");
  await program.kill("work");
  const { id: last } = await client.saw("run.completed");
  await client.saw("recovery");
  assert.equal(spoken(client.seen).trim(), `${countTo(600)} \nover`);
  assert.deepEqual(client.seen, await whole(session_id, last));
});

/** Bytes of a stream as they come, without any client at all. */
function rawStream(path: string, headers: Record<string, string> = {}) {
  const { hostname, port, host } = new URL(program.url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("utf8"))).on("error", () => {});
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    // HTTP/1.0: the body is the stream, not chunks of it.
    `GET ${path} HTTP/1.0\r\nHost: ${host}\r\nAuthorization: Bearer ${program.token}\r\n${lines.join("")}\r\n`,
  );
  return {
    text: () => text,
    body: () => text.slice(text.indexOf("\r\n\r\n") + 4),
    [Symbol.dispose]: () => socket.destroy(),
  };
}

function parsed(body: string): Seen[] {
  const blocks = body.split("\n\n").slice(0, -1);
  return blocks.flatMap((block) => {
    const [, id, data] = /^id: (\d+)\ndata: (\{"id":"(?!ping:).*)$/.exec(block) ?? [];
    return id && data ? [{ id, frame: JSON.parse(data) as ConsoleFrame }] : [];
  });
}

test("[V5, W3] a raw socket that dies with serve resumes by Last-Event-ID at the very next event", async () => {
  const session_id = "raw";
  await gui("/chat/send", { session_id, prompt: "pace 2\ncount 1500\nsay over" });
  const seen: Seen[] = [];
  {
    using raw = rawStream(streamOf(session_id, "?history=1"));
    await until(() => raw.body().includes('"100 "') || raw.body().includes(" 100 "), "the count");
    await program.kill("serve");
    seen.push(...parsed(raw.body())); // a block that was cut in the middle does not count
    assert.match(raw.text(), /^HTTP\/1\.1 200 OK\r\n/);
  }
  const last = seen.at(-1)?.id ?? "";
  await until(async () => {
    const health = await call(program, "GET", "/api/gui/health").catch(() => undefined);
    return health?.status === 200;
  }, "serve to come back");
  using raw = rawStream(streamOf(session_id, "?history=1"), { "Last-Event-ID": last });
  await until(() => raw.body().includes('"type":"run.completed"'), "the end");
  await until(() => raw.body().endsWith("\n\n"), "a whole block");
  seen.push(...parsed(raw.body()));
  const end = seen.findIndex(({ frame }) => frame.type === "run.completed");
  const all = seen.slice(0, end + 1);
  assert.deepEqual(all, await whole(session_id, all.at(-1)?.id ?? ""));
  assert.deepEqual(
    all.map(({ id }) => Number(id)),
    all.map(({ id }) => Number(id)).toSorted((a, b) => a - b),
  );
});

test("[W4, W5] what a subagent asks is on the stream and answered by its id; everybody sees the answer", async () => {
  const session_id = "delegated";
  using one = watch(session_id);
  using two = watch(session_id, "?history=1");
  await until(() => one.pings() > 0 && two.pings() > 0, "pings");
  const { body } = await gui("/chat/send", {
    session_id,
    prompt: "delegate Helper: exec echo inner ;; say inner words\nsay outer words",
  });
  const run_id = body.data["run_id"] as string;
  const { frame } = await one.saw("approval.requested");
  assert.notEqual(frame.run_id, run_id);
  assert.equal(frame.payload["parent_run_id"], run_id);
  const answer = { request_id: frame.payload["request_id"], scope: "once" };
  const replies = await Promise.all([
    gui("/human/approve", answer),
    gui("/human/deny", { request_id: frame.payload["request_id"] }),
  ]);
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200, 409]));
  await one.saw("run.completed", run_id);
  await two.saw("run.completed", run_id);
  const resolved = await two.saw("approval.resolved");
  assert.equal(resolved.frame.payload["by"], "console");
  assert.equal(spoken(one.seen).trim().split("\n").at(-1), "outer words", "the agent's own words");
  assert.ok(!spoken(one.seen).includes("inner words"));
  assert.deepEqual(one.seen, two.seen);
});

test("[C4, W4] a stopped run ends on the stream in a way every client knows", async () => {
  const session_id = "stopped";
  using client = watch(session_id);
  await until(() => client.pings() > 0, "a ping");
  const { body } = await gui("/chat/send", { session_id, prompt: "pace 5\ncount 5000" });
  const run_id = body.data["run_id"] as string;
  await client.saw("message.assistant.delta");
  await gui("/chat/stop", { run_id });
  const { payload } = (await client.saw("run.failed", run_id)).frame;
  assert.deepEqual([payload["error_type"], payload["status"]], ["cancelled", "cancelled"]);
});
