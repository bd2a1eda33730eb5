// The behaviour that every blob store must have (E9, T1): a blob is complete or absent, named by its content, and a read
// returns what was written or fails.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { killedAt, type WritingPlace } from "../../../test/support/journal/blob-killing.ts";
import { contentOf } from "../../../test/support/journal/blob-writing.ts";
import type { BlobRef, BlobStore } from "./blobs.ts";

export type BlobPlace = AsyncDisposable & {
  /** Another process's view of the same blobs. */
  connect(): BlobStore;
  /** Changes stored bytes without the store. */
  tamper(sha256: string, change: (content: Buffer) => Buffer): Promise<void>;
  /** How many unfinished writers left something. */
  leftovers(): Promise<number>;
  /** The arguments for a separate process. */
  readonly writing: WritingPlace;
};
export type OpenBlobs = () => Promise<BlobPlace>;

const CHUNK = 256 << 10; // chunk sizes of the stores that have chunks: their borders are tested
const KEPT = { sha256: hashOf(contentOf(1, 5_000)), bytes: 5_000 };

export function blobsContract(name: string, open: OpenBlobs): void {
  contents(name, open);
  ranges(name, open);
  together(name, open);
  discarding(name, open);
  damage(name, open);
  killing(name, open);
}

export function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

export async function keep(store: BlobStore, content: Buffer, step = 65_536): Promise<BlobRef> {
  const writer = store.create();
  const own = Buffer.alloc(step); // one reused buffer, as a reader of a socket may have
  for (let at = 0; at < content.length; at += step) {
    const length = content.copy(own, 0, at, at + step);
    await writer.write(own.subarray(0, length));
  }
  return writer.finish();
}

function contents(name: string, open: OpenBlobs): void {
  for (const bytes of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 20 << 20]) {
    test(`${name} [E9] ${bytes} bytes come back as they were, to everyone`, async () => {
      await using place = await open();
      const content = contentOf(bytes, bytes);
      const expected = { sha256: hashOf(content), bytes };
      assert.deepEqual(await keep(place.connect(), content, 100_000), expected);
      const other = place.connect();
      assert.equal(await other.size(expected.sha256), bytes);
      assert.ok(content.equals(await buffer(other.read(expected.sha256))));
      assert.equal(await place.leftovers(), 0);
    });
  }

  test(`${name} [E9] one write may be larger than a chunk, or empty`, async () => {
    await using place = await open();
    const store = place.connect();
    const content = contentOf(1, 5 * CHUNK + 7);
    const writer = store.create();
    for (const part of [content.subarray(0, 3), Buffer.alloc(0), content.subarray(3)]) {
      await writer.write(part);
    }
    const { sha256 } = await writer.finish();
    assert.equal(sha256, hashOf(content));
    assert.ok(content.equals(await buffer(store.read(sha256))));
  });

  test(`${name} [E9] one byte at a time makes the same blob`, async () => {
    await using place = await open();
    const store = place.connect();
    const content = contentOf(1, 3_000);
    const { sha256 } = await keep(store, content, 1);
    assert.ok(content.equals(await buffer(store.read(sha256))));
  });

  test(`${name} [E9] unknown and malformed names have no size and cannot be read`, async () => {
    await using place = await open();
    const store = place.connect();
    const { sha256 } = await keep(store, contentOf(1, 10));
    const malformed = ["", "..", "../../etc/passwd", "A".repeat(64), `${sha256}\n`, `${sha256}%`];
    for (const wrong of ["0".repeat(64), sha256.slice(1), sha256.toUpperCase(), ...malformed]) {
      assert.equal(await store.size(wrong), undefined, wrong);
      await assert.rejects(buffer(store.read(wrong)), { code: "ENOENT" }, wrong);
      await assert.rejects(buffer(store.read(wrong, { start: 0, end: 0 })), { code: "ENOENT" });
    }
  });
}

function ranges(name: string, open: OpenBlobs): void {
  test(`${name} [E9] a range has both its ends and nothing beyond the content`, async () => {
    await using place = await open();
    const store = place.connect();
    const size = 3 * CHUNK + 10;
    const content = contentOf(2, size);
    const { sha256 } = await keep(store, content);
    const borders = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK, size - 1, size];
    for (const [index, start] of borders.entries()) {
      for (const end of [...borders.slice(index), size + 5]) {
        const part = await buffer(store.read(sha256, { start, end }));
        assert.ok(part.equals(content.subarray(start, end + 1)), `${start}-${end}`);
      }
    }
    for (const end of [4, 2]) {
      assert.equal((await buffer(store.read(sha256, { start: 5, end }))).length, 0);
    }
    const empty = await store.create().finish();
    assert.equal((await buffer(store.read(empty.sha256, { start: 0, end: 9 }))).length, 0);
  });

  test(`${name} [E9] a reader that leaves or waits keeps nobody from reading`, async () => {
    await using place = await open();
    const store = place.connect();
    const content = contentOf(3, 8 * CHUNK);
    const { sha256 } = await keep(store, content);
    const waiting = Array.from({ length: 6 }, () => store.read(sha256));
    for (const stream of waiting) await once(stream, "readable");
    assert.ok(content.equals(await buffer(store.read(sha256))));
    const [kept, ...left] = waiting;
    for (const stream of left) {
      stream.destroy();
      if (!stream.closed) await once(stream, "close");
    }
    const unread = store.read(sha256).destroy();
    if (!unread.closed) await once(unread, "close");
    assert.ok(kept && content.equals(await buffer(kept)), "it goes on where it was");
  });
}

function together(name: string, open: OpenBlobs): void {
  for (const bytes of [0, 5_000, 5 * CHUNK + 1]) {
    test(`${name} [E9] ${bytes} equal bytes written at once are one blob`, async () => {
      await using place = await open();
      const content = contentOf(4, bytes);
      const stores = [place.connect(), place.connect()];
      const writers = [...stores, ...stores, ...stores].map((store) => store.create());
      for (const writer of writers) await writer.write(content);
      const refs = await Promise.all(writers.map((writer) => writer.finish()));
      const expected = { sha256: hashOf(content), bytes };
      assert.deepEqual(new Set(refs.map((ref) => JSON.stringify(ref))).size, 1);
      assert.deepEqual(refs[0], expected);
      for (const writer of writers) await writer.discard(); // safe after the end
      assert.ok(content.equals(await buffer(place.connect().read(expected.sha256))));
      assert.deepEqual(await keep(place.connect(), content), expected, "and once more");
      assert.equal(await place.leftovers(), 0);
    });
  }

  test(`${name} [E9] writes that nobody waited for keep their order`, async () => {
    await using place = await open();
    const store = place.connect();
    const content = contentOf(5, 2 * CHUNK);
    const writer = store.create();
    const half = content.length / 2;
    const parts = [content.subarray(0, half + 1), content.subarray(half + 1)];
    const [, , ref] = await Promise.all([
      ...parts.map((part) => writer.write(part)),
      writer.finish(),
    ]);
    assert.deepEqual(ref, { sha256: hashOf(content), bytes: content.length });
    assert.ok(content.equals(await buffer(store.read(hashOf(content)))));
  });
}

function discarding(name: string, open: OpenBlobs): void {
  test(`${name} [E9] a writer discarded at any stage leaves nothing`, async () => {
    await using place = await open();
    const store = place.connect();
    const content = contentOf(6, 3 * CHUNK + 5);
    for (const stage of [0, 10, CHUNK, 2 * CHUNK + 1, content.length]) {
      const writer = store.create();
      const part = content.subarray(0, stage);
      if (stage > 0) await writer.write(part);
      await writer.discard();
      await writer.discard();
      assert.equal(await store.size(hashOf(part)), undefined);
      await assert.rejects(writer.write(part), /finished, discarded or broken/);
      await assert.rejects(writer.finish(), /finished, discarded or broken/);
      await writer.discard();
    }
    const hurried = store.create();
    const writing = hurried.write(content);
    await hurried.discard(); // while it writes
    await writing;
    assert.equal(await store.size(hashOf(content)), undefined);
    assert.equal(await place.leftovers(), 0);
  });

  test(`${name} [E9] discarding after the end keeps the blob, and takes no more`, async () => {
    await using place = await open();
    const store = place.connect();
    for (const bytes of [0, 10, 2 * CHUNK + 1]) {
      const content = contentOf(7, bytes);
      const writer = store.create();
      await writer.write(content);
      const finishing = writer.finish();
      await writer.discard(); // also in the middle of it
      const { sha256 } = await finishing;
      await assert.rejects(writer.write(Buffer.from("more")), /finished, discarded or broken/);
      await assert.rejects(writer.finish(), /finished, discarded or broken/);
      await writer.discard();
      assert.ok(content.equals(await buffer(store.read(sha256))));
    }
    assert.equal(await place.leftovers(), 0);
  });
}

function damage(name: string, open: OpenBlobs): void {
  const changes: [string, (content: Buffer) => Buffer][] = [
    [
      "one bit is another",
      (all) => Buffer.from(all.map((byte, at) => (at === 9 ? byte ^ 1 : byte))),
    ],
    ["the end is missing", (all) => all.subarray(0, -1)],
    ["something is behind it", (all) => Buffer.concat([all, Buffer.from("x")])],
    ["it is empty", () => Buffer.alloc(0)],
  ];
  for (const [what, change] of changes) {
    for (const bytes of [5_000, 3 * CHUNK]) {
      test(`${name} [E9] ${bytes} bytes of which ${what} are not taken for the whole`, async () => {
        await using place = await open();
        const store = place.connect();
        const content = contentOf(8, bytes);
        const { sha256 } = await keep(store, content);
        await place.tamper(sha256, change);
        const read = await buffer(store.read(sha256)).catch((error: Error) => error);
        if (read instanceof Error) assert.match(read.message, /is damaged/);
        else assert.ok(content.equals(read), "what is too much may be left out");
      });
    }
  }
}

function killing(name: string, open: OpenBlobs): void {
  test(`${name} [E9, D1] blobs of a killed writer are whole or not there`, async () => {
    await using place = await open();
    const store = place.connect();
    await keep(store, contentOf(1, KEPT.bytes));
    for (const nth of [1, 2, 3, 4, 5, 6]) {
      const emitted = await killedAt(place.writing, nth);
      for (const { sha256, bytes, isFinished } of emitted) {
        const size = await store.size(sha256);
        if (isFinished) assert.equal(size, bytes, "what was acknowledged is there");
        if (size !== undefined) assert.equal((await buffer(store.read(sha256))).length, bytes);
      }
      const last = emitted.at(-1);
      assert.ok(last, "it told what it was about to do");
      const { sha256, bytes } = await keep(store, contentOf(last.seed, last.bytes));
      assert.deepEqual([sha256, bytes], [last.sha256, last.bytes], "a repeat makes it one");
      assert.equal((await buffer(store.read(sha256))).length, bytes);
    }
    assert.equal(await store.size(KEPT.sha256), KEPT.bytes);
  });
}
