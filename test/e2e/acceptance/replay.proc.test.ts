// The acceptance catalogue of the run contract, first part: what a page has after a refresh, a lost
// connection, or a restart of the server it talks to. Real processes, real kills.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { call, type Server } from "../../support/http.ts";
import { openPair, type Pair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { countTo } from "../../support/runs.ts";
import { until } from "../../support/until.ts";
import * as page from "../../support/windows/webui.ts";

const statusOf = async (program: Server, id: string) =>
  (await page.ask(program, "GET", `/api/chat/stream/status?stream_id=${id}`)).body;
const journalOf = (status: page.Fields) => status["journal"] as page.Fields;

async function killServe(program: Pair): Promise<void> {
  await program.kill("serve");
  await until(() => program.status().catch(() => undefined), "the server to be back");
}

test("Journal replay after refresh/reconnect: from a cursor nothing is shown twice and nothing is missing [W1, W3]", async () => {
  using place = newTestHome();
  writeFileSync(join(place.workspace, "a.txt"), "three masts\n");
  await using program = await openPair(place, { apart: ["serve"] });
  const script = "pace 3\nthink Let me look.\nread a.txt\ncount 80\nsay Done.";
  const { stream_id, session_id } = await page.startChat(program, "s1", script);

  const before = await page.watchChat(program, stream_id, {
    until: ({ event }) => event === "tool_complete",
  });
  const after = before.emitted.at(-1)?.id;
  await killServe(program);
  const rest = await page.watchChat(program, stream_id, { after });

  const whole = await page.watchChat(program, stream_id);
  assert.deepEqual([...before.emitted, ...rest.emitted], whole.emitted);
  assert.equal(new Set(whole.emitted.map(({ id }) => id)).size, whole.emitted.length);
  assert.equal(page.eventsNamed(whole.emitted, "tool").length, 1);
  assert.equal(page.eventsNamed(whole.emitted, "tool_complete").length, 1);
  const thoughts = page.eventsNamed(whole.emitted, "reasoning").map(({ text }) => text);
  assert.equal(thoughts.join("").trim(), "Let me look.");
  assert.match(page.textOf(whole.emitted), new RegExp(`${countTo(80)}\\s*Done\\.`));
  const shown = page.messagesIn(whole.emitted);
  assert.equal(shown.filter((line) => line.startsWith("user: ")).length, 1);
  assert.match(shown.at(-1) ?? "", /^assistant: 1 2 3 .* 80\s+Done\.$/s);
  const detail = await call<{ session: { active_run_id: string | null } }>(
    program,
    "GET",
    `/api/sessions/${session_id}`,
  );
  assert.equal(detail.body.data.session.active_run_id, null);
});

test("Terminal replay: completed, failed and cancelled runs end the same way however often they are read [W1, E7]", async () => {
  using place = newTestHome({ model_attempts: 1 });
  await using program = await openPair(place);
  const endings = [
    ["say Fine.", "done", "completed"],
    ["fail It broke.", "apperror", "errored"],
    ["pace 20\ncount 5000", "cancel", "interrupted-by-user"],
  ] as const;
  for (const [index, [script, event, state]] of endings.entries()) {
    const { stream_id } = await page.startChat(program, `s${index}`, script);
    if (event === "cancel") {
      await page.watchChat(program, stream_id, { until: ({ event: name }) => name === "token" });
      await page.ask(program, "POST", `/api/chat/cancel?stream_id=${stream_id}`);
    }
    const live = await page.followChat(() => program, stream_id);
    const again = await page.watchChat(program, stream_id);
    assert.deepEqual(again.emitted, live, script);
    assert.ok(again.ended, "a spinner would go on");
    assert.deepEqual(
      live.slice(-2).map(({ event: name }) => name),
      [event, "stream_end"],
    );
    assert.equal(live.at(-2)?.data["terminal_state"], state);
    const ends = ["done", "cancel", "apperror", "stream_end"];
    assert.equal(live.filter(({ event: name }) => ends.includes(name)).length, 2);
    const status = await statusOf(program, stream_id);
    assert.equal(status["active"], false);
    assert.deepEqual(
      [journalOf(status)["terminal"], journalOf(status)["terminal_state"]],
      [true, state],
    );
    assert.equal(journalOf(status)["last_event_id"], live.at(-1)?.id);
    const words = page.messagesIn(live).filter((line) => line.startsWith("user: "));
    assert.equal(words.length, 1, "the exchange is there once");
  }
});

test("Interrupted/stale run diagnostics: a run nobody goes on with says so, after what it had shown [R5, W4]", async () => {
  using place = newTestHome({ resume: "never" });
  await using program = await openPair(place, { apart: ["serve", "work"] });
  const { stream_id } = await page.startChat(program, "s1", "pace 5\ncount 2000");
  const before = await page.watchChat(program, stream_id, { take: 12 });
  await program.kill("work");

  const emitted = await page.followChat(() => program, stream_id);
  assert.deepEqual(emitted.slice(0, before.emitted.length), before.emitted, "what was shown stays");
  const end = emitted.at(-2);
  assert.equal(end?.event, "apperror");
  assert.equal(end?.data["type"], "interrupted");
  assert.equal(end?.data["recovery_control"], true);
  assert.equal(end?.data["terminal_state"], "interrupted-by-crash");
  assert.match(String(end?.data["message"]), /runner was lost/);
  assert.match(String(end?.data["hint"]), /Start a new turn/);
  await killServe(program);
  const status = await statusOf(program, stream_id);
  assert.equal(status["active"], false, "nothing pretends to go on");
  assert.equal(journalOf(status)["terminal_state"], "interrupted-by-crash");
  assert.deepEqual((await page.watchChat(program, stream_id)).emitted, emitted);
});

test("Execution survives WebUI restart: the run goes on without its server, is found again, caught up with and stopped [V5, C4]", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["serve"] });
  const { stream_id, session_id } = await page.startChat(program, "s1", "pace 10\ncount 5000");
  const before = await page.watchChat(program, stream_id, { take: 15 });
  const [runner] = (await program.status()).runners;
  await killServe(program);

  const detail = await call<{ session: { active_run_id: string } }>(
    program,
    "GET",
    `/api/sessions/${session_id}`,
  );
  assert.equal(detail.body.data.session.active_run_id, stream_id, "found from the journal alone");
  const status = await statusOf(program, stream_id);
  assert.equal(status["active"], true);
  const journal = journalOf(status);
  assert.ok(
    Number(journal["last_seq"]) > (before.emitted.at(-1)?.seq ?? 0),
    "it went on meanwhile",
  );
  const rest = page.watchChat(program, stream_id, { after: before.emitted.at(-1)?.id });
  const stopped = await page.ask(program, "POST", "/api/chat/cancel", { stream_id });
  assert.deepEqual(stopped.body, { ok: true, cancelled: true, stream_id });
  const emitted = [...before.emitted, ...(await rest).emitted];
  assert.deepEqual(emitted, (await page.watchChat(program, stream_id)).emitted);
  assert.equal(emitted.at(-2)?.event, "cancel");
  assert.ok(!emitted.some(({ data }) => data["type"] === "recovery"), "its runner noticed nothing");
  assert.equal((await program.status()).runners[0]?.pid, runner?.pid);
  assert.match(page.textOf(emitted), /^1 2 3 4 5 /);
  assert.match(page.messagesIn(emitted)[1] ?? "", /^assistant: 1 2 3 4 5 /, "what it said is kept");
});
