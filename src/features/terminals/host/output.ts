// What a terminal printed, for any number of windows that read it, each at its own pace. The program is
// held back while the window that is furthest ahead is far behind, so that at least one sees everything;
// but not for long: a window that stands still (a hidden tab) must not stop a build. It finds a gap later.
import { createByteRing, type ByteRing } from "../../../kernel/workspace/processes/byte-ring.ts";
import { PART_BYTES, RING_BYTES } from "./frames.ts";
import type { TerminalPart } from "../records.ts";

export type TerminalOutput = {
  add(chunk: Buffer): void;
  /** `now`: answered at once, if only with where the end is. */
  read(reader: string, from: { readonly offset: number; readonly now: boolean }): void;
  leave(reader: string): void;
  /** The program has ended and all it printed was added. */
  end(): void;
};
export type OutputOptions = {
  readonly answer: (reader: string, part: TerminalPart) => void;
  /** Of the program: whether it may print. */
  readonly flow: (go: "on" | "wait") => void;
  readonly ringBytes?: number;
  readonly patienceMs?: number;
};
type Reader = { readonly position: number; waiting: boolean; stalled: boolean };
type Readers = ReadonlyMap<string, Reader>;

const PATIENCE_MS = 2_000;
const LINE_SEARCH = 4_096;

export function createTerminalOutput(options: OutputOptions): TerminalOutput {
  const { answer, ringBytes = RING_BYTES } = options;
  const ring = createByteRing(ringBytes);
  const readers = new Map<string, Reader>();
  const steering = steeringOf(readers, ring, { ...options, ringBytes });
  let over = false;

  function emit(name: string, reader: Reader): void {
    reader.waiting = false;
    const offset = placeFrom(ring, reader.position);
    const data = ring.slice(offset, PART_BYTES);
    const { total } = ring;
    const bytes = data.length;
    const last = over && offset + bytes === total;
    answer(name, { offset, bytes, data: data.toString("base64"), total, over: last });
  }
  const emitWaiting = () => {
    for (const [name, reader] of readers) if (reader.waiting) emit(name, reader);
  };

  return {
    add(chunk) {
      ring.add(chunk);
      emitWaiting();
      steering.look();
    },
    read(name, { offset, now }) {
      const position = Math.min(offset, ring.total);
      const reader = { position, waiting: true, stalled: false };
      readers.set(name, reader);
      if (now || over || position < ring.total) emit(name, reader);
      steering.look();
    },
    leave(name) {
      readers.delete(name);
      steering.look();
    },
    end() {
      over = true;
      steering.end();
      emitWaiting();
    },
  };
}

/** After a gap a line begins: half of a sequence would be shown as letters. */
function placeFrom(ring: ByteRing, offset: number): number {
  if (offset >= ring.start) return offset;
  const newline = ring.slice(ring.start, LINE_SEARCH).indexOf(10);
  return newline < 0 ? ring.start : ring.start + newline + 1;
}

type SteeringOptions = Pick<OutputOptions, "flow" | "patienceMs"> & { readonly ringBytes: number };

function steeringOf(readers: Readers, ring: ByteRing, options: SteeringOptions) {
  const { flow, ringBytes, patienceMs = PATIENCE_MS } = options;
  let patience: NodeJS.Timeout | undefined; // set while the program waits

  function goOn(): void {
    if (!patience) return;
    clearTimeout(patience);
    patience = undefined;
    flow("on");
  }

  return {
    look(): void {
      const live = [...readers.values()].filter(({ stalled }) => !stalled);
      if (live.length === 0) return goOn();
      const behind = ring.total - Math.max(...live.map(({ position }) => position));
      if (behind <= ringBytes / 8) return goOn();
      if (behind <= ringBytes / 4 || patience) return;
      flow("wait");
      patience = setTimeout(() => {
        for (const reader of readers.values()) reader.stalled = true; // until it reads again
        goOn();
      }, patienceMs);
    },
    end: goOn,
  };
}
