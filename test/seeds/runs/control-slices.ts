// R127–R139: what the document demands of each control as it moves behind the adapter.
import assert from "node:assert/strict";
import { call } from "../../support/http.ts";
import * as page from "../../support/windows/webui.ts";
import { has, only, row } from "./checks.ts";
import { ofType, sessionEvents, sessionOf, type Fields } from "./record.ts";
import type { RunsRow } from "./world.ts";

const terminals = (events: readonly { terminal: boolean }[]) =>
  events.filter(({ terminal }) => terminal).length;

export const RUNS_CONTROL_SLICES: readonly RunsRow[] = [
  row(127, "3a.1: a cancelled turn has one end and keeps its partial text.", ({ stoppedTool }) => {
    assert.equal(terminals(stoppedTool.events), 1);
    assert.deepEqual(page.messagesIn(stoppedTool.browser).at(-1), "assistant: Before.");
  }),
  row(128, "3a.4: after a cancel, replay and status agree.", async ({ stoppedTool, server }) => {
    assert.equal(stoppedTool.browser.at(-2)?.data["terminal_state"], "interrupted-by-user");
    const path = `/api/chat/stream/status?stream_id=${stoppedTool.id}`;
    const { journal } = (await page.ask(server, "GET", path)).body;
    assert.equal((journal as Fields)["terminal_state"], "interrupted-by-user");
    assert.equal((await sessionOf(server, "stopped-tool"))["last_status"], "cancelled");
  }),
  row(129, "3a.5: cancelling again is safe and changes nothing.", ({ stoppedTool }) => {
    const cancels = stoppedTool.cancels.map(({ body }) => body["cancelled"]);
    assert.deepEqual(cancels, [true, true, false]);
    assert.deepEqual(
      stoppedTool.native.map(({ accepted, status }) => [accepted, status]),
      [
        [false, "not_active"],
        [false, "not_active"],
      ],
    );
    assert.equal(terminals(stoppedTool.events), 1);
    const stops = ofType(stoppedTool.events, "status").filter(
      ({ status }) => status === "cancelling",
    );
    assert.equal(stops.length, 1);
  }),
  row(
    130,
    "3b.2: approval and clarify answers keep their shape; nothing else is in them.",
    ({ full }) => {
      assert.deepEqual(full.approvals[1].body, { ok: true, choice: "once" });
      assert.deepEqual(full.clarifies[1].body, { ok: true, response: "left" });
    },
  ),
  row(
    131,
    "3b.3: answering what is not there, or is over, is bounded and recreates nothing.",
    ({ full }) => {
      for (const { status, body } of [full.approvals[0], full.clarifies[0]]) {
        assert.deepEqual([status, body["ok"], body["stale"]], [409, false, true]);
      }
      assert.equal(ofType(full.events, "approval.requested").length, 1);
    },
  ),
  row(132, "3b.4: request and resolution are journaled, in that order.", ({ full }) => {
    const types = full.events.map(({ type }) => type);
    for (const kind of ["approval", "clarify"]) {
      const [asked, resolved] = [`${kind}.requested`, `${kind}.resolved`].map((type) =>
        types.indexOf(type),
      );
      assert.ok(asked !== undefined && resolved !== undefined && 0 < asked && asked < resolved);
    }
  }),
  row(
    133,
    "3b.6: a repeated answer is safe, another one loses, and there is one resolution.",
    ({ full }) => {
      for (const answers of [full.approvals, full.clarifies]) {
        assert.deepEqual([answers[2].status, answers[3].status], [200, 409]);
      }
      only(ofType(full.events, "approval.resolved"));
      only(ofType(full.events, "clarify.resolved"));
    },
  ),
  row(134, "3c.2: goal answers have a stable shape.", ({ goal }) => {
    for (const { body } of [goal.only, ...goal.steps]) {
      has(body, { ok: "flag", action: "text", message: "text", goal: "object|nothing" });
    }
  }),
  row(
    135,
    "3c.3: no goal, no session or no run is bounded; no phantom run begins.",
    async (world) => {
      const { goal, server } = world;
      assert.deepEqual([goal.none.body["ok"], goal.none.body["error"]], [false, "no_goal"]);
      assert.equal(goal.missing.status, 404);
      assert.equal((await call(server, "GET", "/api/sessions/nobody")).status, 404);
      const path = "/api/runs/run_00000000000000000000000000000000/messages";
      assert.equal((await call(server, "POST", path, { message: "more" })).status, 404);
    },
  ),
  row(136, "3c.4: queue and goal changes are journaled.", async ({ goal, server }) => {
    const actions = goal.updates.map(({ payload }) => payload["action"]);
    assert.deepEqual(actions, ["set", "pause", "resume", "edit", "clear", "set"]);
    const types = (await sessionEvents(server, "line")).map(({ type }) => type);
    assert.ok(types.filter((type) => type === "queue.updated").length >= 3);
  }),
  row(
    137,
    "3c.6: queueing twice with one id is one message; goal operations repeat safely.",
    (world) => {
      const { line, goal } = world;
      assert.deepEqual(
        [line.again["status"], line.again["run_id"]],
        ["duplicate", line.queued[0]?.["run_id"]],
      );
      assert.deepEqual(goal.steps[1]?.body, goal.steps[2]?.body, "paused twice");
    },
  ),
  row(
    138,
    "No server-side queue merely for symmetry.",
    ({ line, killed }) => {
      assert.equal(line.waiting["status"], "queued");
      assert.equal(line.standing.body["active"], true);
      assert.ok(killed.survivor.found.session["active_run_id"]);
    },
    "A queued message is a run of its own in the journal, with status `queued`: durable, in order, once per id. Nothing is held in a server's memory.",
  ),
  row(139, "Goals follow from the full text, not from the action alone.", ({ goal }) => {
    const texts = goal.updates.map(({ payload }) => payload["text"]);
    assert.deepEqual(texts.slice(0, 1), ["be brief"]);
    assert.equal(texts[3], "be brief and kind");
  }),
];
