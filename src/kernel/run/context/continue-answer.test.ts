// Where an answer was cut and where the rest of it begins.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as d from "../../../../test/support/drafts.ts";
import { seal } from "../../../../test/support/events.ts";
import { applyEvent, emptyRun } from "../../state/run/state.ts";
import { CONTINUE, continueAnswer, cutAnswer, joined } from "./continue-answer.ts";
import type { Model, ModelMessage, ModelPart } from "../models/model.ts";

const BEGUN = [d.userMessage("go"), d.queued, d.started(), d.turnStarted(1)];
const stateOf = (...drafts: Parameters<typeof seal>[1]) =>
  seal("r1", drafts).reduce(applyEvent, emptyRun("r1"));

test("[R19] what was cut is what the newest attempt with words had said", () => {
  const cut = [...BEGUN, d.token("m1.1", "Half an ans"), d.superseded(1)];
  assert.equal(cutAnswer(stateOf(...cut), 1), "Half an ans");
  assert.equal(cutAnswer(stateOf(...cut), 2), undefined, "another turn says something of its own");
  const silent = [...cut, d.turnStarted(1, 2), d.superseded(1, 2)];
  assert.equal(cutAnswer(stateOf(...silent), 1), "Half an ans");
  const further = [
    ...cut,
    d.turnStarted(1, 2),
    d.token("m1.2", "Half an answer"),
    d.superseded(1, 2),
  ];
  assert.equal(cutAnswer(stateOf(...further), 1), "Half an answer");
});

test("[R19b] a step that thought, or to which somebody said something since, starts again", () => {
  const thought = [...BEGUN, d.thought("rt1.1.0", "hm"), d.token("m1.1", "Half"), d.superseded(1)];
  assert.equal(cutAnswer(stateOf(...thought), 1), undefined);
  const steered = [
    ...BEGUN,
    d.token("m1.1", "Half"),
    d.superseded(1),
    d.userMessage("no", "steer"),
  ];
  assert.equal(cutAnswer(stateOf(...steered), 1), undefined);
});

test("[R19b] a few letters are said again, and half a character is no end", () => {
  const cut = (text: string) =>
    cutAnswer(stateOf(...BEGUN, d.token("m1.1", text), d.superseded(1)), 1);
  assert.equal(cut("It"), undefined, "nobody could tell a repetition from what goes on");
  assert.equal(cut("It is a good day \u{1F600}"), "It is a good day \u{1F600}");
  assert.equal(cut("It is a good day \ud83d"), "It is a good day ");
});

test("[R19a, R19d] the seam: goes on, repeats its end, repeats half a word, or starts again", () => {
  const said = "The harbour lies to the north, beyond the lightho";
  assert.equal(joined(said, "use."), `${said}use.`);
  assert.equal(joined(said, "beyond the lighthouse."), `${said}use.`);
  assert.equal(joined(said, "lighthouse."), `${said}use.`);
  assert.equal(joined(said, `${said}use.`), `${said}use.`);
  const other = "The harbour lies to the north-east of here.";
  assert.equal(joined(said, other), other);
  assert.equal(joined("It is a", "anchor"), "It is aanchor", "too little to call it a repetition");
});

async function partsOf(parts: readonly ModelPart[], said: string) {
  let messages: readonly ModelMessage[] = [];
  const model: Model = {
    provider: "test",
    id: "test",
    contextWindow: null,
    price: null,
    async *stream(request) {
      messages = request.messages;
      yield* parts;
    },
  };
  const request = { messages: [{ role: "user" as const, text: "go" }], tools: [], runId: "r1" };
  const all = continueAnswer(model, { request, said }, new AbortController().signal);
  return { parts: await Array.fromAsync(all), messages };
}

test("[R19] the model is given what it said, and the parts make one whole answer", async () => {
  const text = (words: string): ModelPart => ({ type: "text", text: words });
  const end: ModelPart = { type: "finish", reason: "stop" };
  const long = "x".repeat(200);
  const { parts, messages } = await partsOf([text("b "), text(long), text(" c"), end], "a ");
  assert.deepEqual(messages.slice(1), [
    { role: "assistant", text: "a ", toolCalls: [] },
    { role: "user", text: CONTINUE },
  ]);
  assert.deepEqual(parts, [text(`a b ${long}`), text(" c"), end]);
  assert.deepEqual((await partsOf([end], "all of it")).parts, [text("all of it"), end]);
});
