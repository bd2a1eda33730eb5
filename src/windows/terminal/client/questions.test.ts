// What is asked is answered by what was typed in its sight, and by nothing that was there before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SEED } from "../../../../test/e2e/terminal/seed.ts";
import { EXIT, newMachine, step, type Device, type Effect, type Input } from "./machine.ts";
import { parseServerFrame } from "./server-frame.ts";

const frame = (value: unknown): Input => ({
  type: "frame",
  frame: parseServerFrame(JSON.stringify(value)),
});
const line = (text: string): Input => ({ type: "line", text });
const END: Input = { type: "end" };
const ID = "device-001-00000";
const CONNECT: Input[] = [{ type: "opened" }, frame(SEED.connected)];
const ONLINE: Input[] = [{ type: "start" }, ...CONNECT];
const AGAIN: Input[] = [
  { type: "closed", reason: "Gone", refused: false },
  { type: "timer", name: "retry" },
  ...CONNECT,
];
const ask = (message_id: string, request_id?: string) =>
  frame({ ...SEED.reply, finish_reason: "needs_input", text: "Allow?", message_id, request_id });
/** Of a run that another window started. */
const ASKED = frame({
  ...SEED.reply,
  finish_reason: "needs_input",
  message_id: "web-1",
  run_id: "web",
  request_id: "ap_1",
});
const refuse = (message_id: string, request_id?: string) =>
  frame({ ...SEED.error, error: "Something waits.", message_id, request_id });

function play(inputs: readonly Input[], ahead: Device["ahead"] = "back") {
  const id = SEED.connect.peer_id;
  const device = { peerId: id, idPrefix: id, deviceName: "d", awayMs: null, ahead };
  let state = newMachine(device, { counter: 0, inFlight: null });
  const effects: Effect[] = [];
  for (const input of inputs) {
    const next = step(state, input);
    state = next.state;
    effects.push(...next.effects);
  }
  return {
    state,
    sent: effects.flatMap((effect) => {
      const message = effect.type === "send" && effect.frame["type"] === "message";
      return message ? [[effect.frame["text"], effect.frame["answers"]]] : [];
    }),
    notices: effects.flatMap((effect) => (effect.type === "notice" ? [effect.text] : [])),
    replies: effects.flatMap((effect) => (effect.type === "reply" ? [effect.how] : [])),
    exits: effects.flatMap((effect) => (effect.type === "exit" ? [effect.code] : [])),
  };
}

test("[W5] at a terminal: lines typed before a question are shown as not sent; the next is the answer", () => {
  const before = [...ONLINE, line("clean up"), frame(SEED.accepted), line("ok"), line("b")];
  const asked = [...before, ask(`${ID}1`, "ap_1")];
  const { sent, notices, state, exits } = play(asked);
  assert.deepEqual(sent, [["clean up", null]]);
  assert.deepEqual(notices, ["Not sent, as typed before the question:\n  ok\n  b"]);
  assert.deepEqual([state.phase, exits], ["READY", []]);
  const answered = play([...asked, line("yes"), line("and then"), frame({ ...SEED.accepted })]);
  assert.deepEqual(answered.sent, [
    ["clean up", null],
    ["yes", "ap_1"],
  ]);
  assert.deepEqual(answered.state.queue, ["and then"]);
  const next = frame({ ...SEED.reply, message_id: `${ID}2` });
  const after = play([...asked, line("yes"), line("and then"), next]);
  assert.deepEqual(after.sent.at(-1), ["and then", null], "one line answers it, not all");
  const left = play([...before, END, ask(`${ID}1`, "ap_1")]);
  assert.deepEqual([left.sent.length, left.exits], [1, [EXIT.asked]]);
  const many = ["1", "2", "3", "4", "5", "6", "7"].map(line);
  const [notice] = play([...ONLINE, line("x"), ...many, ask(`${ID}1`)]).notices;
  assert.match(notice ?? "", /:\n {2}1\n {2}2\n {2}3\n {2}4\n {2}5\n {2}… and 2 more$/);
});

test("[W5] a question in an error, in a duplicate's ack, or of another turn holds lines back as well", () => {
  const before = [...ONLINE, line("a"), line("ok")];
  const cached = { ...SEED.completed, request_id: "ap_1" };
  // A duplicate is what was sent once more, after the connection was lost.
  for (const question of [[refuse(`${ID}1`, "ap_1")], [...AGAIN, frame(cached)], [ASKED]]) {
    const reply = frame(SEED.reply); // of the turn, unless that is over
    const { sent, notices } = play([...before, ...question, reply, line("yes")]);
    const once = question.length > 1 ? sent.slice(1) : sent;
    assert.deepEqual(once, [
      ["a", null],
      ["yes", "ap_1"],
    ]);
    assert.match(notices.join(), /Not sent/);
  }
  const plain = play([...before, refuse(`${ID}1`)]);
  assert.deepEqual(plain.sent.at(-1), ["ok", null], "an error that asks nothing");
});

test("[W5] a question that is repeated to a new socket takes nothing back that was typed since", () => {
  const asked = [...ONLINE, line("a"), ask(`${ID}1`, "ap_1")];
  const [gone, ...back] = AGAIN as [Input, ...Input[]];
  const typed = [...asked, gone, line("yes"), line("then"), ...back, ask(`${ID}1`, "ap_1")];
  const { sent, notices, state } = play(typed);
  assert.deepEqual(sent, [
    ["a", null],
    ["yes", "ap_1"],
  ]);
  assert.deepEqual([state.queue, state.question], [["then"], null]);
  assert.ok(!notices.join().includes("Not sent"));
  const idle = play([...asked, ...AGAIN, ask(`${ID}1`, "ap_1"), line("yes")]);
  assert.deepEqual(idle.sent.at(-1), ["yes", "ap_1"]);
});

test("[W5] what was answered elsewhere is no question any more; a server that names none is answered as ever", () => {
  const asked = [...ONLINE, line("a"), ask(`${ID}1`, "ap_1")];
  assert.deepEqual(play([...asked, frame(SEED.reply), line("b")]).sent.at(-1), ["b", null]);
  const other = frame({ ...SEED.reply, run_id: "another" });
  assert.deepEqual(play([...asked, other, line("b")]).sent.at(-1), ["b", "ap_1"]);
  const nameless = play([...ONLINE, line("a"), ask(`${ID}1`), line("yes")]);
  assert.deepEqual(nameless.sent.at(-1), ["yes", undefined]);
});

test("[W5, W8] an answer is for the same request under another id and after a crash", () => {
  const asked = [...ONLINE, line("a"), ask(`${ID}1`, "ap_1"), line("yes")];
  const clash = frame({ ...SEED.completed, message_id: `${ID}2`, error: "used" });
  const { sent, state } = play([...asked, clash, ...AGAIN]);
  assert.deepEqual(sent.slice(-2), [
    ["yes", "ap_1"],
    ["yes", "ap_1"],
  ]);
  assert.equal(state.inFlight?.answers, "ap_1");
});

test("[W5] in a pipe: it stops at a question and says what was not sent", () => {
  const before = [...ONLINE, line("a"), line("yes"), line("b"), END];
  const own = play([...before, ask(`${ID}1`, "ap_1")], "stop");
  assert.deepEqual([own.sent.length, own.exits, own.replies], [1, [EXIT.asked], ["needs_input"]]);
  const sentence = (lines: string) =>
    `An answer is needed.${lines} With --answers, lines are answers.`;
  assert.deepEqual(own.notices, [sentence(" 2 lines were not sent.")]);
  const refused = play([...before, refuse(`${ID}1`, "ap_1")], "stop");
  assert.deepEqual(refused.notices, [sentence(" 3 lines were not sent.")]);
  assert.deepEqual([refused.sent.length, refused.exits], [1, [EXIT.asked]]);
  const waiting = play([...before, ASKED, frame(SEED.reply)], "stop");
  assert.deepEqual([waiting.sent.length, waiting.exits], [1, [EXIT.asked]], "of another turn");
  const later = play([...ONLINE, ASKED, line("yes")], "stop");
  assert.deepEqual([later.sent, later.exits], [[], [EXIT.asked]]);
  assert.deepEqual(later.notices, [sentence(" 1 line was not sent.")]);
  const last = play([...ONLINE, line("a"), END, ask(`${ID}1`, "ap_1")], "stop");
  assert.deepEqual([last.notices, last.exits], [[sentence("")], [EXIT.asked]]);
});

test("[W5] in a pipe with --answers: lines are for whatever waits", () => {
  const before = [...ONLINE, line("a"), line("yes"), END, ask(`${ID}1`, "ap_1")];
  const { sent, exits } = play(before, "answer");
  assert.deepEqual(sent, [
    ["a", undefined],
    ["yes", undefined],
  ]);
  assert.deepEqual(exits, []);
  const over = play([...before, frame({ ...SEED.reply, message_id: `${ID}2` })], "answer");
  assert.deepEqual(over.exits, [EXIT.fine]);
});
