import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import fc from "fast-check";
import { blobStore } from "../../blobs/blobs.ts";
import { createRedactor } from "../../redact/redact.ts";
import { boundedOutput } from "./bounded-output.ts";
import { outputRooms } from "./output-room.ts";

function newStore() {
  const path = mkdtempSync(join(tmpdir(), "qd-blobs-"));
  return {
    path,
    blobs: blobStore(path),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

test("[B1, E9] any output is kept whole: in the event while it fits, else as head, tail and blob", async () => {
  using store = newStore();
  const sizes = fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sizes, async (lengths) => {
      const output = boundedOutput({ blobs: store.blobs, redactor: undefined });
      const chunks = lengths.map((length, index) => Buffer.alloc(length, 97 + (index % 26)));
      for (const chunk of chunks) await output.add(chunk);
      const kept = await output.finish();
      const all = Buffer.concat(chunks);

      assert.equal(kept.bytes, all.byteLength);
      if (!kept.truncated) return assert.equal(kept.head, all.toString());
      assert.equal(kept.sha256, createHash("sha256").update(all).digest("hex"));
      assert.ok(all.toString().startsWith(kept.head) && all.toString().endsWith(kept.tail));
      assert.deepEqual(await buffer(store.blobs.read(kept.sha256 ?? "")), all);
    }),
    { numRuns: 40 },
  );
});

test("[B1] what was discarded leaves nothing behind", async () => {
  using store = newStore();
  const output = boundedOutput({ blobs: store.blobs, redactor: undefined });
  await output.add(Buffer.alloc(100_000, 97));
  await output.discard();
  assert.deepEqual(readdirSync(store.path), []);
});

test("[B1, B3] bytes that are no text do not reach the journal as such", async () => {
  using store = newStore();
  const output = boundedOutput({ blobs: store.blobs, redactor: undefined });
  await output.add(Buffer.from([0xff, 0xfe, 0x41, 0xed, 0xa0, 0x80]));
  const { head } = await output.finish();
  assert.ok(head.isWellFormed() && head.includes("A"));
});

test("[R14, B1] what was held back as the beginning of a secret is shown when it turns out to be none", async () => {
  using store = newStore();
  const redactor = createRedactor([{ name: "key", value: "course-is-set" }]);
  const output = boundedOutput({ blobs: store.blobs, redactor });
  let live = await output.add(Buffer.from("on cour"));
  const { head } = await output.finish(async (rest, channel) => {
    live += `${rest} (${channel})`;
  });
  assert.equal(head, "on cour");
  assert.equal(live, "on cour (stdout)");
});

test("[B1] letters that arrive in halves are shown whole on each channel, whatever comes between", async () => {
  using store = newStore();
  const output = boundedOutput({ blobs: store.blobs, redactor: undefined });
  const [first, second] = [Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)];

  const shown = [
    await output.add(first, "stdout"),
    await output.add(Buffer.from("error"), "stderr"),
    await output.add(second, "stdout"),
  ];

  assert.deepEqual(shown, ["", "error", "é"]);
});

test("[SB7] beyond the limit of a call its beginning, its end and how much is missing are kept", async () => {
  using store = newStore();
  const MIB = 1 << 20;
  const room = outputRooms({ callBytes: 2 * MIB, sessionBytes: 100 * MIB })("s");
  const output = boundedOutput({ blobs: store.blobs, redactor: undefined }, room);
  const lines = Array.from({ length: 5 * 16_384 }, (_, at) => `${at}`.padStart(63) + "\n");
  for (let at = 0; at < lines.length; at += 1_000) {
    await output.add(Buffer.from(lines.slice(at, at + 1_000).join("")));
  }
  const kept = await output.finish();

  assert.equal(kept.bytes, 5 * MIB);
  assert.equal(output.leftOut(), 3 * MIB);
  const text = (await buffer(store.blobs.read(kept.sha256 ?? ""))).toString();
  const [first, last = ""] = text.split(`\n[${3 * MIB} bytes are left out here]\n`);
  assert.equal(first, lines.slice(0, 16_384).join(""));
  assert.equal(last, lines.slice(-16_384).join(""));
  assert.equal(kept.tail, last.slice(-16_384));
});

test("[SB7] a session that has printed its share keeps only heads and tails from then on", async () => {
  using store = newStore();
  const MIB = 1 << 20;
  const rooms = outputRooms({ callBytes: 4 * MIB, sessionBytes: 6 * MIB });
  const left: number[] = [];
  for (const session of ["a", "a", "a", "b"]) {
    const output = boundedOutput({ blobs: store.blobs, redactor: undefined }, rooms(session));
    for (let at = 0; at < 4; at += 1) await output.add(Buffer.alloc(MIB, 97));
    const { bytes, head, tail } = await output.finish();
    assert.deepEqual([bytes, head.length, tail.length], [4 * MIB, 16_384, 16_384]);
    left.push(output.leftOut());
  }
  assert.deepEqual(left, [0, 2 * MIB, 4 * MIB, 0]);
});
