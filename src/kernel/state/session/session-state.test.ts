// What a session list and an inbox show, by example.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { sealAll, sessionCreated, type AnyDraft } from "../../../../test/support/events.ts";
import {
  applySessionEvent,
  emptySession,
  fromSessionSnapshot,
  toSessionSnapshot,
  type SessionSnapshot,
} from "./session-state.ts";
import { toArray } from "../vector.ts";

const own = (draft: AnyDraft) => ({ logId: "s1", draft });
const of = (logId: string, ...drafts: AnyDraft[]) => drafts.map((draft) => ({ logId, draft }));
const fold = (entries: Parameters<typeof sealAll>[0]) =>
  toSessionSnapshot(sealAll(entries).reduce(applySessionEvent, emptySession("s1")));
const first = [own(sessionCreated), ...of("r1", d.userMessage("one"), d.queued, d.started())];

test("[F1] a session shows its runs, each with its own status and head", () => {
  const session = fold([
    ...first,
    ...of("r2", d.userMessage("two", "queue"), d.queued),
    own({
      type: "queue.updated",
      payload: { items: [{ run_id: "r2", message_id: "m", text: "two" }] },
    }),
    ...of("r1", d.said("m1", "ok"), d.used(1, 5), d.done(6)),
  ]);

  assert.deepEqual(
    session.runs.map(({ runId, status, prompt, seq }) => ({ runId, status, prompt, seq })),
    [
      { runId: "r1", status: "completed", prompt: "one", seq: 6 },
      { runId: "r2", status: "queued", prompt: "two", seq: 2 },
    ],
  );
  assert.deepEqual(session.queue, [{ runId: "r2", messageId: "m", text: "two" }]);
  assert.deepEqual(session.open, { r2: 1 });
  assert.deepEqual([session.messages, session.tokens, session.seq], [3, 5, 10]);
});

test("[F1] a queued run leaves the queue when it starts", () => {
  const items = [{ run_id: "r1", message_id: "m", text: "one" }];
  const waiting = own({ type: "queue.updated", payload: { items } });
  assert.deepEqual(fold([...first, waiting]).queue, [{ runId: "r1", messageId: "m", text: "one" }]);
  assert.deepEqual(fold([...first, waiting, ...of("r1", d.started())]).queue, []);
});

test("[F3] a run that has ended does not change its status any more", () => {
  const session = fold([...first, ...of("r1", d.done(4), d.status("running"))]);
  assert.equal(session.runs[0]?.status, "completed");
});

test("[F1] the inbox holds what waits, and forgets it with the answer or the end", () => {
  const asked = of("r1", d.approvalAsked("c1"), d.clarifyAsked("cl", null), d.outcomeUnknown("c2"));
  assert.deepEqual(Object.keys(fold([...first, ...asked]).pending), ["ap_c1", "cl", "un_c2"]);

  const answered = [...first, ...asked, ...of("r1", d.approvalGiven("c1", "once"))];
  assert.deepEqual(Object.keys(fold(answered).pending), ["cl", "un_c2"]);
  assert.deepEqual(fold([...answered, ...of("r1", d.done(9))]).pending, {});
});

test("[F1] title, model and goal are the last ones set", () => {
  const goal = (status: "active" | "cleared", text: string | null): AnyDraft => ({
    type: "goal.updated",
    payload: { action: status === "active" ? "set" : "clear", status, text },
  });
  const changed = [
    ...first,
    own({ type: "title.updated", payload: { title: "New", source: "user" } }),
    own({ type: "session.updated", payload: { model: "a/b" } }),
    own(goal("active", "ship")),
  ];
  const session = fold(changed);
  assert.deepEqual([session.title, session.model, session.workspace], ["New", "a/b", "/w"]);
  assert.deepEqual(session.goal, { text: "ship", status: "active" });
  assert.equal(fold([...changed, own(goal("cleared", null))]).goal, null);
});

test("[F4] a hole in the session's numbers is an error", () => {
  const [a, , c] = sealAll(first);
  assert.ok(a && c);
  const state = applySessionEvent(emptySession("s1"), a);
  assert.throws(() => applySessionEvent(state, c), /gap in session s1 after 1/);
});

test("[E8] unknown types advance the session's cursor and nothing else", () => {
  const before = fold(first);
  const after = fold([...first, own({ type: "sun.spots", payload: {} })]);
  assert.deepEqual(after, { ...before, seq: 5, updatedAt: after.updatedAt });
});

test("[F1] a snapshot of another reducer is not used", () => {
  const snapshot: SessionSnapshot = { ...fold(first), reducer: 0 };
  assert.equal(fromSessionSnapshot(snapshot), undefined);
});

test("[C14, F1] a session is deleted and brought back", () => {
  const change = (payload: object) => own({ type: "session.updated", payload: { ...payload } });
  assert.equal(fold(first).deleted, false);
  const gone = [...first, change({ deleted: true })];
  assert.equal(fold(gone).deleted, true);
  assert.equal(fold([...gone, change({ yolo: true })]).deleted, true);
  assert.equal(fold([...gone, change({ deleted: false })]).deleted, false);
});

test("[C8a, F1] waiting runs that were moved are listed as they will run", () => {
  const queue = (...ids: string[]) => ({
    type: "queue.updated" as const,
    payload: { items: ids.map((run_id) => ({ run_id, message_id: `m_${run_id}`, text: run_id })) },
  });
  const ids = ["r1", "r2", "r3", "r4"];
  const events = sealAll([
    own(sessionCreated),
    ...ids.flatMap((id) => of(id, d.userMessage(id))),
    own(queue("r4", "r2", "r3")),
    ...of("r4", d.started()),
  ]);
  const state = events.reduce(applySessionEvent, emptySession("s1"));
  assert.deepEqual(
    toArray(state.runs).map(({ runId }) => runId),
    ["r1", "r4", "r2", "r3"],
  );
  assert.equal(toArray(state.runs)[1]?.status, "running", "and found where they are now");
});
