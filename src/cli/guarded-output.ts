// Everything a command prints at a terminal goes through the filter, whoever wrote it: a command that forgets to think
// of it is safe. Only what draws a screen of its own writes past it. What is not a terminal gets every byte as it is.
import { terminalFilter } from "../kernel/text/terminal-text.ts";

type Write = NodeJS.WriteStream["write"];
const past = new WeakMap<NodeJS.WriteStream, Write>();

export function guardOutput(stream: NodeJS.WriteStream): void {
  if (!stream.isTTY || past.has(stream)) return;
  const write = stream.write.bind(stream) as (text: string, ...rest: unknown[]) => boolean;
  past.set(stream, write as Write);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const filter = terminalFilter();
  const guarded = (chunk: string | Uint8Array, ...rest: unknown[]) =>
    write(
      filter(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })),
      ...rest,
    );
  stream.write = guarded as Write;
  stream.getColorDepth = () => 1; // Node colours what it prints by itself: errors, objects
}

/** The same stream without the filter, for what moves the cursor itself: a line that is edited. */
export function pastGuard(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = past.get(stream);
  if (!write) return stream;
  return Object.create(stream, { write: { value: write } }) as NodeJS.WriteStream;
}
