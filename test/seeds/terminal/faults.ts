// T55 to T72: our own device when something goes wrong.
import assert from "node:assert/strict";
import { newMachine } from "../../../src/windows/terminal/client/machine.ts";
import { SEED } from "../../e2e/terminal/seed.ts";
import { messages } from "./client.ts";
import { DEVICE, frame, HELLO, ID, line, LOST, ONLINE, play, timer } from "./machine.ts";
import { idOf } from "./script.ts";
import type { World } from "./world.ts";
import type { Row } from "../suite.ts";

const BACK = [timer("retry"), { type: "opened" } as const, frame(SEED.connected)];
const IN_1_S = /Trying again in 1 s\./;
const IN_2_S = /Trying again in 2 s\./;

export const FAULT_ROWS: readonly Row<World>[] = [
  {
    id: "T55",
    says: "The terminal reconnects after 1 second, then doubles up to 30 seconds.",
    check: ({ driven: { lost, unconnected } }) => {
      const loss = [LOST, timer("retry")];
      const { timers } = play([{ type: "start" }, ...Array.from({ length: 7 }, () => loss).flat()]);
      const retries = timers.filter((each) => each.startsWith("retry"));
      assert.deepEqual(
        retries,
        [1, 2, 4, 8, 16, 30, 30].map((s) => `retry ${s}000`),
      );
      assert.match(lost.err, IN_1_S);
      assert.match(unconnected.log, IN_2_S);
    },
  },
  {
    id: "T56",
    says: "The backoff is reset after `connected`.",
    check: ({ driven: { unconnected, back, lostAgain } }) => {
      assert.match(unconnected.log, IN_2_S);
      assert.match(back.err, /^Connected again\.\n$/);
      assert.match(lostAgain.err, IN_1_S);
    },
  },
  {
    id: "T57",
    says: "It is not reset by an open socket alone.",
    check: ({ driven: { unconnected } }) => {
      assert.deepEqual(unconnected.sent, [SEED.connect], "it was open");
      assert.match(unconnected.log, IN_2_S);
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
    check: ({ device: { late, locked } }) => {
      assert.deepEqual([late.code, late.out], [0, "HELLO\n"]);
      assert.match(late.err, /404.*Trying again in 1 s\.\nConnected again\.\n$/);
      assert.deepEqual(locked, { code: 3, out: "", err: "The server refuses: status 401\n" });
    },
  },
  {
    id: "T60",
    says: "An error frame is logged, and the connection is kept.",
    check: ({ driven: { idle, kept } }) => {
      assert.deepEqual([idle.out, idle.err], ["", "human readable error\n"]);
      assert.equal(kept.connections, 1);
      assert.equal(messages(kept)[1], "twelve");
    },
  },
  {
    id: "T61",
    says: "After an error for a message the user can retry with a new message_id.",
    check: ({ driven: { failedEarly } }) => {
      assert.equal(failedEarly.err, "human readable error\n");
      assert.deepEqual(messages(failedEarly), [idOf(5), "four"]);
      assert.equal(failedEarly.connections, 1, "on the same socket");
    },
  },
  {
    id: "T62",
    says: "An error after the acknowledgement ends the turn.",
    check: ({ driven: { foreign, failedLate } }) => {
      assert.match(foreign.log, /message_id device-001-000003 acknowledged/);
      assert.deepEqual([failedLate.out, failedLate.err], ["", "human readable error\n"]);
      assert.deepEqual(messages(failedLate), [idOf(4), "four"]);
    },
  },
  {
    id: "T63",
    says: "An error before `connected` is logged, and the connection is kept.",
    difference:
      "If it says that the token is wrong (`code: unauthorized`), the device ends: coming again does not help.",
    check: ({ driven: { early, first }, device: { stranger } }) => {
      assert.equal(early.err, "human readable error\n");
      assert.deepEqual([first.connections, messages(first)], [1, [idOf(1), "hello"]]);
      assert.deepEqual(stranger, { code: 3, out: "", err: "human readable error\n" });
    },
  },
  {
    id: "T64",
    says: "A terminal that reconnects uses the same peer_id, and sends what is in flight again under the same id.",
    check: ({ driven: { kept, back, waiting, backAgain } }) => {
      for (const [before, after] of [
        [kept, back],
        [waiting, backAgain],
      ] as const) {
        assert.deepEqual(after.sent, [SEED.connect, ...before.sent]);
      }
      assert.match(waiting.log, /acknowledged/, "also when it was acknowledged");
    },
  },
  {
    id: "T65",
    says: "A terminal that was killed goes on with what was in flight.",
    check: ({ driven: { waiting, killed, exitCode } }) => {
      assert.deepEqual(killed.sent, [SEED.connect, ...waiting.sent]);
      assert.deepEqual([killed.out, killed.err, exitCode], ["", "At last.\n", 0]);
    },
  },
  {
    id: "T66",
    says: "The terminal ignores unknown frames and fields.",
    check: ({ driven: { odd, fields } }) => {
      assert.deepEqual([odd.out, odd.err, odd.sent], ["", "", []]);
      assert.deepEqual([fields.out, fields.err], ["Six.\n", ""]);
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
    check: ({ driven: { kept, back } }) => {
      const { timers, ids } = play([...HELLO, timer("dead"), ...BACK]);
      assert.ok(timers.includes("dead 10000"));
      assert.deepEqual(ids, [ID, ID]);
      assert.deepEqual(messages(back), messages(kept));
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
    check: ({ driven: { thrice, foreign } }) => {
      assert.deepEqual([thrice.out, thrice.err], ["Aye.\n", "Aye.\n"]);
      assert.deepEqual([foreign.out, foreign.err], ["", "Not yours.\n"]);
      assert.deepEqual(
        messages(foreign),
        [idOf(3), "three"],
        "another message's reply ends no turn",
      );
    },
  },
  {
    id: "T72",
    says: "An acknowledgement says what became of a message.",
    difference:
      "The document does not say what one means that is neither accepted nor a duplicate nor an error. The device waits for the reply.",
    check: ({ driven: { unclear, clear } }) => {
      assert.deepEqual([unclear.out, unclear.err, unclear.sent], ["", "", []]);
      assert.equal(clear.out, "Seven.\n");
    },
  },
];
