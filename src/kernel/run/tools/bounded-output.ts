// Output of any size in bounded memory and on bounded disk (B1): head and tail go into the event, the rest into a
// blob once it no longer fits, up to a limit (output-room.ts): beyond it the newest part is kept and the middle
// left out. Windows see the beginning live. Secrets are taken out first.
import { StringDecoder } from "node:string_decoder";
import type { BlobWriter } from "../../blobs/blobs.ts";
import type { Journal } from "../../journal/journal.ts";
import type { BoundedText } from "../../events/catalogue/tools.ts";
import { createByteRing, type ByteRing } from "../../workspace/processes/byte-ring.ts";
import { redactedOutput } from "../loop/redact-log.ts";
import { outputRooms, type OutputRoom } from "./output-room.ts";

const HEAD = 16_384;
const TAIL = 16_384;
const LIVE = 65_536;
const NEWEST = 1 << 20; // of a blob that has reached its limit

export type OutputChannel = "stdout" | "stderr";
export type BoundedOutput = {
  /** The part of the chunk that windows should see live; empty once they have seen enough. */
  add(chunk: Buffer, channel?: OutputChannel): Promise<string>;
  /** `last`: is given what was held back, because it could have been the beginning of a secret. */
  finish(last?: (text: string, channel: OutputChannel) => Promise<void>): Promise<BoundedText>;
  /** After `finish`: how many bytes are nowhere. */
  leftOut(): number;
  discard(): Promise<void>;
};

export type Keeping = Pick<Journal, "blobs" | "redactor">;

export function boundedOutput(
  { blobs, redactor }: Keeping,
  room: OutputRoom = outputRooms()(""),
): BoundedOutput {
  const cleaned = redactedOutput<OutputChannel>(redactor);
  // One each: half a letter on one of them waits for its own other half.
  const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  let head = Buffer.alloc(0); // everything, while it fits
  const tail = Buffer.alloc(TAIL); // full as soon as there is a blob
  let bytes = 0;
  let shown = 0;
  let blob: LimitedBlob | undefined;

  async function keep(chunk: Buffer): Promise<void> {
    bytes += chunk.byteLength;
    if (blob) {
      await blob.write(chunk);
      moveInto(tail, chunk);
    } else if (head.byteLength + chunk.byteLength <= HEAD + TAIL) {
      head = Buffer.concat([head, chunk]);
    } else {
      blob = limitedBlob(blobs.create(), room);
      const all = Buffer.concat([head, chunk]);
      await blob.write(all);
      moveInto(tail, all);
      head = Buffer.from(all.subarray(0, HEAD));
    }
  }

  return {
    async add(chunk, channel = "stdout") {
      const clear = cleaned.push(channel, chunk);
      await keep(clear);
      if (shown >= LIVE) return "";
      shown += clear.byteLength;
      return decoders[channel].write(clear);
    },

    async finish(last) {
      for (const { rest, channel } of cleaned.endAll()) {
        await keep(rest);
        if (shown < LIVE) await last?.(decoders[channel].write(rest), channel);
      }
      if (!blob) {
        return { head: clean(head), tail: "", bytes, sha256: null, truncated: false };
      }
      const { sha256 } = await blob.finish();
      return { head: clean(head), tail: clean(tail), bytes, sha256, truncated: true };
    },

    leftOut: () => blob?.leftOut() ?? 0,

    async discard() {
      await blob?.discard();
    },
  };
}

type LimitedBlob = BlobWriter & { leftOut(): number };

/** Everything up to the limit; then a line that says how much is missing, and the newest bytes. */
function limitedBlob(blob: BlobWriter, room: OutputRoom): LimitedBlob {
  let first = Math.max(0, room.callBytes - NEWEST); // how many may still be written as they come
  let newest: ByteRing | undefined;
  let missing = 0;
  return {
    async write(given) {
      const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
      const fits = newest ? 0 : room.take(Math.min(chunk.length, first));
      first -= fits;
      if (fits > 0) await blob.write(chunk.subarray(0, fits));
      if (fits < chunk.length) (newest ??= createByteRing(NEWEST)).add(chunk.subarray(fits));
    },
    async finish() {
      if (newest) {
        const kept = room.take(newest.total - newest.start);
        missing = newest.total - kept;
        if (missing > 0) await blob.write(Buffer.from(`\n[${missing} bytes are left out here]\n`));
        await blob.write(newest.slice(missing, kept));
      }
      return blob.finish();
    },
    leftOut: () => missing,
    discard: () => blob.discard(),
  };
}

/** In place: a new buffer for each chunk of a gigabyte would be collected late. */
function moveInto(tail: Buffer, chunk: Buffer): void {
  const taken = chunk.subarray(-tail.byteLength);
  tail.copyWithin(0, taken.byteLength);
  taken.copy(tail, tail.byteLength - taken.byteLength);
}

function clean(bytes: Buffer): string {
  return bytes.toString("utf8").toWellFormed();
}
