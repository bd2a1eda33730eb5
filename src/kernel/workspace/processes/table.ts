// Reads /proc for every process synchronously: under a fork bomb a process that yields does not get the processor
// back soon. Linux only; empty elsewhere.
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

export type ProcessEntry = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly state: string;
  /** Of this very process: a number may be given to another one later. */
  readonly key: string;
  readonly rssPages: number;
};

export function isDead({ state }: ProcessEntry): boolean {
  return state === "Z" || state === "X";
}

export const PAGE_KB = 4;
const buffer = Buffer.allocUnsafe(4_096);

export function processTable(): ProcessEntry[] {
  return [...newestFirst()];
}

export function processCount(): number {
  return process.platform === "linux" ? pids().length : 0;
}

/** Whoever looks for too many processes finds them at the beginning. */
export function* newestFirst(): Generator<ProcessEntry> {
  if (process.platform !== "linux") return;
  for (const pid of pids().reverse()) {
    const entry = entryOf(pid);
    if (entry) yield entry;
  }
}

function pids(): string[] {
  return readdirSync("/proc").filter(
    (name) => name.charCodeAt(0) >= 48 && name.charCodeAt(0) <= 57,
  );
}

function entryOf(name: string): ProcessEntry | undefined {
  const text = readSmall(`/proc/${name}/stat`);
  if (text === undefined) return undefined; // gone meanwhile
  // The name in parentheses may hold anything, also parentheses and spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return {
    pid: Number(name),
    state: fields[0] ?? "",
    parent: Number(fields[1]),
    group: Number(fields[2]),
    key: `${name}:${fields[19]}`,
    rssPages: Number(fields[21]),
  };
}

/** Without file pages, which many processes share: what would be free if it were not there. */
export function ownMemoryKb(pid: number): number {
  const status = readSmall(`/proc/${pid}/status`) ?? "";
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0);
  return field("RssAnon") + field("RssShmem");
}

export function hasMark(pid: number, entry: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}\0`.includes(`\0${entry}\0`);
  } catch {
    return false; // gone, a zombie, or another user's
  }
}

function readSmall(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    return buffer.toString("latin1", 0, readSync(file, buffer));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
