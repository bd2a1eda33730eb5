// Forwards a command's output chunk by chunk. The pipe is not read while a chunk waits for space, so output of any
// size costs one chunk of memory and a slow runner slows the command down.
import type { Readable } from "node:stream";
import type { OutputStream } from "../host/frames.ts";
import { settlesWithin } from "./settles-within.ts";

const CHUNK_BYTES = 64 * 1024;
const IDLE_MS = 1_000;
/** More than the kernel can hold in both pipes: what comes after that was written by an escapee. */
const REST_BYTES = 4 << 20;

export type ChildOutput = {
  readonly bytes: Readonly<Record<OutputStream, number>>;
  /** Settles when both pipes have ended and everything was passed on. Never rejects. */
  readonly closed: Promise<void>;
  /** Once the command is dead: passes on what is left, but does not wait for whoever holds the pipe. */
  finish(): Promise<void>;
};

export function relayOutput(
  streams: Readonly<Record<OutputStream, Readable>>,
  send: (stream: OutputStream, data: Buffer) => Promise<void>,
): ChildOutput {
  const bytes = { stdout: 0, stderr: 0 };
  let sending = 0;
  let rest = Number.POSITIVE_INFINITY;

  async function pass(name: OutputStream, chunk: Buffer): Promise<void> {
    bytes[name] += chunk.length;
    rest -= chunk.length;
    sending += 1;
    for (let at = 0; at < chunk.length; at += CHUNK_BYTES) {
      await send(name, chunk.subarray(at, at + CHUNK_BYTES));
    }
    sending -= 1;
  }

  async function pump(name: OutputStream): Promise<void> {
    try {
      for await (const chunk of streams[name] as AsyncIterable<Buffer>) {
        await pass(name, chunk);
        if (rest < 0) return;
      }
    } catch {
      // Destroyed by finish(), or the pipe broke: either way there is no more output.
    }
  }

  const closed = Promise.all([pump("stdout"), pump("stderr")]).then(() => undefined);
  return {
    bytes,
    closed,
    async finish() {
      rest = REST_BYTES;
      while (!(await settlesWithin(closed, IDLE_MS))) {
        if (sending > 0) continue; // the runner is behind: its output is not given up
        streams.stdout.destroy();
        streams.stderr.destroy();
      }
    },
  };
}
