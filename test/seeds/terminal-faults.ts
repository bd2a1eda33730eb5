// T55 to T72: our own device when something goes wrong.
import assert from "node:assert/strict";
import { newMachine } from "../../src/terminal/machine.ts";
import { SEED } from "../e2e/terminal-seed.ts";
import { DEVICE, frame, HELLO, ID, line, LOST, ONLINE, play, timer } from "./terminal-machine.ts";
import type { World } from "./terminal-world.ts";
import type { Row } from "./suite.ts";

const BACK = [timer("retry"), { type: "opened" } as const, frame(SEED.connected)];
const accepted = frame(SEED.accepted);
const answer = frame(SEED.reply);

export const FAULT_ROWS: readonly Row<World>[] = [
  {
    id: "T55",
    says: "The terminal reconnects after 1 second, then doubles up to 30 seconds.",
    check: () => {
      const loss = [LOST, timer("retry")];
      const { timers } = play([{ type: "start" }, ...Array.from({ length: 7 }, () => loss).flat()]);
      const retries = timers.filter((each) => each.startsWith("retry"));
      assert.deepEqual(
        retries,
        [1, 2, 4, 8, 16, 30, 30].map((s) => `retry ${s}000`),
      );
    },
  },
  {
    id: "T56",
    says: "The backoff is reset after `connected`.",
    check: () => {
      const back = [timer("retry"), { type: "opened" } as const, frame(SEED.connected), LOST];
      const { timers } = play([{ type: "start" }, LOST, timer("retry"), LOST, ...back]);
      assert.deepEqual(
        timers.filter((each) => each.startsWith("retry")),
        ["retry 1000", "retry 2000", "retry 1000"],
      );
    },
  },
  {
    id: "T57",
    says: "It is not reset by an open socket alone.",
    check: () => {
      const open = [timer("retry"), { type: "opened" } as const, LOST];
      const { timers } = play([{ type: "start" }, LOST, ...open, ...open]);
      assert.deepEqual(
        timers.filter((each) => each.startsWith("retry")),
        ["retry 1000", "retry 2000", "retry 4000"],
      );
    },
  },
  {
    id: "T58",
    says: "The terminal reconnects for as long as it takes.",
    difference:
      "At a keyboard. In a pipe, which has to come to an end, it gives up when the server was away for 30 seconds (--wait), with exit code 3.",
    check: () => {
      const never = play([
        { type: "start" },
        LOST,
        ...Array.from({ length: 50 }, () => [timer("retry"), LOST]).flat(),
      ]);
      assert.deepEqual(never.exits, []);
      const piped = newMachine({ ...DEVICE, awayMs: 30_000 }, { counter: 0, inFlight: null });
      const { timers, exits } = play([{ type: "start" }, line("hi"), LOST, timer("away")], piped);
      assert.ok(timers.includes("away 30000"));
      assert.deepEqual(exits, [3]);
    },
  },
  {
    id: "T59",
    says: "It reconnects after any network failure.",
    difference:
      "Also when a proxy answers 404, 500, 502 or 503 while a server is replaced. What no other try changes ends it: 400, 401, 403 and 426.",
    check: ({ device: { late } }) => {
      assert.deepEqual([late.code, late.out], [0, "HELLO\n"]);
      assert.match(late.err, /404.*Trying again in 1 s\.\nConnected again\.\n$/);
      const refused = { type: "closed", reason: "The token is wrong.", refused: true } as const;
      assert.deepEqual(play([{ type: "start" }, refused]).exits, [3]);
    },
  },
  {
    id: "T60",
    says: "An error frame is logged, and the connection is kept.",
    check: () => {
      const { notices, state } = play([...ONLINE, frame(SEED.error)]);
      assert.deepEqual([notices, state.phase], [["human readable error"], "READY"]);
    },
  },
  {
    id: "T61",
    says: "After an error for a message the user can retry with a new message_id.",
    check: () => {
      const { ids, failures, effects } = play([...HELLO, frame(SEED.error), line("hello")]);
      assert.deepEqual(failures, ["human readable error"]);
      assert.deepEqual(ids, [ID, "device-001-000002"]);
      assert.equal(effects.filter(({ type }) => type === "open").length, 1, "on the same socket");
    },
  },
  {
    id: "T62",
    says: "An error after the acknowledgement ends the turn.",
    check: () => {
      const { failures, state, ids } = play([...HELLO, accepted, frame(SEED.error), line("again")]);
      assert.deepEqual(failures, ["human readable error"]);
      assert.equal(ids.length, 2);
      assert.equal(state.phase, "WAIT_ACK");
    },
  },
  {
    id: "T63",
    says: "An error before `connected` is logged, and the connection is kept.",
    difference:
      "If it says that the token is wrong (`code: unauthorized`), the device ends: coming again does not help.",
    check: () => {
      const opening = ONLINE.slice(0, 2);
      const { notices, phases, exits } = play([
        ...opening,
        frame(SEED.error),
        frame(SEED.connected),
      ]);
      assert.deepEqual([notices, phases.at(-1), exits], [["human readable error"], "READY", []]);
      const unauthorized = { ...SEED.error, code: "unauthorized" };
      assert.deepEqual(play([...opening, frame(unauthorized)]).exits, [3]);
    },
  },
  {
    id: "T64",
    says: "A terminal that reconnects uses the same peer_id, and sends what is in flight again under the same id.",
    check: () => {
      for (const seen of [[], [accepted]]) {
        const { frames, ids } = play([...HELLO, ...seen, LOST, ...BACK]);
        assert.deepEqual(ids, [ID, ID]);
        assert.deepEqual(
          frames.filter(({ type }) => type === "connect").map(({ peer_id }) => peer_id),
          ["device-001", "device-001"],
        );
      }
    },
  },
  {
    id: "T65",
    says: "A terminal that was killed goes on with what was in flight.",
    check: () => {
      const { effects } = play(HELLO);
      const [saved] = effects.flatMap((effect) => (effect.type === "save" ? [effect.memory] : []));
      assert.ok(saved);
      const next = play([...ONLINE, accepted, answer], newMachine(DEVICE, saved));
      assert.deepEqual(
        [next.ids, next.texts, next.replies],
        [[ID], ["hello"], ["assistant reply"]],
      );
    },
  },
  {
    id: "T66",
    says: "The terminal ignores unknown frames and fields.",
    check: () => {
      const odd = [
        "not json",
        "[1]",
        "7",
        { type: "news" },
        { ...SEED.reply, role: "user" },
        { ...SEED.accepted, message_id: "else" },
      ];
      const { state, replies } = play([...HELLO, ...odd.map(frame)]);
      assert.deepEqual([state.phase, replies], ["WAIT_ACK", []]);
      assert.equal(
        play([...HELLO, frame({ ...SEED.accepted, mood: 7 })]).state.phase,
        "WAIT_REPLY",
      );
    },
  },
  {
    id: "T67",
    says: "Without `connected` after a reasonable time the terminal reconnects.",
    check: () => {
      const { timers, phases } = play([...ONLINE.slice(0, 2), timer("dead")]);
      assert.ok(timers.includes("dead 10000"));
      assert.equal(phases.at(-1), "DISCONNECTED");
    },
  },
  {
    id: "T68",
    says: "The terminal waits for the acknowledgement.",
    difference:
      "For 10 seconds; then it reconnects and sends the same id again, so that nothing is taken twice.",
    check: () => {
      const { timers, ids } = play([...HELLO, timer("dead"), ...BACK]);
      assert.ok(timers.includes("dead 10000"));
      assert.deepEqual(ids, [ID, ID]);
    },
  },
  {
    id: "T69",
    says: "session_id, message_id, run_id and errors are logged.",
    difference: "Errors always, on standard error; the ids with --verbose.",
    check: ({ device: { first, second } }) => {
      assert.match(first.err, /session_id terminal-dev:local:device-001/);
      assert.match(first.err, /message_id device-001-000001 run_id run-id/);
      assert.equal(second.err, "no ink\n");
    },
  },
  {
    id: "T70",
    says: "The terminal is text-only: no REST, no /ws/{session_id}, no audio, no pictures, no tools.",
    check: ({ device: { sent, paths } }) => {
      assert.ok(paths.every((path) => path.startsWith("/api/channels/terminal-dev/ws")));
      assert.ok(
        sent.every(({ type }) => type === "connect" || type === "message" || type === "ping"),
      );
      assert.deepEqual(sent[0]?.["capabilities"], ["text"]);
    },
  },
  {
    id: "T71",
    says: "A reply belongs to the message it names.",
    difference:
      "The document does not say what a reply is that comes twice. It ends its turn once; a second one is shown as news, and in a pipe it is not written as a reply.",
    check: () => {
      const { effects, state } = play([...HELLO, accepted, answer, answer, answer]);
      const shown = effects.flatMap((effect) => (effect.type === "reply" ? [effect.own] : []));
      assert.deepEqual([shown, state.phase], [[true, false], "READY"]);
      const other = frame({ ...SEED.reply, message_id: "device-001-999999" });
      const waiting = play([...HELLO, accepted, other]);
      assert.equal(waiting.state.phase, "WAIT_REPLY", "another message's reply ends no turn");
      assert.equal(waiting.state.inFlight?.messageId, ID);
    },
  },
  {
    id: "T72",
    says: "An acknowledgement says what became of a message.",
    difference:
      "The document does not say what one means that is neither accepted nor a duplicate nor an error. The device waits for the reply.",
    check: () => {
      const { state } = play([...HELLO, frame({ ...SEED.accepted, accepted: false })]);
      assert.equal(state.phase, "WAIT_REPLY");
    },
  },
];
