// The console's session pages on a real journal; the seed's examples are the shapes that are asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { consoleDialect } from "../wire/console.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";
import type { Draft } from "../../../kernel/events/events.ts";
import { flat, ELSEWHERE, openConsole } from "../test-support.ts";

type Row = Record<string, unknown>;

/** One exchange in `session`: a text, a call and another text. */
async function exchange(journal: Journal, session_id: string, message: string): Promise<string> {
  const runId = await s.start(journal, { session_id, message });
  const claim = await s.claimed(journal);
  await s.write(
    journal,
    claim,
    d.started(),
    d.turnStarted(1),
    d.token("m1.1", "Let me look."),
    d.said("m1.1", "Let me look."),
    d.intent("c1"),
    d.toolStarted("c1"),
    d.toolDone("c1"),
    d.turnCompleted(1),
    d.turnStarted(2),
    d.said("m2.1", `Answer to ${message}`, "t2.1"),
    d.turnCompleted(2),
    d.done(13, "completed", `Answer to ${message}`),
  );
  return runId;
}

const SUMMARY = [
  "session_id",
  "title",
  "source",
  "workspace",
  "model",
  "provider",
  "last_active",
  "token_summary",
  "parent_session_id",
  "has_tools",
  "has_attachments",
  "has_subagents",
];

test("[W6] sessions are listed with every filter and with pages, in both shapes", async () => {
  await using gui = await openConsole();
  await exchange(gui.journal, "one", "find the lighthouse");
  await s.start(gui.journal, { session_id: "two", message: "hi", source: "cli", model: "a/b" });
  const ids = async (query: string) => {
    const reply = await gui.get(`/sessions${query}`);
    assert.deepEqual(reply.data, flat(reply));
    return (reply.data["sessions"] as Row[]).map(({ session_id }) => String(session_id)).toSorted();
  };
  assert.deepEqual(await ids(""), ["one", "two"]);
  assert.deepEqual(await ids("?q=LIGHTHOUSE"), ["one"]);
  assert.deepEqual(await ids("?q="), ["one", "two"]);
  assert.deepEqual(await ids("?source=cli"), ["two"]);
  assert.deepEqual(await ids("?model=a/b"), ["two"]);
  assert.deepEqual(await ids("?workspace=/nowhere"), []);
  assert.deepEqual(await ids("?has_tools=true"), ["one"]);
  assert.deepEqual(await ids("?has_tools=0"), ["two"]);
  const page = await gui.get("/sessions?limit=1&offset=1");
  assert.deepEqual([page.data["total"], (page.data["sessions"] as Row[]).length], [2, 1]);
  const [first = {}] = (await gui.get("/sessions?source=cli")).data["sessions"] as Row[];
  for (const field of SUMMARY) assert.ok(Object.hasOwn(first, field), field);
  assert.equal(typeof first["model"], "string");
  assert.match(String(first["last_active"]), /^\d{4}-\d\d-\d\dT/);
  for (const bad of ["?limit=x", "?offset=-1", "?has_tools=maybe"]) {
    const reply = await gui.get(`/sessions${bad}`);
    assert.equal(reply.http, 400, bad);
    assert.equal(reply.ok, false);
  }
  assert.equal((await gui.get("/sessions?limit=x")).error.code, "invalid_pagination");
});

test("[W6] a session has its recap and its lineage", async () => {
  await using gui = await openConsole();
  await exchange(gui.journal, "parent", "hello");
  const branched = await gui.post("/sessions/parent/branch", {});
  assert.equal(branched.data["parent_session_id"], "parent");
  assert.equal(branched.data["title"], "Branch of hello");
  assert.equal(branched.data["message_count"], 3);
  const child = String(branched.data["session_id"]);

  const session = (await gui.get("/sessions/parent")).data["session"] as Row;
  assert.deepEqual(session["recap"], {
    message_count: 3,
    preview: "Answer to hello",
    last_role: "assistant",
  });
  assert.equal(typeof session["started_at"], "number", "seconds: the client calculates with it");
  assert.equal(session["ended_at"], null, "it can go on");
  assert.deepEqual(session["token_summary"], { input: 0, output: 0, total: 0 });
  const lineage = session["lineage"] as Row;
  assert.deepEqual(lineage["children"], [{ session_id: child, title: "Branch of hello" }]);
  const branch = (await gui.get(`/sessions/${child}`)).data["session"] as Row;
  const of = branch["lineage"] as Row;
  assert.deepEqual(of["ancestors"], [{ session_id: "parent", title: "hello" }]);
  assert.deepEqual(branch["recap"], session["recap"], "its past is its parent's");
  await exchange(gui.journal, child, "and then?");
  const grown = (await gui.get(`/sessions/${child}`)).data["session"] as Row;
  assert.deepEqual(grown["recap"], {
    message_count: 6,
    preview: "Answer to and then?",
    last_role: "assistant",
  });
  const missing = await gui.get("/sessions/nobody");
  assert.deepEqual(
    [missing.http, missing.error.code, missing.error["reason"]],
    [404, "not_found", "session_not_found"],
  );
  assert.equal(missing.error.message, "Session not found");
});

test("[W6] transcript and tool timeline, in the document's types and the real client's", async () => {
  await using gui = await openConsole();
  const runId = await exchange(gui.journal, "one", "hello");
  const { data } = await gui.get("/sessions/one/transcript");
  const items = data["items"] as Row[];
  assert.deepEqual(
    items.map(({ type, role, content }) => [type, role, content]),
    [
      ["user_message", "user", "hello"],
      ["assistant_message", "assistant", "Let me look."],
      ["tool_result", "tool", items[2]?.["content"]],
      ["assistant_message", "assistant", "Answer to hello"],
    ],
  );
  assert.deepEqual(items[1]?.["metadata"], { run_id: runId, tool_call_ids: [`${runId}.c1`] });
  for (const field of ["id", "type", "role", "content", "created_at", "metadata"]) {
    assert.ok(Object.hasOwn(items[0] ?? {}, field), field);
  }
  const [tool = {}] = data["tool_timeline"] as Row[];
  assert.deepEqual([tool["id"], tool["status"], tool["error"]], [`${runId}.c1`, "completed", null]);
  for (const field of [
    "tool_name",
    "started_at",
    "completed_at",
    "duration_ms",
    "arguments_preview",
    "result_preview",
  ]) {
    assert.ok(Object.hasOwn(tool, field), field);
  }
  for (const asked of [
    await gui.get("/sessions/one/transcript?compat=client"),
    await gui.get("/sessions/one/transcript", { "x-console-compat": "client" }),
  ]) {
    const types = (asked.data["items"] as Row[]).map(({ type }) => type);
    assert.deepEqual(types, ["human", "assistant", "tool", "assistant"]);
  }
});

test("[W13, W13a] a page of an allowed origin gets the real client's types, also behind a proxy", async () => {
  await using gui = await openConsole();
  await exchange(gui.journal, "one", "hello");
  const firstType = async (query: string, headers: Record<string, string>) => {
    const reply = await gui.get(`/sessions/one/transcript${query}`, headers);
    return (reply.data["items"] as Row[])[0]?.["type"];
  };
  assert.equal(await firstType("", { origin: ELSEWHERE }), "human");
  assert.equal(await firstType("", { referer: `${ELSEWHERE}/app/sessions` }), "human");
  assert.equal(await firstType("?compat=document", { origin: ELSEWHERE }), "user_message");
  assert.equal(
    await firstType("", { "x-console-compat": "document", origin: ELSEWHERE }),
    "user_message",
  );
  assert.equal(await firstType("", { referer: "http://localhost:9/" }), "user_message");
  assert.equal(await firstType("", { referer: "not an address" }), "user_message");
});

test("[W6] a turn of calls alone is no bubble, whoever asks", async () => {
  await using gui = await openConsole();
  await s.start(gui.journal, { session_id: "one", message: "hello" });
  const claim = await s.claimed(gui.journal);
  const called = [d.intent("c1"), d.toolStarted("c1"), d.toolDone("c1")];
  await s.write(gui.journal, claim, d.started(), d.turnStarted(1), ...called);
  for (const [query, types] of [
    ["", ["user_message", "assistant_tool_call", "tool_result"]],
    ["?compat=client", ["human", "assistant_tool_call", "tool"]],
  ] as const) {
    const { data } = await gui.get(`/sessions/one/transcript${query}`);
    assert.deepEqual(
      (data["items"] as Row[]).map(({ type }) => type),
      types,
    );
  }
});

test("[W7] a message has one id: on the stream, in the transcript and where a session is resumed", async () => {
  await using gui = await openConsole();
  const runId = await exchange(gui.journal, "one", "hello");
  const state = consoleDialect.begin();
  const frames = (await s.sessionEvents(gui.journal, "one")).flatMap((event) =>
    encode(consoleDialect, event, state, { replay: true }),
  );
  const streamed = frames
    .filter(({ type }) => type === "message.user" || type === "message.assistant.completed")
    .map(({ payload }) => payload["message_id"]);
  assert.deepEqual(streamed.slice(1), [`${runId}.m1.1`, `${runId}.m2.1`]);
  const transcript = await gui.get("/sessions/one/transcript");
  const items = (transcript.data["items"] as Row[]).filter(({ role }) => role !== "tool");
  assert.deepEqual(
    items.map(({ id }) => id),
    streamed,
  );
  const { data } = await gui.post("/sessions/one/resume", {});
  assert.deepEqual(
    (data["conversation_history"] as Row[]).map(({ message_id }) => message_id),
    streamed,
  );
});

test("[W6] a session is renamed, deleted and brought back; nothing of it is lost", async () => {
  await using gui = await openConsole();
  await exchange(gui.journal, "one", "hello");
  const named = await gui.post("/sessions/one/title", { title: "Hermes Web Console planning" });
  assert.equal(named.data["title"], "Hermes Web Console planning");
  assert.equal((await gui.post("/sessions/one/title", { title: "" })).http, 400);
  const gone = await gui.ask("DELETE", "/sessions/one");
  assert.equal(gone.data["deleted"], true);
  assert.equal((await gui.get("/sessions/one")).http, 404);
  assert.deepEqual((await gui.get("/sessions")).data["sessions"], []);
  assert.equal((await gui.ask("DELETE", "/sessions/one")).http, 404);
  const back = await gui.post("/sessions/one/resume", {});
  assert.equal(back.data["status"], "resumed");
  assert.deepEqual(
    (back.data["conversation_history"] as Row[]).map(({ role, content }) => [role, content]),
    [
      ["user", "hello"],
      ["assistant", "Let me look."],
      ["assistant", "Answer to hello"],
    ],
  );
  assert.equal((await gui.get("/sessions/one")).http, 200);
});

test("[J6, W6] a branch that is asked for again by the same id is the same branch", async () => {
  await using gui = await openConsole();
  await exchange(gui.journal, "one", "first");
  const request = { command_id: "b1" };
  const first = await gui.post("/sessions/one/branch", request);
  await gui.journal.commands.updateTitle("one", { title: "Another" });
  const again = await gui.post("/sessions/one/branch", request);
  assert.deepEqual([again.http, again.data], [200, first.data]);
  const other = await gui.post("/sessions/one/branch", { ...request, at_message_index: 0 });
  assert.deepEqual([other.http, other.error.code], [409, "idempotency_conflict"]);
  const { sessions } = await gui.journal.reads.sessionSummaries({
    parent: "one",
    limit: 9,
    offset: 0,
  });
  assert.equal(sessions.length, 1);
});

test("[W6] a branch goes on after the message that was named", async () => {
  await using gui = await openConsole();
  await exchange(gui.journal, "one", "first");
  await exchange(gui.journal, "one", "second");
  const cut = await gui.post("/sessions/one/branch", { at_message_index: 2 });
  assert.equal(cut.data["message_count"], 3);
  const transcript = await gui.get(`/sessions/${String(cut.data["session_id"])}/transcript`);
  const said = (transcript.data["items"] as Row[]).filter(({ role }) => role !== "tool");
  assert.deepEqual(
    said.map(({ content }) => content),
    ["first", "Let me look.", "Answer to first"],
  );
  const middle = await gui.post("/sessions/one/branch", { at_message_index: 1 });
  const begun = await gui.post(`/sessions/${String(middle.data["session_id"])}/resume`, {});
  assert.deepEqual(
    (begun.data["conversation_history"] as Row[]).map(({ content }) => content),
    ["first", "Let me look."],
  );
  assert.equal((await gui.post("/sessions/one/branch", { at_message_index: 99 })).http, 400);
  await gui.journal.commands.createSession({ session_id: "empty" }, s.DEFAULTS);
  assert.equal((await gui.post("/sessions/empty/branch", {})).http, 409);
});

test("[W6, S] exports are files: everything is in them, nothing in them acts", async () => {
  await using gui = await openConsole();
  const evil = `<script>alert(1)</script> \u202Egnp.exe "'\``;
  await exchange(gui.journal, "one", evil);
  const fetched = async (format: string) => {
    const headers = { host: "localhost:80", authorization: `Bearer ${gui.token}` };
    return gui.app.inject({ url: `/api/gui/sessions/one/export?format=${format}`, headers });
  };
  const html = await fetched("html");
  assert.doesNotMatch(html.body, /<script>|\u202E/);
  assert.match(html.body, /&lt;script&gt;/);
  assert.match(html.body, /default-src 'none'/);
  for (const format of ["md", "json", "html", "txt"]) {
    const reply = await fetched(format);
    assert.equal(reply.statusCode, 200);
    assert.match(
      String(reply.headers["content-disposition"]),
      new RegExp(`^attachment; filename="[a-z0-9_-]+\\.${format}"$`),
    );
    assert.match(reply.body, /Answer to/);
  }
  const json = (await fetched("json")).json() as { items: Row[]; tools: Row[]; truncated: boolean };
  assert.deepEqual([json.items.length, json.tools.length, json.truncated], [4, 1, false]);
  assert.equal((await fetched("pdf")).statusCode, 400);
});

test("[W6] search takes `query` and `q`; commands and metrics are what the client reads", async () => {
  await using gui = await openConsole();
  await exchange(gui.journal, "one", "find the lighthouse");
  for (const name of ["query", "q"]) {
    const { data } = await gui.get(`/session-search?${name}=lighthouse&limit=5`);
    const [hit = {}] = (data["search"] as { results: Row[] }).results;
    assert.equal(hit["session_id"], "one");
    assert.match(String(hit["snippet"]), /lighthouse/);
    assert.equal(hit["session_title"], "find the lighthouse");
  }
  const empty = await gui.get("/session-search");
  assert.deepEqual([empty.http, empty.error.code], [400, "missing_query"]);
  const { commands } = (await gui.get("/commands")).data as { commands: Row[] };
  const names = commands.map(({ name }) => name);
  for (const wanted of ["retry", "undo", "compress", "branch", "title", "goal", "yolo", "stop"]) {
    assert.ok(names.includes(wanted), wanted);
  }
  const { metrics } = (await gui.get("/metrics/global")).data as { metrics: Row };
  for (const field of [
    "token_usage_today",
    "cost_today",
    "active_processes",
    "cron_jobs",
    "cpu_percent",
    "memory_percent",
    "uptime_seconds",
  ]) {
    assert.equal(typeof metrics[field], "number", field);
  }
});

test("[W6] a cost that nobody knows is null, never 0", async () => {
  await using gui = await openConsole();
  const costs = async () => {
    const { session } = (await gui.get("/sessions/s1")).data as { session: { metadata: Row } };
    const { metrics } = (await gui.get("/metrics/global")).data as { metrics: Row };
    return [session.metadata["estimated_cost_usd"], metrics["cost_today"]];
  };
  await s.exchange(gui.journal, "a", d.used(1, 20));
  assert.deepEqual(await costs(), [null, null]);
  const used = d.used(2, 20) as Extract<Draft, { type: "usage.updated" }>;
  const priced = { ...used, payload: { ...used.payload, cost_usd: 0.5 } };
  await s.exchange(gui.journal, "b", priced);
  assert.deepEqual(await costs(), [0.5, 0.5]);
});
