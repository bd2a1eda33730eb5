// Events that no recording has: a run that expired, and one event of every type that nothing has recorded yet, made from
// its schema. With the recordings there is one of every type (recordings.test.ts).
import { EVENT_TYPES, type Draft } from "../../../src/kernel/events/events.ts";
import { NO_USAGE } from "../../../src/kernel/state/run/state.ts";
import { sealAll } from "../events.ts";
import * as d from "../drafts.ts";
import { draftOf } from "./event-arbitraries.ts";
import { readRecordings, type AnyEvent } from "./session-recordings.ts";

const SESSION = "sess_sample";
const RUN = `run_${"5a".repeat(16)}`;

const created: Draft = {
  type: "session.created",
  payload: {
    title: "Samples",
    source: "test",
    workspace: "/w",
    model: "demo/demo",
    profile: "default",
    parent_session_id: null,
  },
};
/** An approval and a question nobody answered in time. */
const UNANSWERED: readonly Draft[] = [
  d.userMessage("wait for me"),
  d.queued,
  d.started(),
  d.turnStarted(1),
  { type: "received", payload: { subtype: "turn_ack", reference: "m_start" } },
  {
    type: "process.asked",
    payload: { process_id: "p_gone", action: "input", text: "y\n", close: false },
  },
  d.said("m1.1", "I ask."),
  d.intent("t1.1.c0"),
  d.approvalAsked("t1.1.c0", 1_010),
  d.status("awaiting_approval"),
  {
    type: "approval.resolved",
    payload: {
      approval_id: "ap_t1.1.c0",
      call_id: "t1.1.c0",
      choice: null,
      status: "expired",
      feedback: null,
      by: "clock",
    },
  },
  d.toolDone("t1.1.c0", "denied"),
  d.clarifyAsked("cl_free", null),
  {
    type: "clarify.resolved",
    payload: {
      clarify_id: "cl_free",
      call_id: null,
      response: null,
      status: "expired",
      by: "clock",
    },
  },
  d.status("paused", "disk_full"),
  d.failed("recovery_expired"),
  {
    type: "usage.final",
    payload: { ...NO_USAGE, provider: "demo", model: "demo", duration_ms: 1 },
  },
];

const written = new Set<string>([
  ...readRecordings().flatMap(({ events }) => events.map(({ type }) => type)),
  ...UNANSWERED.map(({ type }) => type),
]);
const generated = EVENT_TYPES.filter((type) => !written.has(type)).map(draftOf);
const run = [...UNANSWERED, ...generated];

export const SAMPLES: readonly AnyEvent[] = sealAll(
  [
    { logId: SESSION, draft: created },
    ...[...run, d.done(run.length + 1, "expired")].map((draft) => ({ logId: RUN, draft })),
    { logId: SESSION, draft: { type: "session.updated", payload: { deleted: true } } },
  ],
  SESSION,
);
