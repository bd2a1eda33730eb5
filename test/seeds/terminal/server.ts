// T1 to T20: how a device connects, and how its messages are acknowledged.
import assert from "node:assert/strict";
import { BY_HAND, SEED } from "../../e2e/terminal/seed.ts";
import type { DeviceFrame } from "../../support/windows/terminal-device.ts";
import type { World } from "./world.ts";
import type { Row } from "../suite.ts";

/** A row about a frame that is refused with a sentence, and a connection that stays. */
function refused(id: string, says: string, about: "before" | "wrong", at: number): Row<World> {
  return {
    id,
    says: `${says}.`,
    check: ({ heard }) => {
      const { type, error } = (heard[about]?.[at] ?? {}) as Partial<DeviceFrame>;
      assert.deepEqual([type, String(error).startsWith(says)], ["error", true], String(error));
    },
  };
}
const session = (name: string) => `terminal-dev:local:${name}`;

export const SERVER_ROWS: readonly Row<World>[] = [
  {
    id: "T1",
    says: "A terminal connects to /api/channels/<channel_id>/ws; the first channel is terminal-dev.",
    check: ({ heard: { connect }, otherChannel }) => {
      assert.equal(connect?.[0]?.["channel_id"], "terminal-dev");
      assert.equal(otherChannel, 404, "a channel that nobody set up");
    },
  },
  {
    id: "T2",
    says: "There is no authorization, device registration or pairing in the first pass.",
    difference:
      "A token is needed: in the Authorization header, as `token` in connect, or as the password of the address (`ws://device:TOKEN@host/…`), which works with an unmodified device. With --no-auth (loopback only) there is none.",
    check: ({ heard: { noToken, password } }) => {
      assert.deepEqual([noToken?.[0]?.type, noToken?.[0]?.["code"]], ["error", "unauthorized"]);
      assert.deepEqual(
        password?.map(({ type }) => type),
        ["connected", "ack", "message"],
      );
    },
  },
  {
    id: "T3",
    says: "The server ignores unknown fields.",
    check: ({ heard: { connect, literal } }) => {
      assert.equal(connect?.[0]?.type, "connected");
      assert.equal(literal?.[0]?.["accepted"], true);
    },
  },
  {
    id: "T4",
    says: "`connect` is answered with `connected`, which has channel_id and session_id.",
    check: ({ heard: { connect } }) => {
      assert.deepEqual(connect?.[0], SEED.connected);
      assert.equal(JSON.stringify(connect?.[0]), BY_HAND.connected);
    },
  },
  {
    id: "T5",
    says: "The session of device-001 is terminal-dev:local:device-001.",
    check: ({ heard: { literal } }) =>
      assert.equal(literal?.[0]?.["session_id"], session("device-001")),
  },
  refused("T6", "peer_id is required", "before", 1),
  {
    id: "T7",
    says: "device_name and capabilities are recommended, not required.",
    check: ({ heard: { connect } }) => {
      // The frame had a list for a name and a number for capabilities.
      assert.deepEqual(connect?.[0], SEED.connected);
    },
  },
  {
    id: "T8",
    says: "A thread_id makes a separate session.",
    check: ({ heard: { threads } }) =>
      assert.deepEqual(
        threads?.filter(({ type }) => type === "ack").map((ack) => ack["session_id"]),
        [
          session("device-002"),
          `${session("device-002")}:th1`, // of one message
          `${session("device-003")}:th2`, // of all that a connection says
        ],
      ),
  },
  {
    id: "T9",
    says: "A user_id is optional.",
    difference: "With one, the user's id stands in the session's id where `local` stands without.",
    check: ({ heard: { user } }) =>
      assert.equal(user?.[0]?.["session_id"], "terminal-dev:ida:device-001"),
  },
  refused("T10", "message_id is required", "wrong", 0),
  {
    id: "T11",
    says: "text is required, and not empty.",
    check: ({ heard: { wrong } }) =>
      assert.deepEqual(
        wrong?.slice(1).map(({ error }) => error),
        ["text is required.", "text is required."],
      ),
  },
  refused("T12", "connect is required before message", "before", 0),
  refused("T13", "Unsupported websocket frame type", "before", 2),
  {
    id: "T14",
    says: "The connection stays open after an error.",
    check: ({ heard: { before, connect } }) => {
      assert.deepEqual(
        before?.slice(0, 5).map(({ type }) => type),
        Array(5).fill("error"),
      );
      assert.equal(connect?.[0]?.type, "connected", "on the same socket");
    },
  },
  {
    id: "T15",
    says: "A message is acknowledged with `accepted: true`.",
    check: ({ heard: { literal } }) => {
      assert.deepEqual(literal?.[0], SEED.accepted);
      assert.equal(JSON.stringify(literal?.[0]), BY_HAND.accepted);
    },
  },
  {
    id: "T16",
    says: "A duplicate that is still processed is acknowledged with `duplicate` and `pending: true`.",
    check: ({ heard: { pending } }) =>
      assert.deepEqual(pending?.[0], {
        ...SEED.pending,
        message_id: "slow-1",
        session_id: session("slow"),
      }),
  },
  {
    id: "T17",
    says: "A duplicate that is completed is acknowledged with `pending: false` and the cached reply.",
    check: ({ heard: { again } }) =>
      assert.deepEqual(again?.[0], { ...SEED.completed, reply: "Hello." }),
  },
  {
    id: "T18",
    says: "A message_id is unique for a user's message; used again it is a duplicate.",
    difference:
      "Within its session: the same id of another device, thread or user is another message.",
    check: ({ heard: { threads } }) =>
      assert.deepEqual(
        threads?.map((frame) => frame["accepted"] ?? frame["text"]),
        [true, "Other.", true, "Thread.", true, "Whole."],
      ),
  },
  {
    id: "T19",
    says: "It is one on another socket, too.",
    check: ({ heard: { accepted, pending } }) => {
      assert.equal(accepted?.[0]?.["accepted"], true);
      assert.equal(pending?.[0]?.["duplicate"], true);
    },
  },
  {
    id: "T20",
    says: "It is one after a restart of the server, too.",
    check: ({ heard: { cached, missed } }) => {
      assert.deepEqual([cached?.[0]?.["duplicate"], cached?.[0]?.["pending"]], [true, false]);
      assert.equal(cached?.[0]?.["reply"], missed?.[0]?.["text"]);
    },
  },
];
