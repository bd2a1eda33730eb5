// Types into a pseudo terminal. The package's own way blocks the whole process while the program does not
// read (libuv writes to terminals until they have room), and queues without end; so the descriptor, which
// does not block, is written to here, piece by piece, and whoever types waits for room.
import { write } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { errnoOf } from "../../../kernel/workspace/host/tool-error.ts";

export type TerminalWriter = (data: string) => Promise<void>;

const QUEUED_BYTES = 65_536; // typed, and not yet taken by the terminal
const AGAIN_MS = 10;

/** What was not read before the terminal was closed is dropped; its descriptor may be another's. */
export function terminalWriter(fd: number, isOpen: () => boolean): TerminalWriter {
  const queue: Buffer[] = [];
  let queued = 0;
  let room: PromiseWithResolvers<void> | undefined;
  let writing = false;

  function took(bytes: number): void {
    queued -= bytes;
    if (queued > QUEUED_BYTES) return;
    room?.resolve();
    room = undefined;
  }

  async function drain(): Promise<void> {
    writing = true;
    for (let [next] = queue; next; [next] = queue) {
      const done = isOpen() ? await written(fd, next) : "gone";
      if (done === "gone") {
        queue.length = 0;
        took(queued);
      } else if (done === "full") await delay(AGAIN_MS);
      else {
        const rest = next.subarray(done);
        if (rest.length > 0) queue[0] = rest;
        else queue.shift();
        took(done);
      }
    }
    writing = false;
  }

  return async (data) => {
    const bytes = Buffer.from(data);
    queue.push(bytes);
    queued += bytes.length;
    if (!writing) void drain(); // never rejects
    if (queued > QUEUED_BYTES) await (room ??= Promise.withResolvers<void>()).promise;
  };
}

function written(fd: number, bytes: Buffer): Promise<number | "full" | "gone"> {
  return new Promise((resolve) => {
    write(fd, bytes, (error, count) => {
      if (!error) resolve(count);
      else resolve(errnoOf(error) === "EAGAIN" ? "full" : "gone");
    });
  });
}
