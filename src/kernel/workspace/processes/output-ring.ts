// The last part of an endless output and its total size: a process that runs for days costs only its ring.

export type OutputRing = {
  readonly total: number;
  add(chunk: Buffer): void;
  /** Bytes [from, from + length) of everything that was ever added, as far as they are still kept. */
  slice(from: number, length: number): { from: number; bytes: Buffer };
};

export function createOutputRing(capacity: number): OutputRing {
  let kept: Buffer[] = [];
  let size = 0;
  let total = 0;

  return {
    get total() {
      return total;
    },
    add(chunk) {
      total += chunk.length;
      kept.push(Buffer.from(chunk.subarray(-capacity))); // a copy: the chunk may be part of a pool
      size += Math.min(chunk.length, capacity);
      if (size > capacity * 2 || kept.length > 4_096) {
        const last = Buffer.concat(kept).subarray(-capacity);
        kept = [Buffer.from(last)];
        size = last.length;
      }
    },
    slice(from, length) {
      const last = Buffer.concat(kept).subarray(-capacity);
      const first = total - last.length;
      const start = Math.min(Math.max(from, first), total);
      return { from: start, bytes: last.subarray(start - first, start - first + length) };
    },
  };
}
