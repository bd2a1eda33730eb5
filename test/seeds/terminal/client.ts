// T35 to T54: our own device: what it is set with, what it sends, how it waits.
import assert from "node:assert/strict";
import { SEED } from "../../e2e/terminal/seed.ts";
import type { Seen } from "./driven.ts";
import { frame, HELLO, ID, LOST, ONLINE, play, timer } from "./machine.ts";
import { idOf } from "./script.ts";
import type { World } from "./world.ts";
import type { Row } from "../suite.ts";

/** The id and the text of each message that was sent. */
export const messages = ({ sent }: Seen) =>
  sent.flatMap(({ type, message_id, text }) => (type === "message" ? [message_id, text] : []));

export const CLIENT_ROWS: readonly Row<World>[] = [
  {
    id: "T35",
    says: "The WebSocket URL is configurable, for example with BEAVER_WS_URL.",
    difference: "Also with --url. Without either the device finds the server of its home.",
    check: ({ device: { first, second } }) => {
      assert.equal(first.out, "HELLO\nWORLD\n", "by the environment");
      assert.equal(second.out, "HELLO\n", "by the option");
    },
  },
  {
    id: "T36",
    says: "peer_id and device_name are configurable with TERMINAL_PEER_ID and TERMINAL_DEVICE_NAME.",
    check: ({ device: { sent } }) => {
      const { peer_id, device_name } = sent[0] ?? {};
      assert.deepEqual([peer_id, device_name], ["device-001", "desk-terminal"]);
    },
  },
  {
    id: "T37",
    says: "wss:// is used behind TLS.",
    check: ({ device: { secure, noSocket } }) => {
      // Nobody speaks TLS there: the address is taken, the connection is not.
      assert.equal(secure.code, 3);
      assert.match(secure.err, /No connection|The server is away/);
      assert.match(noSocket.err, /not the address of a WebSocket/);
    },
  },
  {
    id: "T38",
    says: "The terminal sends `connect` immediately after the WebSocket opens.",
    check: ({ device: { sent }, driven: { early } }) => {
      assert.deepEqual(sent[0], SEED.connect);
      assert.deepEqual(early.sent, [SEED.connect], "and nothing else before `connected`");
    },
  },
  {
    id: "T39",
    says: "peer_id is stable: it is loaded, or created once.",
    difference:
      "Where none is set it is the computer's name of the first start, which is kept in the home (`terminal-peer`).",
    check: ({ device: { unnamed } }) => {
      assert.equal(unnamed.length, 3);
      assert.equal(new Set(unnamed).size, 1, unnamed.join());
    },
  },
  {
    id: "T40",
    says: "A message has type, message_id and text.",
    difference:
      "One field more, `answers`: the request that the text was typed in answer to, or null. Servers that do not know it ignore it.",
    check: ({ device: { sent } }) => {
      const [message] = sent.filter(({ type }) => type === "message");
      assert.deepEqual(message, { type: "message", message_id: ID, text: "hello", answers: null });
    },
  },
  {
    id: "T41",
    says: "message_id is <peer_id>-<monotonic counter>, and the counter is persisted.",
    check: ({ device: { sent }, driven: { memory } }) => {
      const ids = sent.filter(({ type }) => type === "message").map(({ message_id }) => message_id);
      assert.deepEqual(ids.slice(0, 4), [1, 2, 3, 4].map(idOf), "over two starts");
      assert.match(
        memory,
        /"counter":1,.*"message_id":"device-001-000001"/,
        "on disk when it is sent",
      );
    },
  },
  {
    id: "T42",
    says: "Ids stay unique when the counter is lost.",
    difference:
      "A lost counter begins at 1 again. When the server knows such an id, the device takes a higher one before it shows anything: no old reply is taken for a new one.",
    check: ({ device: { afterLoss, sent }, driven: { renumbered } }) => {
      assert.equal(afterLoss.code, 0);
      assert.equal(sent.filter(({ message_id }) => message_id === ID).length, 2);
      assert.deepEqual(messages(renumbered), [idOf(10), "ten", idOf(11), "ten"]);
      assert.deepEqual([renumbered.out, renumbered.err], ["", ""]);
    },
  },
  {
    id: "T43",
    says: "Only one user turn is in flight at a time; the others are queued.",
    check: ({ driven: { first, acknowledged, second } }) => {
      assert.deepEqual(messages(first), [idOf(1), "hello"]);
      assert.deepEqual(messages(acknowledged), []);
      assert.deepEqual(messages(second), [idOf(2), "world"]);
    },
  },
  {
    id: "T44",
    says: "The states are DISCONNECTED, CONNECTING, WAIT_CONNECTED, READY, WAIT_ACK, WAIT_REPLY, and READY again.",
    check: ({ driven: { early, first, acknowledged, second } }) => {
      const { phases } = play([...HELLO, frame(SEED.accepted), frame(SEED.reply)]);
      const states = ["CONNECTING", "WAIT_CONNECTED", "READY", "WAIT_ACK", "WAIT_REPLY", "READY"];
      assert.deepEqual(phases, states);
      assert.equal(play([...HELLO, LOST]).state.phase, "DISCONNECTED");
      const order = [early, first, acknowledged, second].map(({ sent }) => sent[0]?.["type"]);
      assert.deepEqual(order, ["connect", "message", undefined, "message"]);
    },
  },
  {
    id: "T45",
    says: "After `accepted: true` the terminal waits for the assistant's message.",
    check: ({ driven: { acknowledged, second } }) => {
      assert.deepEqual([acknowledged.out, acknowledged.sent], ["", []]);
      assert.equal(second.out, "assistant reply\n");
    },
  },
  {
    id: "T46",
    says: "The reply of a duplicate is displayed.",
    check: ({ driven: { back } }) => assert.equal(back.out, "cached assistant reply\n"),
  },
  {
    id: "T47",
    says: "After a duplicate that is pending the terminal keeps waiting.",
    check: ({ driven: { pending, waited } }) => {
      assert.deepEqual([pending.out, pending.err, pending.sent], ["", "", []]);
      assert.equal(waited.out, "Eight.\n");
    },
  },
  {
    id: "T48",
    says: "The error of an acknowledgement is displayed or logged.",
    check: ({ driven: { refused } }) => {
      assert.deepEqual([refused.out, refused.err], ["", "no room\n"]);
      assert.deepEqual(messages(refused), [idOf(6), "six"], "and the next line is sent");
    },
  },
  {
    id: "T49",
    says: "So is the error of a duplicate's acknowledgement.",
    difference:
      "A device that has never sent the id takes a higher one first, at most twenty times; then it shows the error.",
    check: ({ driven: { always, tries, pendingFailed } }) => {
      for (const { out, err } of [always, pendingFailed]) {
        assert.deepEqual([out, err], ["", "this turn failed before\n"]);
      }
      assert.equal(tries, 21);
    },
  },
  {
    id: "T50",
    says: "A reply that comes before its acknowledgement is taken.",
    check: ({ driven: { thrice } }) => assert.equal(thrice.out, "Aye.\n"),
  },
  {
    id: "T51",
    says: "finish_reason `error` is a failed turn.",
    difference:
      "In a pipe its text goes to standard error, never to standard output as if it were a reply, and the exit code is 1.",
    check: ({ device: { second } }) =>
      assert.deepEqual(second, { code: 1, out: "HELLO\n", err: "no ink\n" }),
  },
  {
    id: "T52",
    says: "A ping is sent every 30 seconds.",
    check: () => {
      assert.ok(play(ONLINE).timers.includes("ping 30000"));
      const { frames, timers } = play([...ONLINE, timer("ping")]);
      assert.deepEqual(frames.at(-1), SEED.ping);
      assert.equal(timers.at(-1), "ping 30000");
    },
  },
  {
    id: "T53",
    says: "Without a pong after a reasonable time the terminal reconnects.",
    check: () => {
      const { timers, phases } = play([...ONLINE, timer("ping"), timer("dead")]);
      assert.ok(timers.includes("dead 10000") && timers.includes("retry 1000"));
      assert.equal(phases.at(-1), "DISCONNECTED");
    },
  },
  {
    id: "T54",
    says: "Any other frame counts like a pong.",
    check: () => {
      for (const sign of [SEED.pong, { type: "news" }, SEED.error]) {
        const { effects } = play([...ONLINE, timer("ping"), frame(sign)]);
        assert.ok(
          effects.some((each) => each.type === "timer" && each.name === "dead" && each.ms === null),
        );
      }
    },
  },
];
