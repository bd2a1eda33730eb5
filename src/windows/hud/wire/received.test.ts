// What people and the program did to a session, as the HUD tells it.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { sealAll, sessionCreated, type AnyDraft } from "../../../../test/support/events.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";
import { RECEIVED_SUBTYPES, type HudEvent } from "./events.ts";
import { hudDialect } from "./hud.ts";

function emit(events: readonly RunEvent[]): HudEvent[] {
  const nodes = hudDialect.begin();
  return events.flatMap((event) => encode(hudDialect, event, nodes, { replay: false }));
}
const BEGIN = [d.userMessage("hi"), d.queued, d.started()];

test("[W4] every control of the document has its subtype, and everything else a label", () => {
  const session: AnyDraft[] = [
    sessionCreated,
    { type: "session.updated", payload: { profile: "titan", model: "x/y", yolo: true } },
    { type: "session.rewound", payload: { run_ids: ["r0"], reason: "undo" } },
    { type: "title.updated", payload: { title: "T", source: "user" } },
    { type: "queue.updated", payload: { items: [{ run_id: "r2", message_id: "m", text: "l" }] } },
    { type: "goal.updated", payload: { action: "set", status: "active", text: "ship" } },
    { type: "received", payload: { subtype: "steer", reference: "m1" } },
    { type: "moon.phase", payload: { phase: "full" } },
  ];
  const run: AnyDraft[] = [
    ...BEGIN,
    d.userMessage("more", "steer"),
    d.edited("m_steer", null),
    d.goalDecided("continue"),
    d.compacted("s", null),
    { type: "progress", payload: { phase: "retry", message: "again in 2 s", call_id: null } },
    { type: "process.started", payload: { process_id: "p1", call_id: "c1", command: "sleep 9" } },
    { type: "process.exited", payload: { process_id: "p1", exit_code: 0, signal: null } },
    { type: "process.exited", payload: { process_id: "p2", exit_code: null, signal: "SIGKILL" } },
    { type: "plan.escalated", payload: { plan_id: "pl", reason: "stuck" } },
    d.recovery(1),
    d.status("paused", "disk_full"),
    d.status("running"),
    d.status("cancelling", "asked to stop"),
    d.failed("boom"),
    d.done(18, "cancelled"),
  ];
  const frames = emit(
    sealAll([
      ...session.map((draft) => ({ logId: "s1", draft })),
      ...run.map((draft) => ({ logId: "r1", draft })),
    ]),
  );
  const received = frames.filter((frame) => frame.event === "received");
  const by = (subtype: string) => received.filter((frame) => frame.subtype === subtype);
  const payloads = (subtype: string) => by(subtype).map(({ payload }) => payload);
  assert.deepEqual(
    RECEIVED_SUBTYPES.filter((subtype) => by(subtype).length === 0),
    ["reconnect"], // of a connection, not of the journal
  );
  assert.ok(received.every(({ label }) => label.trim() !== ""));
  assert.deepEqual(payloads("agent_switch"), [
    { from: "default", to: "titan", of: "agent" },
    { from: "demo/demo", to: "x/y", of: "model" },
  ]);
  assert.equal(by("agent_switch")[0]?.label, "switch → titan");
  assert.deepEqual(payloads("settings"), [{ yolo: true }]);
  assert.deepEqual(payloads("stop"), [
    { state: "AGENT_RUNNING", reason: "asked to stop", run_id: "r1" },
  ]);
  assert.deepEqual(
    payloads("message").map((payload) => [payload?.["preview"], payload?.["mode"]]),
    [
      ["hi", "start"],
      ["more", "steer"],
    ],
  );
  assert.deepEqual(payloads("kill"), [{ process_id: "p2", exit_code: null, signal: "SIGKILL" }]);
  assert.deepEqual(
    payloads("handover").map((payload) => [payload?.["from"], payload?.["to"]]),
    [
      ["agent", "person"],
      ["runner_1", "runner_2"],
    ],
  );
  assert.deepEqual(payloads("event"), [{ type: "moon.phase", payload: { phase: "full" } }]);
  assert.deepEqual(
    payloads("status").map((payload) => payload?.["status"]),
    ["paused", "running"],
  );
  const more = ["rewind", "title", "queue", "goal", "steer", "message_edited", "compaction"];
  for (const subtype of [...more, "progress", "process", "error"]) {
    assert.ok(by(subtype).length > 0, subtype);
  }
});

test("[W4] only the beginning of a message leaves the session's transcript", () => {
  const secretive = `hello ${"secret ".repeat(50)}`;
  const [frame] = emit(sealAll([{ logId: "r1", draft: d.userMessage(secretive) }]));
  assert.ok(frame?.event === "received");
  assert.ok(String(frame.payload?.["preview"]).length <= 80);
  assert.ok(JSON.stringify(frame).length < 400);
});
