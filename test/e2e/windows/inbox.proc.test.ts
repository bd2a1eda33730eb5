// What needs a person, over HTTP: across sessions, through kills, with who answered; and what a damaged
// journal leaves out.
import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  InboxView,
  RequestView,
  SessionRecord,
} from "../../../src/kernel/api/records/records.ts";
import { followRun } from "../../support/follow.ts";
import { call, startRun, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome, quarterdeck } from "../../support/program.ts";
import { rawSql } from "../../support/journal/raw-journal.ts";
import { until } from "../../support/until.ts";

const inboxOf = async (server: Server) =>
  (await call<InboxView>(server, "GET", "/api/inbox")).body.data;
const requestOf = (server: Server, id: string) =>
  call<RequestView>(server, "GET", `/api/requests/${id}`);
const sessionOf = async (server: Server, id: string) =>
  (await call<{ session: SessionRecord }>(server, "GET", `/api/sessions/${id}`)).body.data.session;

async function asked(server: Server, sessionId: string) {
  return until(
    async () => (await inboxOf(server)).requests.find(({ session_id }) => session_id === sessionId),
    "a request",
  );
}

test("[X8] what waits is in the inbox through a kill of everything, and says afterwards who answered", async () => {
  using place = newTestHome();
  const first = await openPair(place, { apart: ["serve", "work"] });
  const script = "say I look around first.\nexec echo by link";
  await startRun(first, script, { session_id: "s1" });
  const before = await asked(first, "s1");
  assert.equal(before.prompt, "echo by link");
  await first.killAll();

  await using program = await openPair(place);
  const { request_id: id, ...rest } = await asked(program, "s1");
  assert.deepEqual({ request_id: id, ...rest }, before);
  const pending = (await requestOf(program, id)).body.data;
  assert.deepEqual(
    [pending.status, pending.answer, pending.risk, pending.last_text?.trim()],
    ["pending", null, "execute", "I look around first."],
  );
  assert.deepEqual(pending.plan?.arguments, { command: "echo by link" });
  assert.deepEqual((await sessionOf(program, "s1")).activity?.text, "waiting for you");

  const answers = await Promise.all(
    ["once", "deny"].map((choice) =>
      call<{ status: string }>(program, "POST", `/api/runs/${rest.run_id}/approvals/${id}`, {
        choice,
      }),
    ),
  );
  const statuses = answers.map(({ body }) => body.data.status).toSorted();
  assert.deepEqual(statuses, ["accepted", "conflict"]);
  await followRun(() => program, rest.run_id);
  const after = (await requestOf(program, id)).body.data;
  assert.equal(after.answer?.by, "person");
  assert.ok((after.answer?.at ?? 0) >= before.created_at);
  assert.equal(after.status, after.answer?.choice === "deny" ? "denied" : "approved");
  assert.deepEqual(await inboxOf(program), { requests: [], troubles: [], truncated: false });
  assert.equal((await sessionOf(program, "s1")).activity, null);
});

test("[H1] a request nobody made is a 404 that says so, and no id is a 5xx", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const missing = await requestOf(program, "ap_nobody");
  assert.equal(missing.status, 404);
  assert.equal(missing.body.error.code, "request_not_found");
  assert.match(missing.body.error.message, /no request ap_nobody/);
  for (const id of ["%00", "a%2Fb", "..", "x".repeat(299), "%F0%9F%92%A9"]) {
    const { status } = await requestOf(program, id);
    assert.ok(status === 400 || status === 404, `${id}: ${status}`);
  }
});

test("[J12c, C19a] what failed is in the inbox until it is dismissed, and doctor --rebuild agrees", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["serve", "work"] });
  const { run_id } = await startRun(program, "fail out of coal", { session_id: "s1" });
  await followRun(() => program, run_id);
  const [trouble] = (await inboxOf(program)).troubles;
  assert.deepEqual(
    [trouble?.run_id, trouble?.status, trouble?.message, trouble?.prompt],
    [run_id, "failed", "out of coal", "fail out of coal"],
  );
  const settings = (body: object) =>
    call<{ status: string }>(program, "POST", "/api/sessions/s1/settings", body);
  await settings({ pinned: true });
  const dismissed = await settings({ dismissed_run_id: run_id });
  assert.equal(dismissed.body.data.status, "accepted");
  assert.equal((await settings({ dismissed_run_id: run_id })).body.data.status, "duplicate");
  const wrong = await settings({ dismissed_run_id: "run_other" });
  assert.equal(wrong.body.data.status, "conflict");
  assert.deepEqual((await inboxOf(program)).troubles, []);
  const before = await sessionOf(program, "s1");
  await program.killAll();
  await quarterdeck(["doctor", "--rebuild", "--home", place.home]);
  await using again = await openPair(place);
  assert.deepEqual(await sessionOf(again, "s1"), before);
  assert.deepEqual((await inboxOf(again)).troubles, []);
});

test("[D7] a quarantined session's requests are left out, and the others stay", async () => {
  using place = newTestHome();
  const first = await openPair(place, { apart: ["serve", "work"] });
  for (const session_id of ["s1", "s2"]) {
    await startRun(first, "exec echo hello", { session_id });
    await asked(first, session_id);
  }
  await first.killAll();
  const flip = `UPDATE events SET body = replace(body, 'exec echo hello', 'exec echo HELLO')
    WHERE body LIKE '%"session_id":"s1"%' AND body LIKE '%message.user%' RETURNING seq`;
  assert.equal((await rawSql(place, flip)).length, 1);
  await quarterdeck(["doctor", "--home", place.home]);
  await using program = await openPair(place);
  const { requests } = await inboxOf(program);
  assert.deepEqual(
    requests.map(({ session_id }) => session_id),
    ["s2"],
  );
});
