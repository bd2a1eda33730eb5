// Frames of every kind of wrong, on open sockets: each gets its one answer, nothing is lost or thrown, and
// no socket is closed for it.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../test/support/tries.ts";
import { SEED } from "../../../test/e2e/terminal/seed.ts";
import type { Device } from "../../../test/support/windows/terminal-device.ts";
import * as p from "../../../test/support/windows/terminal-place.ts";

const FRAMES = tries(27_000);
const SOCKETS = 6;
const BATCH = 250;

const odd = fc.oneof(
  fc.constantFrom(undefined, null, "", " ", 0, true, [], {}, "\u0000", "\ud800", "x".repeat(300)),
  fc.jsonValue({ maxDepth: 2 }),
);
const peer = fc.constantFrom("device-001", "device-002", "a:b", "ü", "x".repeat(1_025));
const id = fc.constantFrom("m1", "m2", "m3", "m4", "m 5", "m".repeat(256));
const text = fc.constantFrom("hello", "other", "yes", "", "say hi", "z".repeat(140_000));
const thread = fc.constantFrom(undefined, "t1", "t2", null, 7);
const type = fc.constantFrom("connect", "message", "ping", "pong", "ack", "__proto__", "Message");

const wellFormed = fc.oneof(
  fc.record({ type: fc.constant("connect"), peer_id: fc.oneof(peer, odd), user_id: thread }),
  fc.record({
    type: fc.constant("message"),
    message_id: fc.oneof({ weight: 3, arbitrary: id }, odd),
    text: fc.oneof({ weight: 20, arbitrary: fc.constant("hello") }, text, odd),
    thread_id: thread,
  }),
  fc.constant({ type: "ping" }),
);
const anyObject = fc.dictionary(
  fc.constantFrom("type", "peer_id", "text", "token", "__proto__"),
  fc.oneof(type, odd),
);
const broken = fc
  .tuple(
    wellFormed.map((frame) => JSON.stringify(frame)),
    fc.nat(60),
  )
  .map(([whole, cut]) => whole.slice(0, cut));
const frames = fc.oneof(
  { weight: 3, arbitrary: wellFormed.map((frame) => JSON.stringify(frame)) },
  anyObject.map((frame) => JSON.stringify(frame)),
  fc.json({ maxDepth: 3 }),
  broken,
  fc.string({ unit: "binary", maxLength: 40 }),
);

/** Sends them all at once and takes one answer for each. */
async function answered(device: Device, batch: readonly string[]): Promise<Map<string, number>> {
  const from = device.frames.length;
  for (const frame of batch) device.send(frame);
  const kinds = new Map<string, number>();
  for (let count = 0; count < batch.length; count += 1) {
    const { type: kind } = await device.next();
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  assert.equal(device.frames.length, from + batch.length);
  return kinds;
}

test(`[W6, W9] ${FRAMES.toLocaleString("en")} frames: one answer each, the connection stays, nothing else is done`, async () => {
  await using at = await p.place();
  const devices = await Promise.all(Array.from({ length: SOCKETS }, () => at.device()));
  const all = fc.sample(frames, { numRuns: FRAMES, seed: 20_261_115 });
  const total = new Map<string, number>();
  await Promise.all(
    devices.map(async (device, mine) => {
      for (let at_ = mine * BATCH; at_ < all.length; at_ += SOCKETS * BATCH) {
        for (const [kind, count] of await answered(device, all.slice(at_, at_ + BATCH))) {
          total.set(kind, (total.get(kind) ?? 0) + count);
        }
      }
      assert.deepEqual(await device.rest(), []);
    }),
  );
  assert.deepEqual([...total.keys()].toSorted(), ["ack", "connected", "error", "pong"]);
  assert.equal(
    [...total.values()].reduce((sum, count) => sum + count, 0),
    FRAMES,
  );
  for (const kind of ["ack", "connected", "error", "pong"])
    assert.ok((total.get(kind) ?? 0) > 300, kind);
  const sessions = await at.journal.reads.sessions({ limit: 1_000, offset: 0 });
  for (const { session_id } of sessions) {
    assert.match(session_id, /^terminal-dev:/);
    for (const { prompt } of await at.journal.reads.runsOf(session_id))
      assert.ok(prompt.trim() !== "");
  }
  for (const device of devices) device.ws.terminate();
});

test("[W9a] what is no text, or too much of it, closes the connection and nothing else", async () => {
  await using at = await p.place();
  using other = await at.device();
  await p.connected(other);
  using binary = await at.device();
  binary.ws.send(Buffer.from(JSON.stringify(SEED.connect)));
  assert.equal((await binary.closed).code, 1003);
  using large = await at.device();
  large.send({ ...SEED.connect, padding: "x".repeat(1_100_000) });
  assert.equal((await large.closed).code, 1009);
  using broken = await at.device();
  broken.ws.send(Buffer.from([0xff, 0xfe, 0x22]), { binary: false });
  assert.equal((await broken.closed).code, 1007);
  assert.deepEqual(await other.rest(), []);
});
