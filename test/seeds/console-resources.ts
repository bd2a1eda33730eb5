// C32–C88: the document's resource shapes, field by field, of everything of the sort that was served.
import assert from "node:assert/strict";
import { CRON, SESSION } from "./console-acts.ts";
import { at, callOf, fieldsOf, isKind, type ConsoleRow } from "./console-checks.ts";
import { ANSWER, COMMANDS, MODEL } from "./console-script.ts";
import type { Data } from "./console-world.ts";

const session = fieldsOf("session summary", ({ kept }) => [kept.session, ...kept.sessions]);
const isMain = (item: Data) => item["session_id"] === SESSION;

const SESSIONS: readonly ConsoleRow[] = [
  session("C32", "session_id", "text", "its id", (_id, _item, { kept }) =>
    assert.ok(kept.sessions.some(isMain), "the one a client chose"),
  ),
  session("C33", "title", "text", "its title"),
  session("C34", "source", "text", "where it was begun", (source, item) =>
    assert.ok(!isMain(item) || source === "console"),
  ),
  session("C35", "workspace", "text", "the folder it works in", (folder, _item, { place }) =>
    assert.equal(folder, place.workspace),
  ),
  session("C36", "provider", "text", "who serves its model", (provider) =>
    assert.equal(provider, MODEL.split("/")[0]),
  ),
  session("C37", "last_active", "time", "when something last happened in it"),
  session("C38", "token_summary", "object", "input, output and total", (tokens, item) => {
    const [input, output, total] = ["input", "output", "total"].map((key) => at(tokens, key));
    for (const value of [input, output, total]) isKind(value, "number", "token_summary");
    assert.equal(total, Number(input) + Number(output));
    assert.ok(!isMain(item) || Number(total) > 0);
  }),
  session("C39", "parent_session_id", "text or null", "what it was branched from", (id, item) => {
    if (isMain(item)) assert.equal(id, null);
  }),
  session("C40", "has_tools", "boolean", "whether tools were called", (has, item) => {
    if (isMain(item)) assert.equal(has, true);
    if (item["session_id"] === "again") assert.equal(has, false);
  }),
  session("C41", "has_attachments", "boolean", "whether a file was attached", (has, item) =>
    assert.equal(has, item["session_id"] === "attached"),
  ),
  session("C42", "has_subagents", "boolean", "whether subagents worked in it", (has, item) =>
    assert.equal(has, isMain(item)),
  ),
  session("C43", "model", "text", "the model's bare name, beside its provider", (model) =>
    assert.equal(model, "gpt-5.4"),
  ),
];

const item = fieldsOf("transcript item", ({ kept }) => kept.items);

const TRANSCRIPT: readonly ConsoleRow[] = [
  item("C44", "id", "text", "unique in its session", (_id, _item, { kept }) =>
    assert.equal(new Set(kept.items.map(({ id }) => id)).size, kept.items.length),
  ),
  item("C45", "type", "text", "`assistant_message` and its like", (_type, _item, { kept }) => {
    const types = new Set(kept.items.map(({ type }) => type));
    for (const type of ["user_message", "assistant_message", "tool_result"]) {
      assert.ok(types.has(type), type);
    }
  }),
  item("C46", "role", "text", "who speaks", (role, { type }) => {
    const roles: Data = {
      user_message: "user",
      assistant_message: "assistant",
      tool_result: "tool",
    };
    if (roles[String(type)] !== undefined) assert.equal(role, roles[String(type)]);
  }),
  {
    id: "C47",
    says: "A transcript item has `content`: what was said, as a text.",
    check({ kept }) {
      for (const { content } of kept.items) assert.equal(typeof content, "string");
      assert.equal(kept.items.at(-1)?.["content"], ANSWER);
    },
  },
  item("C48", "metadata.run_id", "text", "the run it belongs to", (id, _item, { kept }) =>
    assert.equal(id, kept.runId),
  ),
  {
    id: "C49",
    says: "A transcript item has `metadata.tool_call_ids`: the calls made with it.",
    check({ kept }) {
      const known = kept.timeline.map(({ id }) => id);
      const lists = kept.items.map((each) => at(each, "metadata.tool_call_ids") as unknown[]);
      for (const list of lists) assert.ok(list.every((id) => known.includes(id)));
      assert.ok(lists.some((list) => list.length > 0) && lists.some((list) => list.length === 0));
    },
  },
  item(
    "C50",
    "created_at",
    "time",
    "when it was said; of a result, when the call ended",
    (time, each, { kept }) => {
      if (each["type"] !== "tool_result") return;
      const called = kept.timeline.find(({ id }) => id === each["tool_call_id"]);
      assert.equal(time, called?.["completed_at"]);
    },
  ),
];

const call = fieldsOf("tool timeline item", ({ kept }) => kept.timeline);

const TIMELINE: readonly ConsoleRow[] = [
  call("C51", "id", "text", "unique in its session", (_id, _item, { kept }) =>
    assert.equal(new Set(kept.timeline.map(({ id }) => id)).size, kept.timeline.length),
  ),
  call("C52", "tool_name", "text", "the tool", (_name, _item, { kept }) => {
    const names = kept.timeline.map(({ tool_name }) => tool_name);
    assert.deepEqual(names.slice(0, 3), ["search_files", "todo", "delegate"]);
  }),
  call("C53", "status", "text", "`completed`, or how else it ended", (_s, _item, { kept }) => {
    const statuses = new Set(kept.timeline.map(({ status }) => status));
    assert.deepEqual(statuses, new Set(["completed", "failed", "denied"]));
  }),
  call("C54", "duration_ms", "number", "how long it took"),
  call("C55", "arguments_preview", "object", "what it was given", (_given, _item, { kept }) => {
    const found = callOf(kept, "search_files");
    assert.deepEqual(found["arguments_preview"], { pattern: "api_server" });
  }),
  call("C56", "error", "text or null", "what went wrong", (error, { status }) =>
    assert.equal(error === null, status === "completed"),
  ),
  call(
    "C57",
    "started_at",
    "time",
    "when it began, after it was allowed",
    (time, each, { kept }) => {
      if (each["status"] === "denied") return; // it never began
      const id = each["id"];
      const frame = kept.frames.find(
        ({ type, payload }) => type === "tool.started" && payload["tool_call_id"] === id,
      );
      assert.equal(time, frame?.ts);
    },
  ),
  call("C58", "completed_at", "time", "when it ended", (time, { started_at }) =>
    assert.ok(String(time) >= String(started_at)),
  ),
  call("C59", "result_preview", "object", "what came of it", (result, each, { kept }) => {
    assert.equal(at(callOf(kept, "search_files"), "result_preview.matches"), 12);
    if (each["status"] === "completed") return;
    assert.deepEqual(result, { status: each["status"], error: each["error"] });
  }),
];

const request = fieldsOf("pending request", ({ kept }) => [...kept.approvals, kept.question]);

const REQUESTS: readonly ConsoleRow[] = [
  request("C60", "request_id", "text", "what an answer names"),
  request("C61", "kind", "text", "`approval` or `clarify`", (kind, each, { kept }) =>
    assert.equal(kind, each === kept.question ? "clarify" : "approval"),
  ),
  request("C62", "session_id", "text", "its session", (id) => assert.equal(id, SESSION)),
  request("C63", "run_id", "text", "its run", (id, _item, { kept }) =>
    assert.equal(id, kept.runId),
  ),
  request("C64", "title", "text", "what is asked, in a few words"),
  request("C65", "prompt", "text", "what exactly", (_prompt, _item, { kept }) =>
    assert.equal(kept.approvals[1]?.["prompt"], COMMANDS.denied),
  ),
  request(
    "C66",
    "choices",
    "texts",
    "`approve_once`, `approve_session`, `approve_always`, `deny`",
    (choices, { kind }) => {
      if (kind !== "approval") return;
      const all = ["approve_once", "approve_session", "approve_always", "deny"];
      assert.deepEqual(choices, all);
    },
  ),
  request("C67", "expires_at", "time or null", "until when it waits", (time, { kind }) =>
    assert.equal(time === null, kind === "clarify", "approvals expire by this profile"),
  ),
  request("C68", "sensitive", "boolean", "whether a secret is asked for"),
];

const checkpoint = fieldsOf("workspace checkpoint", ({ kept }) => kept.checkpoints);

const CHECKPOINTS: readonly ConsoleRow[] = [
  checkpoint("C69", "checkpoint_id", "text", "what a rollback names"),
  checkpoint("C70", "label", "text", "what was about to be done", (label) =>
    assert.equal(label, "Write notes.txt"),
  ),
  checkpoint("C71", "created_at", "time", "when"),
  checkpoint("C72", "session_id", "text", "its session", (id) => assert.equal(id, SESSION)),
  checkpoint("C73", "run_id", "text", "its run", (id, _item, { kept }) =>
    assert.equal(id, kept.runId),
  ),
  checkpoint("C74", "file_count", "number", "how many files it keeps", (count) =>
    assert.equal(count, 1),
  ),
];

const job = fieldsOf("cron job summary", ({ kept }) => [kept.cron.job]);

const CRON_JOBS: readonly ConsoleRow[] = [
  job("C75", "job_id", "text", "what its routes name"),
  job("C76", "name", "text", "its name", (name) => assert.equal(name, CRON.name)),
  job("C77", "schedule", "text", "a cron expression", (words) =>
    assert.equal(words, CRON.schedule),
  ),
  job("C78", "deliver", "text", "where its answer goes", (to) => assert.equal(to, CRON.deliver)),
  job("C79", "paused", "boolean", "whether it is paused", (paused) => assert.equal(paused, false)),
  job("C80", "next_run_at", "time", "when it is due next", (time) =>
    assert.match(String(time), /T09:00:00/),
  ),
  job("C81", "last_run_at", "time", "when it last ran"),
];

export const CONSOLE_RESOURCES: readonly ConsoleRow[] = [
  ...SESSIONS,
  ...TRANSCRIPT,
  ...TIMELINE,
  ...REQUESTS,
  ...CHECKPOINTS,
  ...CRON_JOBS,
];
