// Writes frames to the runner. A send settles only when there is space for the next one, so a command's pipe is not
// read while the runner is behind: nothing queues up here.
import type { Writable } from "node:stream";
import type { HostMessage } from "./host-reader.ts";

/** Never rejects: when the runner's end is gone the host is about to exit and nobody is listening. */
export type SendFrame = (frame: HostMessage) => Promise<void>;

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
    if (writeFrame(stream, frame)) return;
    room ??= Promise.withResolvers<void>();
    await room.promise;
  };
}

/** False when there is no room for another one. */
function writeFrame(stream: Writable, frame: HostMessage): boolean {
  if (frame.kind !== "output") return stream.write(`${JSON.stringify(frame)}\n`);
  const { data, ...head } = frame;
  stream.write(`${JSON.stringify({ ...head, bytes: data.length })}\n`);
  return stream.write(data);
}
