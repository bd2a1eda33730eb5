// The console's document, example by example: what it shows is what this server takes and tells.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../test/support/drafts.ts";
import * as s from "../../kernel/journal/contract/store.contract.ts";
import { consoleDialect } from "./wire/console.ts";
import { encode } from "../../kernel/dialect/dialect.ts";
import type { Draft } from "../../kernel/events/events.ts";
import * as seed from "../../../test/support/console/seed.ts";
import { openConsole } from "./test-support.ts";
import { approval } from "../../../test/support/console/waiting.ts";

type Row = Record<string, unknown>;
type Console = Awaited<ReturnType<typeof openConsole>>;

/** What stands in them depends on the tool or the refusal; only that it is an object is promised. */
const FREE = new Set(["arguments", "arguments_preview", "result_preview", "details"]);

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Every key of the example is there, with the same JSON type, as deep as the example goes. */
function covers(example: unknown, served: unknown, where: string): void {
  assert.equal(kindOf(served), kindOf(example), where);
  if (typeof example === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(example)) {
    assert.match(String(served), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, where);
  }
  if (Array.isArray(example)) {
    if (example.length > 0) covers(example[0], (served as unknown[])[0], `${where}[0]`);
  } else if (kindOf(example) === "object") {
    for (const [key, value] of Object.entries(example as Row)) {
      const inner = (served as Row)[key];
      covers(FREE.has(key) ? {} : value, inner, `${where}.${key}`);
    }
  }
}

const IDS = { subagent_id: "sub_1", call_id: "c9", title: "Inspect gateway features" };
const ITEMS = [{ id: "inspect", content: "Inspect Hermes repo", status: "completed" as const }];
const CHOICES = [
  "A local desktop app",
  "A web app you can open in a browser",
  "A terminal UI (TUI)",
  "Something minimal: just a chat window",
];

function question(runId: string): Draft {
  const asked = d.clarifyAsked(`cl_${runId}_c3`, "c3") as Extract<
    Draft,
    { type: "clarify.requested" }
  >;
  const words = { question: "What kind of GUI do you want?", choices: CHOICES };
  return { ...asked, payload: { ...asked.payload, ...words } };
}

function command(runId: string, call: string): Draft {
  return approval(runId, call, {
    title: "Approve terminal command",
    prompt: "Allow Hermes to run git status in /repo?",
    choices: ["once", "session", "always", "deny"],
    always: { ...d.ALWAYS, argv: ["git"] },
    expires_at: 4_102_444_800,
  });
}

/** A session in which everything of the document has happened, and two approvals and a question wait. */
async function worked({ journal }: Console) {
  const message = "Inspect API server routes";
  const runId = await s.start(journal, { session_id: "sess_123", message, source: "cli" });
  const claim = await s.claimed(journal);
  const delegated = { ...IDS, child_run_id: `${runId}.c9` };
  await s.write(
    journal,
    claim,
    d.started(),
    d.turnStarted(1),
    d.token("m1.1", "The API server currently exposes"),
    d.said("m1.1", "The API server currently exposes"),
    d.intent("c1"),
    d.toolStarted("c1"),
    d.toolDone("c1"),
    { type: "todo.updated", payload: { items: ITEMS } },
    { type: "subagent.started", payload: { ...delegated, prompt: "look", depth: 1 } },
    {
      type: "subagent.completed",
      payload: { ...delegated, status: "completed", summary: "Found pairing." },
    },
    d.intent("c2"),
    command(runId, "c2"),
    d.intent("c3"),
    question(runId),
    d.intent("c4"),
    command(runId, "c4"),
  );
  return { runId, claim };
}

test("[W6] the document's envelopes", async () => {
  await using gui = await openConsole();
  covers(seed.ENVELOPES.success, (await gui.get("/sessions")).body, "success");
  const missing = await gui.get("/sessions/nobody");
  covers(seed.ENVELOPES.error, missing.body, "error");
  assert.equal(missing.error.message, seed.ENVELOPES.error.error.message);
  covers(seed.ENVELOPES.capability, (await gui.get("/gateway/overview")).body, "capability");
  covers(seed.HEALTH, (await gui.get("/health")).body, "health");
  const meta = await gui.get("/meta");
  covers(seed.META, meta.body, "meta");
  for (const key of ["product", "gui_mount_path", "api_base", "stream_base", "v1_base"] as const) {
    assert.equal(meta.data[key], seed.META.data[key], key);
  }
  assert.equal(meta.data["schema_version"], seed.VERSIONING.schema_version);
});

test("[W6] the document's resources, where their endpoints serve them", async () => {
  await using gui = await openConsole();
  const { runId } = await worked(gui);
  const [listed = {}] = (await gui.get("/sessions")).data["sessions"] as Row[];
  covers(seed.RESOURCES.session, listed, "session");
  const { session } = (await gui.get("/sessions/sess_123")).data as { session: Row };
  covers(seed.RESOURCES.session, session, "session detail");
  for (const key of ["source", "has_tools", "has_attachments"] as const) {
    assert.equal(listed[key], seed.RESOURCES.session[key], key);
  }
  const { items, tool_timeline } = (await gui.get("/sessions/sess_123/transcript")).data as {
    items: Row[];
    tool_timeline: Row[];
  };
  const { type } = seed.RESOURCES.transcriptItem;
  const said = items.find((item) => item["type"] === type);
  covers(seed.RESOURCES.transcriptItem, said, "transcript item");
  for (const item of items) {
    covers({ ...seed.RESOURCES.transcriptItem, metadata: { run_id: runId } }, item, "any item");
  }
  covers(seed.RESOURCES.timelineItem, tool_timeline[0], "tool timeline item");
  const { pending } = (await gui.get("/human/pending")).data as { pending: Row[] };
  covers(seed.RESOURCES.pending, pending[0], "pending request");
  for (const key of ["kind", "title", "prompt", "choices", "session_id", "sensitive"] as const) {
    assert.deepEqual(pending[0]?.[key], seed.RESOURCES.pending[key], key);
  }
});

test("[W6] a checkpoint is shown as in the document, and one that is not there is said so", async () => {
  await using gui = await openConsole();
  await s.exchange(gui.journal, "a", d.intent("c1"), d.checkpoint("c1"), d.changed("c1", "a.txt"));
  for (const query of ["session_id=s1", "workspace=/w", "workspace=/w&session_id=s1"]) {
    const { http, data } = await gui.get(`/workspace/checkpoints?${query}`);
    assert.deepEqual([http, data["working_dir"]], [200, "/w"]);
    covers([seed.CHECKPOINT], data["checkpoints"], query);
  }
  const { http, error } = await gui.post("/workspace/rollback", seed.ROLLBACK);
  assert.deepEqual([http, error.code, error["reason"]], [404, "not_found", "checkpoint_not_found"]);
});

test("[W4, W6] resources this server does not have answer the capability envelope", async () => {
  await using gui = await openConsole();
  for (const [path, resource] of Object.entries(seed.UNSERVED_RESOURCES)) {
    const reply = await gui.get(path);
    assert.equal(reply.http, 200, path);
    covers(seed.ENVELOPES.capability, reply.body, path);
    for (const key of Object.keys(resource)) assert.ok(!Object.hasOwn(reply.data, key), path);
  }
  for (const [path, body] of Object.entries(seed.UNSERVED_POSTS)) {
    const reply = await gui.post(path, body);
    assert.deepEqual([reply.http, reply.data["supported"]], [200, false], path);
    covers(seed.ENVELOPES.capability, reply.body, path);
  }
});

test("[W6] the document's requests about a conversation are taken", async () => {
  await using gui = await openConsole();
  const sent = await gui.post("/chat/send", seed.SEND.request);
  assert.equal(sent.http, 200, JSON.stringify(sent.body));
  covers(seed.SEND.response, sent.body, "send");
  const { session_id, status } = seed.SEND.response.data;
  assert.deepEqual([sent.data["session_id"], sent.data["status"]], [session_id, status]);
  await s.end(gui.journal, await s.claimed(gui.journal));

  const again = await gui.post("/chat/retry", seed.RETRY);
  assert.deepEqual([again.http, again.data["status"]], [200, "started"]);
  const run_id = String(again.data["run_id"]);
  const stopped = await gui.post("/chat/stop", { ...seed.STOP, run_id });
  assert.deepEqual([stopped.http, stopped.data["stop_requested"]], [200, true]);
  const undone = await gui.post("/chat/undo", seed.UNDO);
  assert.equal(undone.http, 200, JSON.stringify(undone.body));
  const titled = await gui.post("/sessions/sess_123/title", seed.TITLE);
  assert.deepEqual([titled.http, titled.data["title"]], [200, seed.TITLE.title]);
});

test("[W5, W6] the document's answers are taken", async () => {
  await using gui = await openConsole();
  const { runId } = await worked(gui);
  for (const [path, example, id, status] of [
    ["/human/approve", seed.APPROVE, `ap_${runId}_c2`, "approved"],
    ["/human/deny", seed.DENY, `ap_${runId}_c4`, "denied"],
    ["/human/clarify", seed.CLARIFY, `cl_${runId}_c3`, "answered"],
  ] as const) {
    const unknown = await gui.post(path, example);
    assert.deepEqual(
      [unknown.http, unknown.error.code, unknown.error["reason"]],
      [404, "not_found", "request_not_found"],
      path,
    );
    covers(seed.ENVELOPES.error, unknown.body, path);
    const reply = await gui.post(path, { ...example, request_id: id });
    assert.deepEqual([reply.http, reply.data["status"]], [200, status], path);
  }
  assert.deepEqual((await gui.get("/human/pending")).data["pending"], []);
});

test("[W6] the document's events, from what a session really did", async () => {
  await using gui = await openConsole();
  await worked(gui);
  const state = consoleDialect.begin();
  const frames = (await s.sessionEvents(gui.journal, "sess_123")).flatMap((event) =>
    encode(consoleDialect, event, state, { replay: false }),
  );
  for (const example of seed.EVENTS) {
    const frame = frames.find(({ type }) => type === example.type);
    covers(example, frame, example.type);
    covers(seed.EVENT_ENVELOPE, frame, example.type);
  }
  for (const frame of frames) {
    const outside = frame.type.startsWith("session.") && { run_id: null }; // of no run
    covers({ ...seed.EVENT_ENVELOPE, ...outside }, frame, frame.type);
  }
  const asked = frames.find(({ type }) => type === "clarify.requested");
  assert.deepEqual(asked?.payload["choices"], CHOICES);
});
