// The counter and the turn in flight, on disk before they are on the wire: after a crash the same id is
// sent again with the same text, and no id ever stands for two texts.
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Memory, Turn } from "./machine.ts";

type InFlight = {
  readonly message_id: string;
  readonly text: string;
  readonly to: string;
  readonly answers?: string | null;
};
type Stored = { readonly counter: number; readonly in_flight: InFlight | null };

export type MemoryFile = { readonly memory: Memory; save(memory: Memory): void };

/** `to`: which server; a turn that was meant for another is not sent to this one. */
export function openMemory(path: string, to: string): MemoryFile {
  const { counter, in_flight } = read(path);
  return {
    memory: { counter, inFlight: in_flight?.to === to ? toTurn(in_flight) : null },
    save({ counter: next, inFlight: turn }) {
      const stored: Stored = {
        counter: next,
        in_flight: turn && toStored(turn, to),
      };
      write(path, `${JSON.stringify(stored)}\n`);
    },
  };
}

function toTurn({ message_id: messageId, text, answers }: InFlight): Turn {
  return { messageId, text, ...(answers !== undefined && { answers }) };
}

function toStored({ messageId: message_id, text, answers }: Turn, to: string): InFlight {
  return { message_id, text, to, ...(answers !== undefined && { answers }) };
}

function read(path: string): Stored {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { counter: 0, in_flight: null };
    throw error;
  }
  const stored = JSON.parse(text) as Partial<Stored> | null;
  const turn = stored?.in_flight ?? null;
  const counted = Number.isSafeInteger(stored?.counter) && (stored?.counter ?? -1) >= 0;
  const whole =
    turn === null || [turn.message_id, turn.text, turn.to, turn.answers ?? ""].every(isText);
  if (!counted || !whole) throw new Error("it is not what a terminal writes");
  return { counter: stored?.counter ?? 0, in_flight: turn };
}

function write(path: string, text: string): void {
  const fresh = `${path}.new`;
  const file = openSync(fresh, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(fresh, path);
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
