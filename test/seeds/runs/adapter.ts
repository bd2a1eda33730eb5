// R94–R126: what a request carries, and the fields of every answer at the adapter's boundary.
import assert from "node:assert/strict";
import { has, row } from "./checks.ts";
import { ofType, type Fields, type Recorded } from "./record.ts";
import type { RunsRow, RunsWorld } from "./world.ts";

const queuedOf = ({ events }: Recorded): Fields => ofType(events, "run.queued")[0] ?? {};
const messageOf = ({ events }: Recorded): Fields => ofType(events, "message.user")[0] ?? {};

const carried = (number: number, field: string, check: (world: RunsWorld) => void): RunsRow =>
  row(number, `\`StartRunRequest.${field}\` on /api/chat/start reaches the run.`, check);

const REQUEST: readonly RunsRow[] = [
  carried(94, "session_id", ({ context }) => {
    assert.equal(context.run.events[0]?.["session_id"], "ctx");
  }),
  carried(95, "message", ({ context }) => {
    assert.equal(messageOf(context.run)["text"], context.sent["message"]);
  }),
  carried(96, "attachments", ({ context }) => {
    const [file] = messageOf(context.run)["attachments"] as Fields[];
    assert.deepEqual([file?.["name"], file?.["media_type"]], ["clip.webm", "audio/webm"]);
  }),
  carried(97, "workspace", ({ context }) => {
    assert.equal(queuedOf(context.run)["workspace"], context.folder);
    assert.equal(context.refused.workspace.status, 400, "one that is not there is refused");
  }),
  carried(98, "profile", ({ context }) => {
    assert.equal(queuedOf(context.run)["profile"], "red");
    assert.equal(context.refused.profile.status, 400, "one that is not there is refused");
    assert.equal(context.refused.v1Profile.status, 400);
  }),
  carried(99, "model", ({ talk }) => {
    assert.deepEqual(
      [queuedOf(talk.first)["model"], queuedOf(talk.second)["model"]],
      ["scripted/agent", "scripted/other"],
    );
  }),
  carried(100, "toolsets", ({ talk, context }) => {
    assert.deepEqual(queuedOf(context.run)["toolsets"], ["read", "memory"]);
    assert.ok(talk.tools.length > 5);
    assert.deepEqual(talk.narrowed, ["read"], "the model is offered nothing else");
  }),
  carried(101, "source", ({ context, full }) => {
    assert.deepEqual(
      [queuedOf(context.run)["source"], queuedOf(full)["source"]],
      ["voice", "webui"],
    );
  }),
  carried(102, "metadata", ({ context }) => {
    assert.deepEqual(queuedOf(context.run)["metadata"], { transcript_confidence: 0.9 });
  }),
  carried(103, "provider", ({ context }) => {
    assert.equal(context.chat.body["effective_model"], "demo/demo");
    assert.equal(context.chat.body["effective_model_provider"], "demo");
  }),
  row(104, "The same request is taken literally by /v1/runs and /api/runs.", ({ context }) => {
    const names = ["workspace", "profile", "model", "toolsets", "source"];
    const of = (run: Recorded) => names.map((name) => queuedOf(run)[name]);
    for (const run of context.others) {
      assert.deepEqual(of(run), of(context.run));
      assert.equal(messageOf(run)["text"], messageOf(context.run)["text"]);
      assert.equal((queuedOf(run)["metadata"] as Fields)["transcript_confidence"], 0.9);
    }
  }),
];

const startResult = (number: number, field: string, kind: string): RunsRow =>
  row(number, `\`RunStartResult.${field}\` is in the answer of /v1/runs.`, ({ context }) => {
    assert.equal(context.v1.status, 202);
    has(context.v1.body, { [field]: kind });
  });

const runStatus = (number: number, field: string, kind: string): RunsRow =>
  row(number, `\`RunStatus.${field}\` is in GET /v1/runs/{id}.`, ({ full, failed, runner }) => {
    for (const view of [full.view, failed.view, runner.waiting]) has(view, { [field]: kind });
  });

const RESULTS: readonly RunsRow[] = [
  startResult(105, "run_id", "text"),
  startResult(106, "session_id", "text"),
  startResult(107, "stream_id", "text"),
  startResult(108, "status", "text"),
  startResult(109, "started_at", "number"),
  startResult(110, "cursor", "text"),
  startResult(111, "active_controls", "list"),
  runStatus(112, "run_id", "text"),
  runStatus(113, "session_id", "text"),
  runStatus(114, "status", "text"),
  runStatus(115, "last_event_id", "text"),
  row(116, "`RunStatus.terminal_state` says how a run ended.", ({ full, failed, runner }) => {
    const views = [runner.waiting, full.view, failed.view, runner.view];
    assert.deepEqual(
      views.map(({ terminal_state }) => terminal_state),
      [null, "completed", "failed", "cancelled"],
    );
  }),
  runStatus(117, "active_controls", "list"),
  row(118, "`RunStatus.pending_approval_id` names what waits.", ({ runner, full }) => {
    assert.match(String(runner.waiting["pending_approval_id"]), /^ap_/);
    assert.equal(full.view["pending_approval_id"], null);
  }),
  row(119, "`RunStatus.pending_clarify_id` names what waits.", ({ full }) => {
    assert.match(String(full.atClarify["pending_clarify_id"]), /^cl_/);
    assert.equal(full.view["pending_clarify_id"], null);
  }),
  row(
    120,
    "`ControlResult` has accepted, status, event_id and safe_message (native API).",
    (world) => {
      const { line, full } = world;
      const fields = { accepted: "flag", status: "text", safe_message: "text" };
      for (const result of [line.cancelled, ...line.queued])
        has(result, { ...fields, event_id: "text" });
      for (const result of [full.late.approval, full.late.queue]) has(result, fields);
    },
  ),
  row(
    121,
    "`/v1` controls answer a `ControlResult`, also when they are late or repeated.",
    (world) => {
      const { runner, full, sub, goal } = world;
      const fields = { accepted: "flag", status: "text", safe_message: "text" };
      for (const { status, body } of [runner.queued, runner.cancelled, sub.first]) {
        assert.deepEqual([status, body["accepted"]], [200, true]);
        has(body, { ...fields, event_id: "text" });
      }
      const { v1Approval, v1Other, v1Clarify, v1Message, v1Cancel } = full.late;
      for (const { status, body } of [
        v1Approval,
        v1Other,
        v1Clarify,
        v1Message,
        v1Cancel,
        goal.v1,
      ]) {
        assert.equal(status, 200);
        has(body, { ...fields, event_id: "nothing" });
      }
      assert.equal(v1Approval.body["status"], "duplicate", "the same answer once more");
      assert.equal(full.late.v1Gateway.status, 409, "hermes-agent's clients read an error");
    },
    "Only `stop`, `steer` and an approval that is answered without `approval_id` keep hermes-agent's 409 when they are late: its clients read that.",
  ),
  row(
    122,
    "A control that comes too late has the status `not-active`.",
    ({ full, goal }) => {
      const { v1Other, v1Message, v1Cancel, queue } = full.late;
      for (const { body } of [v1Other, v1Message, v1Cancel, goal.v1]) {
        assert.equal(body["status"], "not-active");
      }
      assert.equal(queue["status"], "not_active", "our own API");
    },
    "The runner boundary (`/v1`) uses the document's word. Our own API (`/api/runs`) writes `not_active`, as all its words are written.",
  ),
];

const WHITELIST = [
  "effective_model",
  "effective_model_provider",
  "pending_started_at",
  "session_id",
  "stream_id",
  "title",
  "turn_id",
];

const CHAT_START: readonly RunsRow[] = [
  row(123, "The answer to chat-start is limited to the document's fields.", ({ full, context }) => {
    for (const { body } of [full.starts.started, context.chat]) {
      assert.deepEqual(Object.keys(body).toSorted(), WHITELIST);
    }
  }),
  row(124, "`run_id`, `status` and `active_controls` are not in it.", ({ goal, full }) => {
    for (const { body } of [goal.begun, full.starts.started, full.starts.busy]) {
      for (const name of ["run_id", "status", "active_controls"]) {
        assert.ok(!Object.hasOwn(body, name), name);
      }
    }
  }),
  row(
    125,
    "A second turn in a busy session is refused and names the active stream.",
    ({ full }) => {
      const { status, body } = full.starts.busy;
      assert.deepEqual([status, body["active_stream_id"]], [409, full.id]);
    },
  ),
  row(
    126,
    "A repeated start is the same run; the same id for something else is refused.",
    ({ full }) => {
      assert.deepEqual(full.starts.same.body, full.starts.started.body);
      assert.deepEqual(
        [full.starts.other.status, full.starts.other.body["code"]],
        [409, "idempotency_conflict"],
      );
    },
  ),
];

export const RUNS_ADAPTER: readonly RunsRow[] = [...REQUEST, ...RESULTS, ...CHAT_START];
