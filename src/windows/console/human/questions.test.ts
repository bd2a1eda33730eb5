// Questions and outcomes nobody knows, through the console: told as both ask for them, answered by words.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as s from "../../../kernel/journal/contract/store.contract.ts";
import { consoleDialect } from "../wire/console.ts";
import { encode } from "../../../kernel/dialect/dialect.ts";
import {
  approval,
  pendingIn,
  QUESTIONS,
  waiting,
} from "../../../../test/support/console/waiting.ts";

test("[W1] the list and the stream tell a request in the same words", async () => {
  await using console_ = await waiting((runId) => approval(runId, "c1"), ...QUESTIONS);
  const list = pendingIn(await console_.get("/human/pending"));
  const state = consoleDialect.begin();
  const events = await s.sessionEvents(console_.journal);
  const frames = events.flatMap((event) =>
    encode(consoleDialect, event, state, { replay: false }).filter(({ type }) =>
      type.endsWith(".requested"),
    ),
  );
  assert.deepEqual(
    frames.map(({ payload }) => payload),
    list,
  );
  assert.deepEqual(
    list.map(({ kind, request_kind, message }) => [kind, request_kind, message]),
    [
      ["approval", "approval", "ls"],
      ["clarify", "clarify", "Which one? (left, right)"],
      ["clarify", "unknown_outcome", "The runner was lost. (check, retry, mark_done, skip)"],
    ],
  );
});

test("[W4] a question and an unknown outcome wait too, and are answered as clarifications", async () => {
  await using console_ = await waiting(...QUESTIONS);
  const { runId, post } = console_;
  const list = pendingIn(await console_.get("/human/pending"));
  assert.deepEqual(
    list.map(({ kind, type, request_kind, question, choices, tool_name }) => ({
      kind,
      type,
      request_kind,
      question,
      choices,
      tool_name,
    })),
    [
      {
        kind: "clarify",
        type: "clarify",
        request_kind: "clarify",
        question: "Which one?",
        choices: ["left", "right"],
        tool_name: "clarify",
      },
      {
        kind: "clarify",
        type: "clarify",
        request_kind: "unknown_outcome",
        question: "The runner was lost.",
        choices: ["check", "retry", "mark_done", "skip"],
        tool_name: "exec",
      },
    ],
  );
  const unknown = { request_id: `un_${runId}_c2_1` };
  const odd = await post("/human/clarify", { ...unknown, response: "perhaps" });
  assert.deepEqual([odd.http, odd.error.code], [400, "invalid_response"]);
  assert.deepEqual(odd.error["choices"], ["check", "retry", "mark_done", "skip"]);
  const skipped = await post("/human/clarify", { ...unknown, response: "skip" });
  assert.deepEqual([skipped.data["status"], skipped.data["response"]], ["answered", "skip"]);
  const answered = await post("/human/clarify", {
    request_id: `cl_${runId}_c1`,
    response: "A web app you can open in a browser",
  });
  const { request, ...rest } = answered.data;
  assert.deepEqual(rest, {
    request_id: `cl_${runId}_c1`,
    status: "answered",
    response: "A web app you can open in a browser",
    duplicate: false,
  });
  assert.equal((request as { status: string }).status, "answered");
  const [last] = (await s.payloadsOf(console_.journal, runId, "clarify.resolved")).toReversed();
  assert.deepEqual([last?.["by"], last?.["response"]], ["console", answered.data["response"]]);
  assert.deepEqual(pendingIn(await console_.get("/human/pending")), []);
});

test("[W5, W6] Cancel of a question answers no, or what was said with it; of an outcome, skip", async () => {
  for (const [body, response] of [
    [{}, "None of these."],
    [{ feedback: "Neither, please." }, "Neither, please."],
    [{ response: "LEFT", feedback: "Neither." }, "left"],
  ] as const) {
    await using console_ = await waiting(...QUESTIONS);
    const { runId, post, journal } = console_;
    const request_id = `cl_${runId}_c1`;
    const reply = await post("/human/deny", { request_id, ...body });
    assert.equal(reply.http, 200, JSON.stringify(reply.body));
    assert.deepEqual([reply.data["status"], reply.data["response"]], ["answered", response]);
    const again = await post("/human/deny", { request_id, ...body });
    assert.deepEqual([again.http, again.data["duplicate"]], [200, true]);
    const late = await post("/human/clarify", { request_id, response: "something else" });
    assert.deepEqual([late.http, late.error.code], [409, "already_answered"]);
    const outcome = { request_id: `un_${runId}_c2_1`, ...body };
    assert.equal((await post("/human/deny", outcome)).data["response"], "skip");
    const answers = await s.payloadsOf(journal, runId, "clarify.resolved");
    assert.deepEqual(
      answers.map((each) => [each["by"], each["response"]]),
      [
        ["console", response],
        ["console", "skip"],
      ],
    );
  }
});

test("[W6] an outcome is said in any case, with spaces for underscores", async () => {
  await using console_ = await waiting(...QUESTIONS);
  const request_id = `un_${console_.runId}_c2_1`;
  const reply = await console_.post("/human/clarify", { request_id, response: " Mark done" });
  assert.deepEqual([reply.http, reply.data["response"]], [200, "mark_done"]);
});
