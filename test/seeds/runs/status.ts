// R36–R64: what a run says of itself to whoever comes back, its statuses, and its controls.
import assert from "node:assert/strict";
import { call } from "../../support/http.ts";
import * as page from "../../support/windows/webui.ts";
import { has, only, row } from "./checks.ts";
import { ofType, pollAll, sessionOf, textOf, type Fields } from "./record.ts";
import type { RunsRow, RunsWorld } from "./world.ts";

const exposed = (number: number, what: string, fields: Readonly<Record<string, string>>): RunsRow =>
  row(number, `Every active or terminal run exposes ${what}.`, ({ full, failed, stoppedTool }) => {
    for (const status of [full.atApproval, full.status, failed.status, stoppedTool.status]) {
      has(status, fields);
    }
  });

const METADATA: readonly RunsRow[] = [
  exposed(36, "its `run_id`", { run_id: "text" }),
  exposed(37, "its `session_id`", { session_id: "text" }),
  exposed(38, "its `status`", { status: "text" }),
  row(39, "`last_event_id` is the newest event's.", ({ full, failed }) => {
    for (const { status, events } of [full, failed]) {
      assert.equal(status["last_event_id"], events.at(-1)?.event_id);
    }
  }),
  row(40, "`terminal_state` says how it ended, and nothing before that.", (world) => {
    const { full, failed, stoppedTool } = world;
    const states = [full.atApproval, full.status, failed.status, stoppedTool.status];
    assert.deepEqual(
      states.map(({ terminal_state }) => terminal_state),
      [null, "completed", "failed", "cancelled"],
    );
  }),
  row(41, "A finished run exposes its result or its error.", ({ full, failed }) => {
    assert.equal(full.status["result"], "All done.");
    assert.deepEqual(failed.status["error"], { code: "model_bad_request", message: "boom" });
  }),
  row(42, "The controls that are available now are exposed.", ({ full }) => {
    const during = full.atApproval["active_controls"] as string[];
    for (const name of ["observe", "status", "cancel", "queue", "approval", "goal"]) {
      assert.ok(during.includes(name), name);
    }
    assert.ok(!(full.status["active_controls"] as string[]).includes("cancel"));
  }),
  row(43, "The session says which run is active in it.", async ({ full, server }) => {
    assert.equal(full.atApproval["active_run_id"], full.id);
    assert.equal((await sessionOf(server, "full"))["active_run_id"], null);
  }),
  row(44, "The ids of what waits are exposed.", ({ full }) => {
    assert.match(String(full.atApproval["pending_approval_id"]), /^ap_/);
    assert.match(String(full.atClarify["pending_clarify_id"]), /^cl_/);
    assert.deepEqual([full.status["pending_approval_id"], full.status["pending"]], [null, []]);
  }),
  row(45, "So are those of what a subagent waits for, on the run it works for.", ({ sub }) => {
    assert.match(String(sub.waiting["pending_approval_id"]), /^ap_/);
    assert.ok((sub.waiting["active_controls"] as string[]).includes("approval"));
    assert.equal(sub.view["pending_approval_id"], sub.waiting["pending_approval_id"]);
  }),
];

const seen = (number: number, status: string, where: (world: RunsWorld) => Fields): RunsRow =>
  row(number, `The status \`${status}\` is emitted.`, (world) => {
    assert.equal(where(world)["status"], status);
  });

const STATUSES: readonly RunsRow[] = [
  seen(46, "queued", ({ line }) => line.waiting),
  seen(47, "running", ({ stoppedThought }) => stoppedThought.started),
  seen(48, "awaiting_approval", ({ full }) => full.atApproval),
  seen(49, "awaiting_clarify", ({ full }) => full.atClarify),
  seen(50, "cancelling", ({ stoppedTool }) => stoppedTool.cancelling),
  seen(51, "cancelled", ({ stoppedTool }) => stoppedTool.status),
  seen(52, "failed", ({ failed }) => failed.status),
  seen(53, "completed", ({ full }) => full.status),
  seen(54, "expired", ({ killed }) => killed.expired.status),
  seen(55, "paused", ({ killed }) => killed.paused),
  row(
    56,
    "`GET /v1/runs/{id}` uses the same words.",
    ({ full, runner, killed }) => {
      assert.equal(runner.waiting["status"], "awaiting_approval", "started with `message`");
      assert.equal(full.approvalView["status"], "waiting_for_approval", "started elsewhere");
      assert.equal(full.approvalView["lifecycle"], "awaiting_approval");
      assert.equal(killed.expired.view["lifecycle"], "expired");
    },
    "`status` has the document's words for runs that its client started on `/v1/runs` (with `message`), and hermes-agent's (`waiting_for_approval`, `stopping`, `interrupted`) for all others, whose clients know only those. `lifecycle` always has the document's.",
  ),
];

const CONTROLS: readonly RunsRow[] = [
  row(
    57,
    "observe: any number of viewers attach, live and replayed, and see the same.",
    ({ full }) => {
      for (const live of full.live) assert.deepEqual(live, full.browser);
    },
  ),
  row(58, "status: polling works where streams do not.", async ({ full, server }) => {
    const pages = await pollAll(server, full.id);
    const numbers = pages.flat().map(({ seq }) => Number(seq));
    assert.deepEqual(
      numbers,
      full.browser.map(({ seq }) => seq),
    );
    const path = `/api/chat/stream/status?stream_id=${full.id}`;
    const { active, journal } = (await page.ask(server, "GET", path)).body;
    assert.equal(active, false);
    has(journal as Fields, { last_seq: "number", last_event_id: "text", terminal_state: "text" });
  }),
  row(59, "queue: follow-ups run in their order, and can be taken back.", ({ line }) => {
    const said = [line.first, ...line.runs].map(({ status }) => status["result"]);
    assert.deepEqual(said, ["First.", "Second.", "Third."]);
    assert.deepEqual(line.removed.events.at(-1)?.payload["status"], "cancelled");
    assert.equal(textOf(line.removed.events), "");
  }),
  row(
    60,
    "approval: a pending approval is resolved by its id with a supported choice.",
    async (world) => {
      const { full, server } = world;
      assert.equal(full.approvals[1].status, 200);
      const [plan] = ofType(full.events, "approval.requested");
      assert.deepEqual(plan?.["choices"], ["once", "session", "always", "deny"]);
      const path = `/api/runs/${full.id}/approvals/${String(plan?.["approval_id"])}`;
      assert.equal((await call(server, "POST", path, { choice: "perhaps" })).status, 400);
    },
  ),
  row(61, "clarify: a pending question is answered by its id.", ({ full }) => {
    assert.deepEqual(full.clarifies[1].body, { ok: true, response: "left" });
    assert.equal(only(ofType(full.events, "clarify.resolved"))["response"], "left");
  }),
  row(62, "goal: set, status, pause, resume, edit and clear.", ({ goal }) => {
    const emitted = goal.steps
      .slice(0, 6)
      .map(({ body }) => (body["goal"] as Fields | null)?.["status"]);
    assert.deepEqual(emitted, ["active", "paused", "paused", "active", "active", undefined]);
  }),
  row(63, "cancel: a terminal event follows.", ({ stoppedTool }) => {
    assert.equal(stoppedTool.events.at(-1)?.payload["status"], "cancelled");
    const ends = stoppedTool.browser.slice(-2).map(({ event }) => event);
    assert.deepEqual(ends, ["cancel", "stream_end"]);
  }),
  row(64, "cancel: a terminal event follows, also while no runner is left.", ({ killed }) => {
    const takers = [killed.cancelled, killed.expired].map(
      ({ events }) => ofType(events, "recovery")[0]?.["runner_id"],
    );
    assert.notEqual(takers[0], takers[1], "ended by the server, not by the next runner");
    assert.equal(killed.cancelled.events.at(-1)?.payload["status"], "cancelled");
  }),
];

export const RUNS_STATUS: readonly RunsRow[] = [...METADATA, ...STATUSES, ...CONTROLS];
