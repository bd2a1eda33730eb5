import assert from "node:assert/strict";
import { test } from "node:test";
import { journalOf, talk } from "../../../test/browser/support/stream-server.ts";
import { emptyView, foldSession, type SessionView } from "../../kernel/client/sessions/store.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { activeRunId, currentRunId, currentStatus, isDemoModel } from "./active-run.ts";
import { heardOf, milestone } from "./milestones.ts";

const fold = (events: readonly RunEvent[]): SessionView => ({
  ...foldSession(emptyView("s1"), events),
  caughtUp: true,
});
const TALK = talk("s1", "r1", ["a", "b"]);

/** Everything a listener hears while the events arrive one by one. */
function heard(events: readonly RunEvent[], caughtUp = true): string[] {
  let view: SessionView = { ...emptyView("s1"), caughtUp };
  return events.flatMap((event) => {
    const before = heardOf(view);
    view = foldSession(view, [event]);
    return milestone(before, view) ?? [];
  });
}

test("[UX] a screen reader hears milestones, never tokens and never history", () => {
  assert.deepEqual(heard(TALK), ["The run has started.", "The run is done."]);
  assert.deepEqual(heard(TALK, false), []);
});

test("[UX] a subagent's question is the run's: it needs someone, though the run itself goes on", () => {
  const usual = { attachments: [], mode: "start" };
  const events = journalOf("s1", [
    { type: "message.user", run_id: "r1", payload: { message_id: "u", text: "hi", ...usual } },
    {
      type: "run.queued",
      run_id: "r1",
      payload: { model: "demo/x", parent_run_id: null, depth: 0 },
    },
    { type: "run.started", run_id: "r1", payload: { runner_id: "w", model: "demo/x" } },
    { type: "message.user", run_id: "r1.c", payload: { message_id: "v", text: "go", ...usual } },
    {
      type: "run.queued",
      run_id: "r1.c",
      payload: { model: "demo/x", parent_run_id: "r1", depth: 1 },
    },
    { type: "run.started", run_id: "r1.c", payload: { runner_id: "w", model: "demo/x" } },
    {
      type: "approval.requested",
      run_id: "r1.c",
      payload: { approval_id: "a1", call_id: "c1", title: "", prompt: "ls", choices: ["once"] },
    },
  ]);
  const view = fold(events);
  assert.equal(activeRunId(view), "r1");
  assert.equal(view.runs["r1"]?.status, "running");
  assert.equal(currentStatus(view), "awaiting_approval");
  assert.deepEqual(heard(events), ["The run has started.", "Approval needed."]);
});

test("[UX] with nothing going on, the newest run is the current one", () => {
  const view = fold(TALK);
  assert.deepEqual([activeRunId(view), currentRunId(view)], [null, "r1"]);
  assert.equal(currentRunId(emptyView("s1")), null);
});

test("[S] only runs of the scripted model are demo runs", () => {
  assert.deepEqual(["demo", "demo/tour", "demolition/x", "openai/demo", ""].map(isDemoModel), [
    true,
    true,
    false,
    false,
    false,
  ]);
});
