// The acceptance catalogue of the run contract, second part: stopping, approving, answering, queueing and
// goals through the browser's routes. Real processes, scripted models.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { call, type Server } from "../../support/http.ts";
import { hang, reasoningChunk, startModelServer } from "../../support/models/model-server.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { processesWith, textOf } from "../../support/runs.ts";
import { startAgent } from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";
import * as page from "../../support/windows/webui.ts";

const MODEL = "scripted/agent";

async function pendingIn(server: Server, kind: "approval" | "clarify", sessionId: string) {
  const path = `/api/${kind}/pending?session_id=${sessionId}`;
  return until(
    async () => (await page.ask(server, "GET", path)).body["pending"] as page.Fields | null,
    `a pending ${kind}`,
  );
}

async function respond(server: Server, session_id: string, choice: string) {
  const { approval_id } = await pendingIn(server, "approval", session_id);
  const body = { session_id, choice, approval_id };
  return page.ask(server, "POST", "/api/approval/respond", body);
}

test("Cancel during tool call: one cancelled end, the command is gone, and nothing is written behind it [X7, C4]", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const nap = `sleep 61.${process.pid}`;
  const script = `pace 0\nexec ${nap}; echo late > late\nsay after`;
  const { stream_id } = await page.startChat(program, "s1", script);
  await respond(program, "s1", "once");
  await until(() => processesWith(nap).length > 0, "the command");

  const path = `/api/chat/cancel?stream_id=${stream_id}`;
  const answers = await Promise.all([
    page.ask(program, "POST", path),
    page.ask(program, "GET", path),
    page.ask(program, "POST", path),
  ]);
  for (const { status, body } of answers) {
    assert.deepEqual([status, body], [200, { ok: true, cancelled: true, stream_id }]);
  }
  const emitted = await page.followChat(() => program, stream_id);
  assert.deepEqual(
    emitted.slice(-2).map(({ event }) => event),
    ["cancel", "stream_end"],
  );
  assert.equal(page.eventsNamed(emitted, "cancel").length, 1);
  const [call_] = page.eventsNamed(emitted, "tool_complete");
  assert.deepEqual([call_?.["status"], call_?.["is_error"]], ["cancelled", true]);
  await until(() => processesWith(nap).length === 0, "the command to be gone");
  assert.equal(textOf(join(place.workspace, "late")), "");
  const late = await page.ask(program, "POST", path);
  assert.deepEqual(late.body, { ok: true, cancelled: false, stream_id });
  assert.deepEqual(
    (await page.watchChat(program, stream_id)).emitted,
    emitted,
    "nothing came after",
  );
});

test("Cancel during reasoning: what was thought is kept, and the end is no error of the provider [C4, W4]", async () => {
  await using model = await startModelServer(() => [
    reasoningChunk("First I count "),
    reasoningChunk("the masts."),
    hang,
  ]);
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  const { stream_id } = await page.startChat(program, "s1", "How many?", { model: MODEL });
  let thought = "";
  await page.watchChat(program, stream_id, {
    until: ({ event, data }) => {
      if (event === "reasoning") thought += String(data["text"]);
      return thought.includes("masts.");
    },
  });
  await page.ask(program, "POST", "/api/chat/cancel", { stream_id });

  const emitted = await page.followChat(() => program, stream_id);
  const shown = page.eventsNamed(emitted, "reasoning").map(({ text }) => text);
  assert.equal(shown.join(""), "First I count the masts.");
  assert.equal(emitted.at(-2)?.event, "cancel");
  assert.equal(emitted.at(-2)?.data["terminal_state"], "interrupted-by-user");
  assert.deepEqual(page.eventsNamed(emitted, "apperror"), []);
  const session = emitted.at(-2)?.data["session"] as {
    messages: { role: string; reasoning?: string }[];
  };
  assert.deepEqual(
    session.messages.map(({ role, reasoning }) => [role, reasoning]),
    [
      ["user", undefined],
      ["assistant", "First I count the masts."],
    ],
  );
});

test("Approval request/response: it waits through a restart of everything, the browser's answer reaches the run, and both are replayed [X8, W5]", async () => {
  using place = newTestHome();
  const asked = await (async () => {
    await using program = await openPair(place, { apart: ["serve", "work"] });
    const script = "pace 0\nexec echo ran >> ledger\nsay after";
    const { stream_id } = await page.startChat(program, "s1", script);
    const card = await pendingIn(program, "approval", "s1");
    await program.killAll();
    return { stream_id, card };
  })();
  await using program = await openPair(place);
  const card = await pendingIn(program, "approval", "s1");
  assert.deepEqual(card, asked.card, "the same card");
  assert.equal(card["command"], "echo ran >> ledger");
  assert.equal(textOf(join(place.workspace, "ledger")), "");

  const both = await Promise.all([
    respond(program, "s1", "once"),
    page.ask(program, "POST", "/api/approval/respond", {
      session_id: "s1",
      choice: "deny",
      approval_id: card["approval_id"],
    }),
  ]);
  assert.deepEqual(both.map(({ status }) => `${status}`).toSorted(), ["200", "409"], "one winner");
  const allowed = both[0]?.status === 200;
  const emitted = await page.followChat(() => program, asked.stream_id);
  assert.equal(textOf(join(place.workspace, "ledger")), allowed ? "ran\n" : "");
  const [shown, ...more] = page.eventsNamed(emitted, "approval");
  assert.equal(more.length, 0, "asked once");
  for (const [name, value] of Object.entries(card)) assert.deepEqual(shown?.[name], value, name);
  const resolved = page
    .eventsNamed(emitted, "context_status")
    .filter(({ kind }) => kind === "approval.resolved")
    .map(({ detail }) => detail as page.Fields);
  assert.deepEqual(
    resolved.map(({ choice, by }) => [choice, by]),
    [[allowed ? "once" : "deny", "webui"]],
  );
  assert.equal(emitted.at(-2)?.event, "done");
});

test("Clarify request/response: the question outlives its runner, takes one answer, and both are replayed [X8, W5]", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["work"] });
  const script = "pace 0\nclarify Which way? | left | right\nsay after";
  const { stream_id } = await page.startChat(program, "s1", script);
  const card = await pendingIn(program, "clarify", "s1");
  await program.kill("work");
  await until(async () => (await program.status()).runners.length > 0, "a runner");
  assert.deepEqual(await pendingIn(program, "clarify", "s1"), card);
  assert.deepEqual([card["question"], card["choices_offered"]], ["Which way?", ["left", "right"]]);

  const about = { session_id: "s1", clarify_id: card["clarify_id"] };
  const answer = (response: string) =>
    page.ask(program, "POST", "/api/clarify/respond", { ...about, response });
  assert.deepEqual((await answer("right")).body, { ok: true, response: "right" });
  const emitted = await page.followChat(() => program, stream_id);
  const late = await answer("left");
  assert.equal(late.status, 409);
  assert.deepEqual(late.body, {
    ok: false,
    error: "Clarification prompt expired or not found. The agent may have already proceeded.",
    stale: true,
  });
  assert.equal(page.eventsNamed(emitted, "clarify").length, 1);
  const [done] = page.eventsNamed(emitted, "tool_complete");
  assert.match(String(done?.["preview"]), /right/);
  assert.equal(emitted.at(-2)?.event, "done");
});

test("Queue/continue: follow-ups run after the live one, in order and once; a steer joins it; a second start is refused [C3, W8]", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["work"] });
  const first = await page.startChat(program, "s1", "pace 10\ncount 60\ntodo a\nsay first");
  const busy = await page.ask(program, "POST", "/api/chat/start", {
    session_id: "s1",
    message: "say refused",
  });
  assert.deepEqual([busy.status, busy.body["active_stream_id"]], [409, first.stream_id]);
  const queue = async (message: string, message_id: string) =>
    (
      await call<{ run_id: string }>(program, "POST", `/api/runs/${first.stream_id}/messages`, {
        message,
        message_id,
      })
    ).body.data.run_id;
  const second = await queue("say second", "q1");
  const third = await queue("say third", "q2");
  assert.equal(await queue("say second", "q1"), second, "the same wish is one run");
  const steer = { session_id: "s1", text: "please hurry" };
  const steered = await page.ask(program, "POST", "/api/chat/steer", steer);
  assert.deepEqual(steered.body, { accepted: true, fallback: null, stream_id: first.stream_id });
  await program.kill("work");

  const emitted = await page.followChat(() => program, first.stream_id);
  await page.followChat(() => program, second);
  const last = await page.followChat(() => program, third);
  assert.match(page.textOf(emitted), /Noted: please hurry/);
  const said = page.messagesIn(last).filter((line) => line.startsWith("user: "));
  assert.deepEqual(
    said.slice(-3).map((line) => line.split("\n").at(-1)),
    ["user: please hurry", "user: say second", "user: say third"],
  );
  assert.ok(!said.some((line) => line.includes("refused")));
});

test("Goal continuation: set in the browser it begins, goes on by itself, and is met; its controls may be repeated [C7, C10]", async () => {
  let asked = 0;
  const judged = (decision: string) =>
    JSON.stringify({ decision, reason: `it is ${decision}`, next: "once more" });
  await using model = await startAgent(
    (request) => [{ say: JSON.stringify(request.body).includes("once more") ? "Twice." : "Once." }],
    () => judged((asked += 1) === 1 ? "continue" : "met"),
  );
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  await call(program, "POST", "/api/sessions", { session_id: "s1", model: MODEL });
  const goal = async (args: string, more = {}) =>
    (await page.ask(program, "POST", "/api/goal", { session_id: "s1", args, ...more })).body;
  await goal("Do it twice", { kickoff: false });
  for (const [words, status] of [
    ["pause", "paused"],
    ["pause", "paused"],
    ["resume", "active"],
    ["resume", "active"],
    ["status", "active"],
  ] as const) {
    assert.deepEqual((await goal(words))["goal"], { goal: "Do it twice", status }, words);
  }
  assert.equal((await goal("clear"))["goal"], null);

  const begun = await goal("Do it twice");
  const emitted = await page.followChat(() => program, String(begun["stream_id"]));
  assert.equal(page.eventsNamed(emitted, "goal_continue").length, 1);
  const met = page.eventsNamed(emitted, "goal").filter(({ decision }) => decision === "met");
  assert.equal(met.length, 1);
  assert.deepEqual(
    page.messagesIn(emitted).filter((line) => line.startsWith("assistant: ")),
    ["assistant: Once.", "assistant: Twice."],
  );
  assert.equal((await goal("status"))["goal"], null, "a goal that is met is over");
  assert.deepEqual(
    page.messagesIn((await page.watchChat(program, String(begun["stream_id"]))).emitted),
    page.messagesIn(emitted),
  );
});
