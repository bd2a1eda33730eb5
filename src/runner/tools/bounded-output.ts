// Output of any size in bounded memory (B1): head and tail go into the event, everything into a
// blob once it no longer fits, and windows see the beginning live. Secrets are taken out first.
import { StringDecoder } from "node:string_decoder";
import type { BlobWriter } from "../../journal/blobs.ts";
import type { Journal } from "../../journal/journal.ts";
import type { BoundedText } from "../../protocol/catalogue/tools.ts";
import { redactedOutput } from "../redact-log.ts";

const HEAD = 16_384;
const TAIL = 16_384;
const LIVE = 65_536;

export type OutputChannel = "stdout" | "stderr";
export type BoundedOutput = {
  /** The part of the chunk that windows should see live; empty once they have seen enough. */
  add(chunk: Buffer, channel?: OutputChannel): Promise<string>;
  /** `last`: is given what was held back, because it could have been the beginning of a secret. */
  finish(last?: (text: string, channel: OutputChannel) => Promise<void>): Promise<BoundedText>;
  discard(): Promise<void>;
};

export type Keeping = Pick<Journal, "blobs" | "redactor">;

export function boundedOutput({ blobs, redactor }: Keeping): BoundedOutput {
  const cleaned = redactedOutput<OutputChannel>(redactor);
  // One each: half a letter on one of them waits for its own other half.
  const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
  let head = Buffer.alloc(0); // everything, while it fits
  const tail = Buffer.alloc(TAIL); // full as soon as there is a blob
  let bytes = 0;
  let shown = 0;
  let blob: BlobWriter | undefined;

  async function keep(chunk: Buffer): Promise<void> {
    bytes += chunk.byteLength;
    if (blob) {
      await blob.write(chunk);
      moveInto(tail, chunk);
    } else if (head.byteLength + chunk.byteLength <= HEAD + TAIL) {
      head = Buffer.concat([head, chunk]);
    } else {
      blob = blobs.create();
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

    async discard() {
      await blob?.discard();
    },
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
