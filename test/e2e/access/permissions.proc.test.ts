// Who may do what, through the whole program: rules, scopes, edits, expiry, yolo; each across restarts.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, startRun, type Server } from "../../support/http.ts";
import { writeProfile } from "../../support/profiles.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { eventsOf, runInfo, textOf } from "../../support/runs.ts";
import { messagesIn, startAgent } from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";

const MODEL = "scripted/agent";
type Outcome = { status: string };
type Pending = { request_id: string; choices: string[]; always: object | null; prompt: string };

async function pendingOf(server: Server, runId: string): Promise<Pending> {
  return until(async () => {
    const path = `/api/runs/${runId}`;
    return (await call<{ pending: Pending[] }>(server, "GET", path)).body.data.pending[0];
  }, "a request");
}

async function answer(server: Server, runId: string, body: object) {
  const { request_id } = await pendingOf(server, runId);
  const path = `/api/runs/${runId}/approvals/${request_id}`;
  const { status, body: reply } = await call<Outcome>(server, "POST", path, body);
  return { code: status, status: reply.data?.status, error: reply.error };
}

const exec = (command: string) => `pace 0\nexec ${command}\nsay after`;
const askedIn = async (server: Server, runId: string) =>
  eventsOf((await followRun(() => server, runId)).events, "approval.requested").length;

test("[P1, P2] a profile's rules hold for the parsed command: allowed, denied, asked", async () => {
  using place = newTestHome();
  writeProfile(place, "careful", {
    settings: {
      permissions: [
        { effect: "allow", tool: "exec", argv: ["echo"] },
        { effect: "deny", tool: "exec", argv: ["rm"] },
        { effect: "deny", tool: "write", path: "secret/**" },
      ],
    },
  });
  await using program = await openPair(place);
  const start = (message: string) => startRun(program, message, { profile: "careful" });

  const allowed = await start(exec("echo hello && echo world"));
  assert.equal(await askedIn(program, allowed.run_id), 0);

  const denied = await start(exec("echo hello; rm -rf ."));
  const { events } = await followRun(() => program, denied.run_id);
  assert.equal(eventsOf(events, "tool.done")[0]?.payload.status, "denied");
  assert.equal(eventsOf(events, "tool.started").length, 0);

  const file = await start("pace 0\nwrite secret/x text\nsay after");
  const written = await followRun(() => program, file.run_id);
  assert.equal(eventsOf(written.events, "tool.done")[0]?.payload.status, "denied");

  const hidden = await start(exec("echo $(rm -rf .)"));
  await until(
    async () => eventsOf((await followRun(() => program, hidden.run_id)).events, "tool.done")[0],
    "its end",
  );
});

test("[P3] always is for every session of the profile and survives a restart; session is for one", async () => {
  using place = newTestHome();
  const command = exec("echo hello");
  {
    await using program = await openPair(place, { apart: ["serve", "work"] });
    const first = await startRun(program, command);
    const { choices, always } = await pendingOf(program, first.run_id);
    assert.deepEqual(choices, ["once", "session", "always", "deny"]);
    assert.deepEqual(always, { effect: "allow", tool: "exec", command: "echo hello" });
    await answer(program, first.run_id, { choice: "session" });
    await followRun(() => program, first.run_id);
    const again = await startRun(program, command, { session_id: first.session_id });
    assert.equal(await askedIn(program, again.run_id), 0, "allowed for the session");
    const other = await startRun(program, command);
    await answer(program, other.run_id, { choice: "always" });
    await followRun(() => program, other.run_id);
    await program.killAll();
  }
  await using program = await openPair(place);
  const later = await startRun(program, command);
  assert.equal(await askedIn(program, later.run_id), 0, "allowed for ever");
  const longer = await startRun(program, exec("echo hello; echo bye"));
  await answer(program, longer.run_id, { choice: "deny" });
  await followRun(() => program, longer.run_id);

  const shell = await startRun(program, exec("sh -lc true"));
  const offered = await pendingOf(program, shell.run_id);
  assert.ok(!offered.choices.includes("always"), "never for what cannot be told");
  const forced = await answer(program, shell.run_id, { choice: "always" });
  assert.equal(forced.code, 400);
  await answer(program, shell.run_id, { choice: "deny" });
});

test("[P4] edited arguments run instead, once, bound to their own plan; deny with feedback reaches the model", async () => {
  await using model = await startAgent([
    { calls: [{ name: "exec", args: { command: "echo wrong > out" } }] },
    { calls: [{ name: "exec", args: { command: "echo no > out" } }] },
    { calls: [{ name: "exec", args: { command: "echo odd > out" } }] },
    { say: "Understood." },
  ]);
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  const { run_id } = await startRun(program, "go", { model: MODEL });

  const bad = await answer(program, run_id, { choice: "session", arguments: { command: "x" } });
  assert.equal(bad.code, 400, "an edit is for once");
  await answer(program, run_id, { choice: "once", arguments: { command: "echo right > out" } });
  await until(() => textOf(join(place.workspace, "out")) === "right\n", "the edited command");
  await until(
    async () => (await runInfo(program, run_id)).pending_approval_id,
    "the second request",
  );
  const second = await pendingOf(program, run_id);
  await answer(program, run_id, { choice: "deny", feedback: "use printf" });
  await until(async () => {
    const now = (await runInfo(program, run_id)).pending_approval_id;
    return now !== null && now !== second.request_id;
  }, "the third request");
  await answer(program, run_id, { choice: "once", arguments: { command: "true", cwd: 5 } });
  const { events } = await followRun(() => program, run_id);

  assert.equal(eventsOf(events, "tool.replanned").length, 2);
  const misfit = eventsOf(events, "tool.done")[2]?.payload.error;
  assert.equal(misfit?.code, "not_as_approved", "an edit that does not fit the tool does not run");
  const last = JSON.stringify(messagesIn(model.requests.at(-1) as never));
  assert.match(last, /A person changed the arguments first/);
  assert.match(last, /use printf/);
  assert.equal(textOf(join(place.workspace, "out")), "right\n");
});

test("[P5, X8] an approval expires only where configured, across a kill, and expiring denies", async () => {
  using place = newTestHome();
  writeProfile(place, "hasty", { settings: { approval_expires_s: 1.5 } });
  await using program = await openPair(place, { apart: ["work"] });
  const { run_id } = await startRun(program, exec("echo ran > out"), { profile: "hasty" });
  await pendingOf(program, run_id);
  await program.kill("work");
  const { events } = await followRun(() => program, run_id);
  assert.equal(eventsOf(events, "approval.resolved")[0]?.payload.status, "expired");
  assert.equal(eventsOf(events, "tool.done")[0]?.payload.status, "denied");
  assert.equal(textOf(join(place.workspace, "out")), "");
});

test("[P6, C14] yolo asks nobody in that session, is shown there, and never lifts a deny", async () => {
  using place = newTestHome();
  writeProfile(place, "default", {
    settings: { permissions: [{ effect: "deny", tool: "exec", argv: ["rm"] }] },
  });
  await using program = await openPair(place);
  await call(program, "POST", "/api/sessions", { session_id: "bold" });
  const settings = "/api/sessions/bold/settings";
  const on = await call<Outcome>(program, "POST", settings, { yolo: true });
  const twice = await call<Outcome>(program, "POST", settings, { yolo: true });
  assert.deepEqual([on.body.data.status, twice.body.data.status], ["accepted", "duplicate"]);

  const ran = await startRun(program, exec("echo hi | head -1"), { session_id: "bold" });
  assert.equal(await askedIn(program, ran.run_id), 0);
  const denied = await startRun(program, exec("rm -rf x"), { session_id: "bold" });
  const { events } = await followRun(() => program, denied.run_id);
  assert.equal(eventsOf(events, "tool.done")[0]?.payload.status, "denied");
  const shown = await call<{ session: { yolo: boolean } }>(program, "GET", "/api/sessions/bold");
  assert.equal(shown.body.data.session.yolo, true);
  const elsewhere = await startRun(program, exec("echo hi"));
  await answer(program, elsewhere.run_id, { choice: "deny" });
});

test("[P1] outside the workspace is asked about, and then works for exactly that", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const outside = join(place.workspace, "..", "outside.txt");
  const { run_id } = await startRun(program, `pace 0\nwrite ${outside} hello\nsay after`);
  await answer(program, run_id, { choice: "once" });
  const { events } = await followRun(() => program, run_id);
  assert.equal(
    eventsOf(events, "tool.done")[0]?.payload.ok,
    true,
    JSON.stringify(eventsOf(events, "tool.done")[0]?.payload.error),
  );
  assert.equal(textOf(outside), "hello");

  const home = await startRun(
    program,
    `pace 0\nread ${join(place.home, "config.json")}\nsay after`,
  );
  await answer(program, home.run_id, { choice: "once" });
  const refused = await followRun(() => program, home.run_id);
  assert.equal(
    eventsOf(refused.events, "tool.done")[0]?.payload.ok,
    false,
    "Quarterdeck's home never",
  );
});
