// What a background command prints is in the run's journal while it runs: soon, bounded, and without keys.
import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { applyEvent, emptyRun } from "../../../src/kernel/state/run/state.ts";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome, type TestHome } from "../../support/program.ts";
import { answerQuestion, eventsOf, isRunning, processesWith } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

const KEY = "sk-test-0123456789abcdefghij";

/** A run that goes on until it is told to, with one command behind it. */
async function runWith(server: Server, command: string) {
  await call(server, "POST", "/api/sessions", { session_id: "s" });
  await call(server, "POST", "/api/sessions/s/settings", { yolo: true });
  const script = `pace 0\nbackground ${command}\nclarify Go on? | yes\nsay done`;
  return startRun(server, script, { session_id: "s", model: "demo/demo" });
}

const untilPrinted = (server: Server, runId: string, words: string) =>
  readEvents(server, `/api/runs/${runId}/events`, {
    until: ({ data }) => data.includes('"process.output"') && data.includes(words),
  });

/** Prints what is appended to a file: the test decides when. */
const follows = "tail -n +1 -f lines.txt";
const lines = (place: TestHome) => join(place.workspace, "lines.txt");

test("[R17] what a background command prints is told while it runs, in order and without holes", async () => {
  using place = newTestHome();
  writeFileSync(lines(place), "first line\n");
  await using program = await openPair(place);
  const { run_id } = await runWith(program, follows);
  await untilPrinted(program, run_id, "first line");
  appendFileSync(lines(place), "second ⛵ line\n");
  await untilPrinted(program, run_id, "second ⛵ line");
  await answerQuestion(program, run_id, "yes");
  const { events } = await followRun(() => program, run_id);

  const printed = eventsOf(events, "process.output").map(({ payload }) => payload);
  assert.equal(printed.map(({ text }) => text).join(""), "first line\nsecond ⛵ line\n");
  let end = 0;
  for (const { offset, bytes } of printed) {
    assert.equal(offset, end, "one begins where the one before ended");
    end = bytes;
  }
  assert.equal(end, Buffer.byteLength("first line\nsecond ⛵ line\n"));
  const [state] = events.reduce(applyEvent, emptyRun(run_id)).processes;
  assert.deepEqual(
    [state?.live, state?.bytes, state?.status],
    ["first line\nsecond ⛵ line\n", end, "exited"],
  );
  const types = events.map(({ type }) => type);
  assert.ok(types.lastIndexOf("process.output") < types.indexOf("process.exited"));
});

test("[R17] the last words of a command that ended at once are told, before its end", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const { run_id } = await runWith(program, "printf 'all of it'; exit 3");
  await readEvents(program, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes('"process.exited"'),
  });
  await answerQuestion(program, run_id, "yes");
  const { events } = await followRun(() => program, run_id);
  const story = events.filter(({ type }) => type.startsWith("process."));
  assert.deepEqual(
    story.map(({ type }) => type),
    ["process.started", "process.output", "process.exited"],
  );
  assert.equal(eventsOf(events, "process.output")[0]?.payload.text, "all of it");
  assert.equal(eventsOf(events, "process.exited")[0]?.payload.exit_code, 3);
});

test("[R17, B4] a flood is told in small pieces, few of them, with the gaps between them", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const { run_id } = await runWith(program, "yes 'the same line again'");
  let emitted = 0;
  await readEvents(program, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes('"process.output"') && (emitted += 1) === 6,
  });
  await answerQuestion(program, run_id, "yes");
  const { events } = await followRun(() => program, run_id);
  const outputs = eventsOf(events, "process.output").slice(0, 6);
  const printed = outputs.map(({ payload }) => payload);
  const seconds = (outputs[5]?.created_at ?? 0) - (outputs[0]?.created_at ?? 0);
  assert.ok(seconds > 2.2, `six of them in ${seconds} s`);
  assert.ok(printed.every(({ text }) => Buffer.byteLength(text) <= 8_192));
  assert.ok(printed.some(({ offset }, index) => offset > (printed[index - 1]?.bytes ?? 0)));
  for (const { text, offset, bytes } of printed) {
    assert.match(text, /^(the same line again\n)*(the same line agai?n?|[a-z ]*)$/);
    assert.ok(offset + Buffer.byteLength(text) <= bytes);
  }
  assert.equal(events.at(-1)?.type, "done", "nothing after the run's end");
});

test("[R14, R17] a key that is printed in pieces is in no event", async () => {
  using place = newTestHome();
  writeFileSync(lines(place), `begin\n${KEY.slice(0, 12)}`);
  await using program = await openPair(place, { env: { QUARTERDECK_API_KEY: KEY } });
  const { run_id } = await runWith(program, follows);
  await untilPrinted(program, run_id, "begin");
  appendFileSync(lines(place), `${KEY.slice(12)} end\n`);
  await untilPrinted(program, run_id, " end");
  await answerQuestion(program, run_id, "yes");
  const { events } = await followRun(() => program, run_id);
  const text = eventsOf(events, "process.output")
    .map(({ payload }) => payload.text)
    .join("");
  assert.match(text, /^begin\n\[redacted:[^\]]+\] end\n$/);
  assert.ok(!JSON.stringify(events).includes(KEY));
});

test("[R14, R17] what could have been the beginning of a key, and was the end, is told in the end", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { env: { QUARTERDECK_API_KEY: KEY } });
  const { run_id } = await runWith(program, `printf 'no key: ${KEY.slice(0, 12)}'`);
  await readEvents(program, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes('"process.exited"'),
  });
  await answerQuestion(program, run_id, "yes");
  const { events } = await followRun(() => program, run_id);
  const texts = eventsOf(events, "process.output").map(({ payload }) => payload.text);
  assert.equal(texts.join(""), `no key: ${KEY.slice(0, 12)}`);
});

test("[R12, R17] a runner that is killed takes its command along, and nothing is told of it afterwards", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["work"] });
  const { run_id } = await runWith(program, "while :; do echo tick-of-r17; sleep 0.2; done");
  await untilPrinted(program, run_id, "tick-of-r17");
  await program.kill("work");
  await until(() => !processesWith("tick-of-r17").some(isRunning), "the command to be gone");
  await answerQuestion(program, run_id, "yes");
  const { events } = await followRun(() => program, run_id);
  const types = events.map(({ type }) => type);
  assert.ok(types.lastIndexOf("process.output") < types.indexOf("recovery"));
  assert.equal(eventsOf(events, "process.exited").length, 1);
  assert.equal(types.at(-1), "done");
});
