import assert from "node:assert/strict";
import { test } from "node:test";
import { SEED } from "../../../../test/e2e/terminal/seed.ts";
import {
  EXIT,
  newMachine,
  step,
  type Effect,
  type Input,
  type Machine,
  type Memory,
} from "./machine.ts";
import { parseServerFrame } from "./server-frame.ts";

const DEVICE = {
  peerId: "device-001",
  idPrefix: "device-001",
  deviceName: "desk-terminal",
  awayMs: null,
  ahead: "back",
} as const;
const FRESH: Memory = { counter: 0, inFlight: null };

const frame = (value: unknown): Input => ({
  type: "frame",
  frame: parseServerFrame(JSON.stringify(value)),
});
const line = (text: string): Input => ({ type: "line", text });
const lost: Input = { type: "closed", reason: "Gone", refused: false };
const timer = (name: "retry" | "ping" | "dead" | "away"): Input => ({ type: "timer", name });

function play(inputs: readonly Input[], from: Machine = newMachine(DEVICE, FRESH)) {
  const effects: Effect[] = [];
  const phases: string[] = [];
  let state = from;
  for (const input of inputs) {
    const next = step(state, input);
    state = next.state;
    effects.push(...next.effects);
    phases.push(state.phase);
  }
  const sent = effects.flatMap((effect) => (effect.type === "send" ? [effect.frame] : []));
  const replies = effects.flatMap((effect) => (effect.type === "reply" ? [effect] : []));
  const exits = effects.flatMap((effect) => (effect.type === "exit" ? [effect.code] : []));
  const notices = effects.flatMap((effect) => (effect.type === "notice" ? [effect.text] : []));
  const timers = effects.flatMap((effect) =>
    effect.type === "timer" && effect.ms !== null ? [`${effect.name} ${effect.ms}`] : [],
  );
  return { state, effects, phases, sent, replies, exits, notices, timers };
}

const ONLINE: Input[] = [{ type: "start" }, { type: "opened" }, frame(SEED.connected)];
const HELLO = { type: "message", message_id: "device-001-000001", text: "hello", answers: null };

test("[W6] the states follow each other as in the document", () => {
  const inputs = [...ONLINE, line("hello"), frame(SEED.accepted), frame(SEED.reply)];
  const { phases, sent, replies } = play(inputs);
  assert.deepEqual(phases, [
    "CONNECTING",
    "WAIT_CONNECTED",
    "READY",
    "WAIT_ACK",
    "WAIT_REPLY",
    "READY",
  ]);
  assert.deepEqual(sent, [SEED.connect, HELLO]);
  assert.deepEqual(replies, [{ type: "reply", text: "assistant reply", how: "stop", own: true }]);
});

test("[W6] every frame of the document is understood, in any state, and unknown ones are passed over", () => {
  for (const each of [...Object.values(SEED), null, 7, {}, { type: "later", new: true }]) {
    for (let upTo = 0; upTo <= ONLINE.length; upTo += 1) {
      const { state } = play([...ONLINE.slice(0, upTo), frame(each), line("hello"), frame(each)]);
      assert.equal(state.inFlight === null || state.inFlight.text === "hello", true);
    }
  }
});

test("[W8] an id is on disk before it is on the wire, and the turn until its reply was shown", () => {
  const { effects } = play([...ONLINE, line("hello"), frame(SEED.accepted), frame(SEED.reply)]);
  const order = effects.flatMap((effect) =>
    effect.type === "save"
      ? [`save ${effect.memory.counter} ${effect.memory.inFlight?.messageId ?? "-"}`]
      : effect.type === "send" || effect.type === "reply"
        ? [effect.type]
        : [],
  );
  assert.deepEqual(order, ["send", "save 1 device-001-000001", "send", "reply", "save 1 -"]);
});

test("[W8] after a crash the same id is sent again, and the counter goes on", () => {
  const inFlight = { messageId: "device-001-000007", text: "before" };
  const from = newMachine(DEVICE, { counter: 7, inFlight });
  const cached = { ...SEED.completed, message_id: "device-001-000007" };
  const { sent, replies } = play([line("after"), ...ONLINE, frame(cached)], from);
  assert.deepEqual(sent.slice(1), [
    { type: "message", message_id: "device-001-000007", text: "before" },
    { type: "message", message_id: "device-001-000008", text: "after", answers: null },
  ]);
  assert.deepEqual(replies, [
    { type: "reply", text: "cached assistant reply", how: "stop", own: false },
  ]);
});

test("[W6] a duplicate that is pending is waited for, also when its message comes before its ack", () => {
  const again = [lost, timer("retry"), { type: "opened" }, frame(SEED.connected)] as Input[];
  const turn = [...ONLINE, line("hello"), frame(SEED.accepted), ...again];
  const { sent, phases } = play([...turn, frame(SEED.pending)]);
  assert.deepEqual(sent.slice(-2), [SEED.connect, HELLO]);
  assert.equal(phases.at(-1), "WAIT_REPLY");
  const owed = play([...turn, frame(SEED.reply), frame(SEED.completed), line("next")]);
  assert.equal(owed.replies.length, 1, "the cached reply is the same one");
  assert.equal(owed.state.inFlight?.messageId, "device-001-000002");
});

test("[W6] one turn is in flight; lines that come meanwhile wait", () => {
  const { sent, state } = play([
    ...ONLINE,
    line("hello"),
    line("b"),
    line("c"),
    frame(SEED.accepted),
  ]);
  assert.deepEqual(sent.slice(1), [HELLO]);
  assert.deepEqual(state.queue, ["b", "c"]);
  const next = play([frame(SEED.reply)], state);
  const b = { type: "message", message_id: "device-001-000002", text: "b", answers: null };
  assert.deepEqual(next.sent, [b]);
});

test("[W6] what is said of another message is not about the turn in flight", () => {
  const turn = [...ONLINE, line("hello")];
  const late = play([...turn, frame({ ...SEED.completed, message_id: "device-001-000000" })]);
  assert.deepEqual([late.state.phase, late.replies], ["WAIT_ACK", []]);
  const other = play([...turn, frame({ ...SEED.reply, message_id: "device-001-000000" })]);
  assert.equal(other.state.inFlight?.messageId, "device-001-000001");
  assert.deepEqual(
    other.replies.map(({ own }) => own),
    [false],
  );
});

test("[W6] backoff doubles from 1 to 30 s, and begins anew after connected", () => {
  const inputs: Input[] = [{ type: "start" }];
  for (let times = 0; times < 7; times += 1) inputs.push(lost, timer("retry"));
  const { timers, state } = play(inputs);
  const waits = timers.filter((each) => each.startsWith("retry"));
  assert.deepEqual(
    waits.map((each) => Number(each.split(" ")[1]) / 1_000),
    [1, 2, 4, 8, 16, 30, 30],
  );
  const anew = play([{ type: "opened" }, frame(SEED.connected), lost], state);
  assert.ok(anew.timers.includes("retry 1000"));
  const onlyOpened = play([{ type: "opened" }, lost], state);
  assert.ok(onlyOpened.timers.includes("retry 30000"));
});

test("[W6] a heartbeat every 30 s; a server that says nothing for 10 s is left", () => {
  const { sent, timers } = play([...ONLINE, timer("ping")]);
  assert.deepEqual(sent.at(-1), SEED.ping);
  assert.deepEqual(timers.slice(-2), ["dead 10000", "ping 30000"]);
  const alive = play([...ONLINE, timer("ping"), frame(SEED.pong)]);
  assert.deepEqual(alive.effects.at(-1), { type: "timer", name: "dead", ms: null });
  const dead = play([...ONLINE, timer("ping"), timer("dead")]);
  assert.equal(dead.state.phase, "DISCONNECTED");
  assert.ok(dead.effects.some(({ type }) => type === "close"));
  const deaf = play([...ONLINE, line("hello"), frame(SEED.pong), timer("dead")]);
  assert.equal(deaf.state.phase, "DISCONNECTED", "an ack is awaited in particular");
  assert.deepEqual(deaf.state.inFlight?.messageId, "device-001-000001");
});

test("[W6] an error about a message ends its turn; the next has a new id", () => {
  const { replies, sent } = play([...ONLINE, line("hello"), line("b"), frame(SEED.error)]);
  assert.deepEqual(replies, [
    { type: "reply", text: "human readable error", how: "error", own: true },
  ]);
  assert.equal(sent.at(-1)?.["message_id"], "device-001-000002");
  const other = { ...SEED.error, message_id: "device-001-000009" };
  const beside = play([...ONLINE, line("hello"), frame(other)]);
  assert.deepEqual([beside.replies, beside.notices], [[], ["human readable error"]]);
  const taken = [...ONLINE, line("hello"), frame(SEED.accepted)];
  assert.deepEqual(
    play([...taken, frame(other)]).replies,
    [],
    "another message's error leaves the turn",
  );
});

test("[W6] an error without an id after the ack ends the turn, and the next line is sent", () => {
  const { replies, sent, effects } = play([
    ...ONLINE,
    line("hello"),
    frame(SEED.accepted),
    frame({ type: "error", error: "run crashed" }),
    line("retry"),
    { type: "end" },
  ]);
  assert.deepEqual(replies, [{ type: "reply", text: "run crashed", how: "error", own: true }]);
  assert.deepEqual(
    [sent.at(-1)?.["message_id"], sent.at(-1)?.["text"]],
    ["device-001-000002", "retry"],
  );
  assert.ok(!effects.some(({ type }) => type === "exit"), "the retry is still to be answered");
});

test("[W6] an error before the connection is made is shown and waited out, unless the token is wrong", () => {
  const opening: Input[] = [{ type: "start" }, { type: "opened" }];
  const warming = frame({ type: "error", error: "warming up" });
  const { notices, sent } = play([...opening, line("hello"), warming, frame(SEED.connected)]);
  assert.deepEqual(notices, ["warming up"]);
  assert.equal(sent.at(-1)?.["text"], "hello");
  const refused = frame({ type: "error", error: "no token", code: "unauthorized" });
  assert.equal(play([...opening, refused]).state.exited, true);
});

test("[W8] a server that knows every id is not asked for ever: what it says is shown", () => {
  let { state } = play([...ONLINE, line("hello")]);
  const sent: unknown[] = [];
  for (let at = 0; at < 100 && state.inFlight; at += 1) {
    sent.push(state.inFlight.messageId);
    const clash = {
      ...SEED.completed,
      message_id: state.inFlight.messageId,
      error: "failed before",
    };
    const next = step(state, frame(clash));
    state = next.state;
    if (!state.inFlight) {
      const replies = next.effects.filter(({ type }) => type === "reply");
      assert.deepEqual(replies, [
        { type: "reply", text: "failed before", how: "error", own: true },
      ]);
    }
  }
  assert.equal(state.inFlight, null);
  assert.ok(sent.length < 30 && Number.isSafeInteger(state.counter));
});

test("[W8] a device that has lost its file does not take an old answer for a new line", () => {
  const old = frame({ ...SEED.completed, message_id: "device-001-000001", reply: "old" });
  const { replies, sent } = play([...ONLINE, line("hello"), old]);
  assert.deepEqual(replies, []);
  assert.equal(sent.at(-1)?.["message_id"], "device-001-000002");
});

test("[W8] an id that stood for another text is left, and the line is sent under a new one", () => {
  const clash = (message_id: string) => frame({ ...SEED.completed, message_id, error: "used" });
  const ids = ["000001", "000002", "000004"].map((count) => `device-001-${count}`);
  const { sent, replies, state } = play([...ONLINE, line("hello"), ...ids.map(clash)]);
  assert.deepEqual(
    sent.slice(1).map((each) => [each["message_id"], each["text"]]),
    [...ids, "device-001-000008"].map((id) => [id, "hello"]),
  );
  assert.deepEqual(replies, []);
  assert.equal(state.counter, 8);
});

test("[W4] what waits is told to every socket; a person reads it once", () => {
  const ask = { ...SEED.reply, finish_reason: "needs_input", text: "Allow?" };
  const turn = [...ONLINE, line("hello"), frame(SEED.accepted), frame(ask)];
  const again = [lost, timer("retry"), { type: "opened" }, frame(SEED.connected), frame(ask)];
  const { replies } = play([...turn, ...(again as Input[]), frame(ask)]);
  assert.deepEqual(
    replies.map(({ own }) => own),
    [true, false],
  );
});

test("[W6] when no more lines come, it ends after the last reply, with what that was", () => {
  const turn = (reply: object) => [
    ...ONLINE,
    line("hello"),
    { type: "end" } as Input,
    frame(reply),
  ];
  assert.deepEqual(play(turn(SEED.reply)).exits, [EXIT.fine]);
  assert.deepEqual(play(turn({ ...SEED.reply, finish_reason: "error" })).exits, [EXIT.failed]);
  assert.deepEqual(play(turn({ ...SEED.reply, finish_reason: "cancelled" })).exits, [EXIT.failed]);
  assert.deepEqual(play(turn({ ...SEED.reply, finish_reason: "needs_input" })).exits, [EXIT.asked]);
  assert.deepEqual(play([{ type: "start" }, { type: "end" }]).exits, [EXIT.fine]);
  assert.deepEqual(play([...ONLINE, line("a"), line("b"), { type: "end" }]).exits, []);
});

test("[W6] a server that is away, or refuses, is not waited for for ever", () => {
  const from = newMachine({ ...DEVICE, awayMs: 5_000 }, FRESH);
  const away = play([line("hello"), line("b"), { type: "start" }, lost, timer("away")], from);
  assert.ok(away.timers.includes("away 5000"));
  assert.deepEqual(
    [away.exits, away.notices.at(-1)],
    [[EXIT.away], "The server is away. 2 lines were not sent."],
  );
  const later = play([...ONLINE, line("hello"), lost, timer("away")], from);
  assert.equal(later.timers.filter((each) => each === "away 5000").length, 2);
  assert.match(later.notices.at(-1) ?? "", /asked about again next time/);
  const refused = play([{ type: "start" }, { type: "closed", reason: "No", refused: true }]);
  assert.deepEqual([refused.exits, refused.notices], [[EXIT.away], ["No"]]);
  const denied = play([
    { type: "start" },
    { type: "opened" },
    frame({ ...SEED.error, code: "unauthorized" }),
  ]);
  assert.deepEqual(denied.exits, [EXIT.away]);
});

test("[W6] Ctrl+C says first that a reply is still to come", () => {
  const waiting = [...ONLINE, line("hello"), { type: "interrupt" }] as Input[];
  assert.deepEqual(play(waiting).exits, []);
  assert.deepEqual(play([...waiting, { type: "interrupt" }]).exits, [EXIT.interrupted]);
  assert.deepEqual(play([...ONLINE, { type: "interrupt" }]).exits, [EXIT.interrupted]);
});
