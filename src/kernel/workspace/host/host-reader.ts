// Reads the output of a tool host: frames, one per line; after an output frame come as many raw bytes as it says.
// Those are passed on in chunks and never collected, so a gigabyte costs one chunk of memory.
import { createLineSplitter } from "./frame-lines.ts";
import { MAX_HOST_LINE, parseHostLine, type HostFrame, type OutputFrame } from "./frames.ts";

export type OutputPart = Omit<OutputFrame, "bytes"> & { readonly data: Buffer };
export type HostMessage = Exclude<HostFrame, OutputFrame> | OutputPart;

export function createHostReader(): (chunk: Buffer) => Generator<HostMessage> {
  const split = createLineSplitter(MAX_HOST_LINE);
  let output: OutputFrame | undefined;
  let rest = 0;

  return function* read(chunk) {
    for (let at = 0; at < chunk.length;) {
      if (output && rest > 0) {
        const { kind, id, stream } = output;
        const data = chunk.subarray(at, at + rest);
        rest -= data.length;
        at += data.length;
        yield { kind, id, stream, data };
        continue;
      }
      const end = chunk.indexOf(10, at) + 1 || chunk.length;
      const [line] = split(chunk.subarray(at, end));
      at = end;
      const frame = line && parseHostLine(line.text);
      if (frame?.kind === "output") {
        output = frame;
        rest = frame.bytes;
      } else if (frame) yield frame;
    }
  };
}
