// C32–C59: the document's resource shapes, field by field, of everything of the sort that was served.
import assert from "node:assert/strict";
import { SESSION } from "./acts.ts";
import { at, callOf, fieldsOf, frameOf, isKind, type ConsoleRow } from "./checks.ts";
import { ANSWER, MODEL, SEND } from "./script.ts";
import type { Data } from "./world.ts";

const session = fieldsOf("session summary", ({ kept }) => [kept.session, ...kept.sessions]);
const isMain = (item: Data) => item["session_id"] === SESSION;

const SESSIONS: readonly ConsoleRow[] = [
  session("C32", "session_id", "text", "its id", (_id, _item, { kept }) =>
    assert.ok(kept.sessions.some(isMain), "the one a client chose"),
  ),
  session("C33", "title", "text", "its title", (title, item) =>
    assert.ok(!isMain(item) || title === SEND.message),
  ),
  session("C34", "source", "text", "where it was begun", (source, item) =>
    assert.ok(!isMain(item) || source === "console"),
  ),
  session("C35", "workspace", "text", "the folder it works in", (folder, _item, { place }) =>
    assert.equal(folder, place.workspace),
  ),
  session("C36", "provider", "text", "who serves its model", (provider) =>
    assert.equal(provider, MODEL.split("/")[0]),
  ),
  session(
    "C37",
    "last_active",
    "time",
    "when something last happened in it",
    (time, item, world) => {
      if (isMain(item)) assert.equal(time, world.kept.frames.at(-1)?.ts);
    },
  ),
  session("C38", "token_summary", "object", "input, output and total", (tokens, item, { kept }) => {
    const [input, output, total] = ["input", "output", "total"].map((key) => at(tokens, key));
    for (const value of [input, output, total]) isKind(value, "number", "token_summary");
    assert.equal(total, Number(input) + Number(output));
    if (!isMain(item)) return;
    const used = kept.frames.filter(({ type }) => type.endsWith("usage.updated"));
    const sum = (key: string) => used.reduce((all, { payload }) => all + Number(payload[key]), 0);
    assert.deepEqual([input, output], [sum("input_tokens"), sum("output_tokens")]);
  }),
  session(
    "C39",
    "parent_session_id",
    "text or null",
    "what it was branched from",
    (id, item, { kept }) => {
      const isBranch = item["session_id"] === kept.branched["session_id"];
      assert.equal(id, isBranch ? SESSION : null);
    },
  ),
  session("C40", "has_tools", "boolean", "whether tools were called", (has, item) => {
    if (isMain(item)) assert.equal(has, true);
    if (item["session_id"] === "again") assert.equal(has, false);
  }),
  session("C41", "has_attachments", "boolean", "whether a file was attached", (has, item) =>
    assert.equal(has, item["session_id"] === "attached"),
  ),
  session("C42", "has_subagents", "boolean", "whether subagents worked in it", (has, item) =>
    assert.equal(has, isMain(item) || item["session_id"] === "nested"),
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
      assistant_tool_call: "assistant",
      tool_result: "tool",
    };
    assert.equal(role, roles[String(type)]);
  }),
  {
    id: "C47",
    says: "A transcript item has `content`: what was said, as a text.",
    check({ kept }) {
      for (const { content } of kept.items) assert.equal(typeof content, "string");
      const said = [kept.items[0], kept.items.at(-1)].map((each) => each?.["content"]);
      assert.deepEqual(said, [SEND.message, ANSWER]);
    },
  },
  item("C48", "metadata.run_id", "text", "the run it belongs to", (id, _item, { kept }) =>
    assert.equal(id, kept.runId),
  ),
  {
    id: "C49",
    says: "A transcript item has `metadata.tool_call_ids`: the calls made with it.",
    check({ kept }) {
      const said = kept.items.filter(({ role }) => role === "assistant");
      const made = said.flatMap((each) => at(each, "metadata.tool_call_ids") as unknown[]);
      assert.deepEqual(
        made,
        kept.timeline.map(({ id }) => id),
      );
    },
  },
  item(
    "C50",
    "created_at",
    "time",
    "when it was said; of a result, when the call ended",
    (time, each, { kept }) => {
      const [first] = at(each, "metadata.tool_call_ids") as unknown[];
      const emitted: Data = {
        user_message: () => frameOf(kept, "message.user", { message_id: each["id"] }),
        assistant_message: () =>
          frameOf(kept, "message.assistant.delta", { message_id: each["id"] }),
        assistant_tool_call: () => frameOf(kept, "tool.planned", { tool_call_id: first }),
        tool_result: () => frameOf(kept, "tool.completed", { tool_call_id: first }),
      };
      assert.equal(time, (emitted[String(each["type"])] as () => { ts: string })().ts);
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
  call("C54", "duration_ms", "number", "how long it took", (took, { id }, { kept }) => {
    const ended = frameOf(kept, "tool.completed", { tool_call_id: id });
    assert.equal(took, ended.payload["duration_ms"]);
  }),
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
      assert.equal(time, frameOf(kept, "tool.started", { tool_call_id: each["id"] }).ts);
    },
  ),
  call("C58", "completed_at", "time", "when it ended", (time, { id }, { kept }) =>
    assert.equal(time, frameOf(kept, "tool.completed", { tool_call_id: id }).ts),
  ),
  call("C59", "result_preview", "object", "what came of it", (result, each, { kept }) => {
    assert.equal(at(callOf(kept, "search_files"), "result_preview.matches"), 12);
    if (each["status"] === "completed") return;
    assert.deepEqual(result, { status: each["status"], error: each["error"] });
  }),
];

export const CONSOLE_RESOURCES: readonly ConsoleRow[] = [...SESSIONS, ...TRANSCRIPT, ...TIMELINE];
