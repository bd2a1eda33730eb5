// Keeps the newest bytes of an endless stream in fixed memory, addressed by their offset in the whole stream.

export type ByteRing = {
  /** How many bytes there ever were. */
  readonly total: number;
  /** The place of the oldest byte that is still kept. */
  readonly start: number;
  add(chunk: Buffer): void;
  /** A copy of at most `length` bytes from `from` on, which must be kept. */
  slice(from: number, length: number): Buffer;
};

export function createByteRing(capacity: number): ByteRing {
  const kept = Buffer.alloc(capacity);
  let total = 0;
  const start = () => Math.max(0, total - capacity);

  function put(bytes: Buffer): void {
    const at = total % capacity;
    const fits = Math.min(bytes.length, capacity - at);
    bytes.copy(kept, at, 0, fits);
    bytes.copy(kept, 0, fits);
    total += bytes.length;
  }

  return {
    get total() {
      return total;
    },
    get start() {
      return start();
    },
    add(chunk) {
      const skipped = Math.max(0, chunk.length - capacity);
      total += skipped;
      put(chunk.subarray(skipped));
    },
    slice(from, length) {
      const size = Math.min(length, total - from);
      if (from < start() || size < 0) throw new RangeError(`${from} is not kept`);
      const at = from % capacity;
      const fits = Math.min(size, capacity - at);
      return Buffer.concat([kept.subarray(at, at + fits), kept.subarray(0, size - fits)]);
    },
  };
}
