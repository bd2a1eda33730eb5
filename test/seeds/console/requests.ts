// C60–C81: more of the document's resource shapes: what waits for a person, checkpoints, and schedules.
import assert from "node:assert/strict";
import { CRON, SESSION } from "./acts.ts";
import { fieldsOf, frameOf, type ConsoleRow } from "./checks.ts";
import { CHOICES, CLARIFY, COMMANDS } from "./script.ts";

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
  request("C64", "title", "text", "what is asked, in a few words", (title, { kind }) =>
    assert.match(String(title), kind === "approval" ? /\bexec\b/ : /\bquestion\b/),
  ),
  request("C65", "prompt", "text", "what exactly", (_prompt, _item, { kept }) =>
    assert.deepEqual(
      [kept.approvals[1]?.["prompt"], kept.question["prompt"]],
      [COMMANDS.denied, CLARIFY.question],
    ),
  ),
  request(
    "C66",
    "choices",
    "texts",
    "`approve_once`, `approve_session`, `approve_always`, `deny`",
    (choices, { kind }) => {
      const all = ["approve_once", "approve_session", "approve_always", "deny"];
      assert.deepEqual(choices, kind === "approval" ? all : CHOICES);
    },
  ),
  request("C67", "expires_at", "time or null", "until when it waits", (time, each, { kept }) => {
    const { kind, tool_call_id } = each;
    if (kind === "clarify") return assert.equal(time, null);
    const { ts } = frameOf(kept, "tool.planned", { tool_call_id });
    assert.equal(Date.parse(String(time)) - Date.parse(ts), 600_000, "as this profile says");
  }),
  request("C68", "sensitive", "boolean", "whether a secret is asked for", (is) =>
    assert.equal(is, false, "nobody is asked for one here"),
  ),
];

const checkpoint = fieldsOf("workspace checkpoint", ({ kept }) => kept.checkpoints);

const CHECKPOINTS: readonly ConsoleRow[] = [
  checkpoint(
    "C69",
    "checkpoint_id",
    "text",
    "what a rollback names",
    (checkpoint_id, _item, world) =>
      assert.ok(frameOf(world.kept, "checkpoint.created", { checkpoint_id })),
  ),
  checkpoint("C70", "label", "text", "what was about to be done", (label) =>
    assert.equal(label, "Before: Write notes.txt"),
  ),
  checkpoint("C71", "created_at", "time", "when it was made", (time, each, { kept }) => {
    const { checkpoint_id } = each;
    assert.equal(time, frameOf(kept, "checkpoint.created", { checkpoint_id }).ts);
  }),
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
  job("C81", "last_run_at", "time", "when it last ran", (time, { created_at }, { kept }) =>
    assert.ok(String(time) > String(created_at) && String(time) <= kept.cron.readAt),
  ),
];

export const CONSOLE_REQUESTS: readonly ConsoleRow[] = [...REQUESTS, ...CHECKPOINTS, ...CRON_JOBS];
