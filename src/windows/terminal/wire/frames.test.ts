import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../../test/support/tries.ts";
import { BY_HAND, SEED } from "../../../../test/e2e/terminal/seed.ts";
import { parseDeviceFrame, type DeviceFrame } from "./frames.ts";

const parsed = (frame: unknown) => parseDeviceFrame(JSON.stringify(frame));
const problem = (frame: unknown) => {
  const { type, ...rest } = typeof frame === "string" ? parseDeviceFrame(frame) : parsed(frame);
  assert.equal(type, "bad", JSON.stringify(frame));
  return rest as { error: string; messageId: string | undefined };
};

test("[W6] what the document says a device sends is understood", () => {
  const none = { userId: undefined, threadId: undefined };
  const connect = {
    type: "connect",
    connect: {
      peerId: "device-001",
      deviceName: "desk-terminal",
      token: undefined,
      ...none,
    },
  };
  assert.deepEqual(parsed(SEED.connect), connect);
  assert.deepEqual(parseDeviceFrame(BY_HAND.connect), connect);
  const message = { messageId: "m-001", text: "hello", ...none, answers: undefined };
  assert.deepEqual(parsed(SEED.message), { type: "message", message });
  const again = { ...message, messageId: "device-001-000001" };
  assert.deepEqual(parseDeviceFrame(BY_HAND.message), { type: "message", message: again });
  assert.deepEqual(parsed(SEED.ping), { type: "ping" });
});

test("[W6] optional fields are taken, unknown ones and recommended ones that are odd are ignored", () => {
  const { connect } = parsed({
    ...SEED.connect,
    user_id: "u",
    thread_id: "t",
    token: "secret",
    capabilities: 7,
    device_name: ["x"],
    firmware: { deep: [[]] },
  }) as Extract<DeviceFrame, { type: "connect" }>;
  assert.deepEqual(connect, {
    peerId: "device-001",
    deviceName: undefined,
    userId: "u",
    threadId: "t",
    token: "secret",
  });
  const { message } = parsed({ ...SEED.message, user_id: "u", thread_id: "", extra: 1 }) as Extract<
    DeviceFrame,
    { type: "message" }
  >;
  assert.deepEqual(message, {
    messageId: "m-001",
    text: "hello",
    userId: "u",
    threadId: undefined,
    answers: undefined,
  });
  for (const answers of [null, "ap_run_1"]) {
    assert.deepEqual(parsed({ ...SEED.message, user_id: "u", answers }), {
      type: "message",
      message: { ...message, answers },
    });
  }
});

test("[W6] bad frames get the document's sentences, and the message's id where there is one", () => {
  for (const odd of ["", "{", "[", "nul", "{'type':1}"]) {
    assert.equal(problem(odd).error, "The frame is not JSON.");
  }
  for (const odd of [null, 1, true, [], [SEED.ping]]) {
    assert.equal(problem(odd).error, "The frame is not a JSON object.");
  }
  for (const odd of [{}, { type: 1 }, { type: null }]) {
    assert.equal(problem(odd).error, "Unsupported websocket frame type.");
  }
  assert.equal(problem(SEED.pong).error, 'Unsupported websocket frame type: "pong".');
  assert.equal(
    problem({ type: "constructor" }).error,
    'Unsupported websocket frame type: "constructor".',
  );
  for (const peer_id of [undefined, null, "", 7, {}]) {
    assert.equal(problem({ ...SEED.connect, peer_id }).error, "peer_id is required.");
  }
  for (const message_id of [undefined, null, "", 7, []]) {
    const { error, messageId } = problem({ ...SEED.message, message_id });
    assert.deepEqual([error, messageId], ["message_id is required.", undefined]);
  }
  for (const message_id of ["\u0000", "\ud800"]) {
    assert.equal(problem({ ...SEED.message, message_id }).error, "message_id is not a text.");
  }
  const long = problem({ ...SEED.message, message_id: "ü".repeat(551) }).error;
  assert.equal(long, "message_id is too long (at most 1100 bytes).");
  for (const text of [undefined, null, "", "  \n\t", 7, {}]) {
    const { error, messageId } = problem({ ...SEED.message, text });
    assert.deepEqual([error, messageId], ["text is required.", "m-001"]);
  }
  assert.match(problem({ ...SEED.message, text: "x".repeat(131_073) }).error, /^text is too long/);
  assert.equal(parsed({ ...SEED.message, text: "x".repeat(131_072) }).type, "message");
  for (const field of ["user_id", "thread_id"]) {
    assert.equal(problem({ ...SEED.connect, [field]: 7 }).error, `${field} must be a text.`);
    const { error, messageId } = problem({ ...SEED.message, [field]: "x".repeat(1_025) });
    assert.match(error, new RegExp(`^${field} is too long`));
    assert.equal(messageId, "m-001");
  }
  for (const answers of [7, {}, true, "x".repeat(301)]) {
    const { error, messageId } = problem({ ...SEED.message, answers });
    assert.deepEqual([error, messageId], ["answers must be a request_id or null.", "m-001"]);
  }
  assert.match(
    problem({ ...SEED.connect, peer_id: "x".repeat(1_025) }).error,
    /^peer_id is too long/,
  );
});

test("[W6] nothing a device can send makes the parser throw", () => {
  const key = fc.constantFrom(
    "type",
    "peer_id",
    "message_id",
    "text",
    "user_id",
    "thread_id",
    "answers",
    "token",
  );
  const type = fc.constantFrom("connect", "message", "ping", "pong", "error", "__proto__");
  const frame = fc.dictionary(key, fc.oneof(type, fc.jsonValue()));
  const noise = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    frame.map((each) => JSON.stringify(each)),
  );
  fc.assert(
    fc.property(noise, (text) => {
      const { type: kind } = parseDeviceFrame(text);
      assert.ok(["connect", "message", "ping", "bad"].includes(kind));
    }),
    { numRuns: tries(20_000) },
  );
  assert.equal(parseDeviceFrame("[".repeat(1_000_000)).type, "bad");
});

test("[W6] whoever is let in has room for the ids that the document recommends", () => {
  for (const peer_id of ["Küche 1", "x".repeat(1_024), "ü".repeat(512), "台所-1"]) {
    assert.equal(parsed({ ...SEED.connect, peer_id }).type, "connect");
    assert.equal(parsed({ ...SEED.message, message_id: `${peer_id}-000001` }).type, "message");
  }
  assert.match(
    problem({ ...SEED.connect, peer_id: "ü".repeat(513) }).error,
    /^peer_id is too long/,
  );
});
