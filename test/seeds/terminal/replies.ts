// T21 to T34: how messages are answered, and what else a server is sent.
import assert from "node:assert/strict";
import { BY_HAND, SEED } from "../../e2e/terminal/seed.ts";
import type { DeviceFrame } from "../../support/windows/terminal-device.ts";
import type { Row } from "../suite.ts";
import type { World } from "./world.ts";

const session = (name: string) => `terminal-dev:local:${name}`;

export const REPLY_ROWS: readonly Row<World>[] = [
  {
    id: "T21",
    says: "An acknowledgement may have an `error`.",
    difference:
      "It has one, beside the cached reply, when an id comes again with another text: nothing was taken.",
    check: ({ heard: { again } }) => {
      assert.match(String(again?.[1]?.["error"]), /was used before with another text/);
      assert.equal(again?.[1]?.["reply"], "Hello.");
    },
  },
  {
    id: "T22",
    says: "The acknowledgement comes before the reply.",
    check: ({ heard: { literal, both } }) => {
      assert.deepEqual(
        literal?.map(({ type }) => type),
        ["ack", "message"],
      );
      for (const id of ["two-1", "two-2"]) {
        const kinds = both?.filter((frame) => frame["message_id"] === id).map(({ type }) => type);
        assert.deepEqual(kinds, ["ack", "message"]);
      }
    },
  },
  {
    id: "T23",
    says: "The reply has type, role, message_id, run_id, text and finish_reason.",
    check: ({ heard: { literal } }) => {
      const reply = literal?.[1] ?? {};
      assert.deepEqual(Object.keys(reply), Object.keys(JSON.parse(BY_HAND.reply) as object));
      const { run_id, ...rest } = reply as Record<string, unknown>;
      assert.match(String(run_id), /^run_/);
      const { run_id: _run, ...expected } = SEED.reply;
      assert.deepEqual(rest, { ...expected, text: "Hello." });
    },
  },
  {
    id: "T24",
    says: "finish_reason is `stop`, or `error` when the run failed.",
    check: ({ heard: { literal, failed } }) => {
      assert.equal(literal?.[1]?.["finish_reason"], "stop");
      assert.deepEqual(
        [failed?.[1]?.["finish_reason"], failed?.[1]?.["text"]],
        ["error", "no ink"],
      );
    },
  },
  {
    id: "T25",
    says: "finish_reason is usually one of these.",
    difference:
      "`needs_input`, with a `request_id`, is a question: its text says which words answer it, and the next message is read as one. `cancelled` is a turn that was stopped elsewhere.",
    check: ({ heard: { asking, answered } }) => {
      const { finish_reason, request_id, text } = (asking?.[1] ?? {}) as Partial<DeviceFrame>;
      assert.equal(finish_reason, "needs_input");
      assert.match(String(request_id), /^ap_/);
      assert.match(String(text), /Reply yes, .* or no\.$/);
      assert.equal(answered?.[1]?.["finish_reason"], "stop");
    },
  },
  {
    id: "T26",
    says: "Only the final text is sent, no tokens.",
    check: ({ heard: { missed } }) =>
      assert.match(String(missed?.[0]?.["text"]), /^(word ){60}end$/),
  },
  {
    id: "T27",
    says: "`ping` is answered with `pong`.",
    check: ({ heard: { before } }) => assert.deepEqual(before?.[5], SEED.pong),
  },
  {
    id: "T28",
    says: "A terminal that reconnects with the same peer_id keeps its session.",
    check: ({ heard: { missed, later } }) => {
      assert.equal(missed?.[0]?.["message_id"], "slow-1", "what it missed is sent");
      assert.equal(later?.[0]?.["session_id"], session("slow"));
      assert.equal(later?.[1]?.["text"], "Later.");
    },
  },
  {
    id: "T29",
    says: "The recommended message_id is <peer_id>-<counter>.",
    difference:
      "Whatever the device is called: ids may have any characters, a peer_id up to 1,024 bytes and a message_id up to 1,100.",
    check: ({ heard: { unicode } }) => {
      assert.deepEqual(
        unicode?.map(({ type }) => type),
        ["connected", "ack", "message"],
      );
      assert.ok(unicode?.slice(1).every((frame) => frame["message_id"] === "Küche 1-000001"));
    },
  },
  {
    id: "T30",
    says: "A device should have one turn in flight.",
    difference:
      "One that sends several gets an acknowledgement for each at once, and the replies in their order.",
    check: ({ heard: { both } }) =>
      assert.deepEqual(
        both?.map((frame) => frame["text"] ?? frame.type),
        ["ack", "ack", "One.", "Two."],
      ),
  },
  {
    id: "T31",
    says: "The terminal does not use /ws/{session_id}.",
    check: ({ elsewhere }) => assert.equal(elsewhere, 404),
  },
  {
    id: "T32",
    says: "The client of the document's pseudocode works.",
    difference: "Unmodified, with the token as the password of its address.",
    check: ({ heard: { password } }) => {
      const [, ack, reply] = password ?? [];
      assert.equal(ack?.["message_id"], "plain-000001");
      assert.deepEqual([reply?.["message_id"], reply?.["text"]], ["plain-000001", "Plain."]);
    },
  },
  {
    id: "T33",
    says: "A completed duplicate has the cached reply.",
    difference:
      "The document does not define it for a failed turn. It is the text of its reply, which reported the failure.",
    check: ({ heard: { failedAgain } }) => assert.equal(failedAgain?.[0]?.["reply"], "no ink"),
  },
  {
    id: "T34",
    says: "All frames are UTF-8 JSON objects.",
    difference:
      "The document does not say what becomes of others. A binary frame closes the connection with 1003, one of more than 1 MiB with 1009.",
    check: ({ binary, oversized }) => assert.deepEqual([binary, oversized], [1003, 1009]),
  },
];
