// Writes frames to the runner. A send settles only when there is room for the next one, so whoever
// awaits it (a command's pipe) stops reading while the runner is behind: nothing queues up here.
import type { Writable } from "node:stream";
import type { HostFrame } from "./frames.ts";

/** Never rejects: when the runner's end is gone the host is about to exit and nobody is listening. */
export type SendFrame = (frame: HostFrame) => Promise<void>;

export function createFrameWriter(stream: Writable): SendFrame {
  let room: PromiseWithResolvers<void> | undefined;
  const release = () => {
    room?.resolve();
    room = undefined;
  };
  stream.on("drain", release);
  stream.on("error", release);
  stream.on("close", release);

  return async (frame) => {
    while (room && stream.writable) await room.promise;
    if (!stream.writable) return;
    if (stream.write(`${JSON.stringify(frame)}\n`)) return;
    room ??= Promise.withResolvers<void>();
    await room.promise;
  };
}
