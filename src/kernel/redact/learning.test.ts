// A secret that becomes known later is redacted from then on, in everything that begins after that.
import assert from "node:assert/strict";
import { test } from "node:test";
import { learningRedactor } from "./learning.ts";

const FIRST = { name: "first", value: "first-secret" };
const LATER = { name: "later", value: "another-secret-that-is-longer" };
const TEXT = `${FIRST.value} and ${LATER.value}`;

test("[S] a redactor that learns hides what it knew and what it was told since", () => {
  const learning = learningRedactor([FIRST]);
  const { redactor } = learning;
  const { text } = redactor; // a kept reference to the function learns too
  assert.equal(text(TEXT), `[redacted:first] and ${LATER.value}`);
  const before = redactor.longest.bytes;
  learning.know(LATER);
  learning.know(LATER);
  assert.equal(text(TEXT), "[redacted:first] and [redacted:later]");
  assert.ok(redactor.longest.bytes > before);
  const stream = redactor.stream();
  assert.equal(
    stream.push(TEXT.slice(0, 20)) + stream.push(TEXT.slice(20)) + stream.end(),
    text(TEXT),
  );
  const bytes = redactor.bytes();
  const passed = Buffer.concat([bytes.push(Buffer.from(TEXT)), bytes.end()]);
  assert.equal(passed.toString(), text(TEXT));
});

test("[S] one that knows nothing yet, or only what is too short, lets everything pass and learns", () => {
  for (const first of [[], [{ name: "short", value: "abc" }]]) {
    const learning = learningRedactor(first);
    const { redactor } = learning;
    const stream = redactor.stream();
    assert.equal(stream.push("abc") + stream.end(), "abc");
    const bytes = redactor.bytes();
    assert.equal(Buffer.concat([bytes.push(Buffer.from("abc")), bytes.end()]).toString(), "abc");
    learning.know(LATER);
    assert.equal(redactor.text(TEXT), `${FIRST.value} and [redacted:later]`);
  }
});
