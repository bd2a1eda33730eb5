// How far a journal was acknowledged, stored outside of it. A journal that is behind its mark has lost acknowledged
// events, and would assign their numbers a second time. This file knows no database.
import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { verify } from "../hash-chain.ts";

/** The newest durable event: its key, which only grows, and its hash. */
export type Mark = { readonly epoch: string; readonly events: number; readonly hash: string };

export type Loss = {
  readonly reason: "behind" | "another" | "missing";
  readonly lost_epoch: string;
  readonly expected: number;
  readonly found: number;
};

/** What the journal holds. */
export type Held = {
  readonly events: number; // the greatest key
  readonly atMark: string | undefined; // the event with the mark's key
  readonly hasBlobs: boolean; // blobs that only events could have named
};

export function lossOf(
  mark: Mark | undefined,
  { events, atMark, hasBlobs }: Held,
): Loss | undefined {
  if (!mark) {
    const isGone = events === 0 && hasBlobs;
    return isGone ? { reason: "missing", lost_epoch: "", expected: 0, found: 0 } : undefined;
  }
  if (mark.events === 0) return undefined;
  const about = { lost_epoch: mark.epoch, expected: mark.events, found: events };
  if (events === 0) return { ...about, reason: "missing" };
  if (atMark === undefined) return { ...about, reason: "behind" };
  const hash = verify(atMark, undefined); // a damaged event is not another event: reads report it
  return hash === undefined || hash === mark.hash ? undefined : { ...about, reason: "another" };
}

export function sentenceOf({ reason, expected, found }: Loss): string {
  const what = {
    behind: `the journal holds ${found} of the ${expected} events that were acknowledged`,
    another: `the journal holds other events than those that were acknowledged`,
    missing: `there is no event in the journal, and there were ${expected || "some"}`,
  }[reason];
  return `History was lost: ${what}. It goes on in a new epoch; “quarterdeck restore FILE” brings a backup back.`;
}

const BYTES = 256; // written in place in one write: smaller than a sector, so it is never a mix of two marks

/** Undefined if there is no readable mark: then no loss can be detected. */
export function readMark(path: string): Mark | undefined {
  try {
    const [json = "", sum = ""] = readFileSync(path, "utf8").split("\n");
    if (sum.trim() !== String(crc32(json))) return undefined;
    return JSON.parse(json) as Mark;
  } catch {
    return undefined;
  }
}

/** Not synced: after a power loss the mark may be older, and an older mark is still true. */
export function writeMark(path: string, mark: Mark): void {
  const json = JSON.stringify(mark);
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    writeSync(file, `${json}\n${crc32(json)}\n`.padEnd(BYTES));
  } finally {
    closeSync(file);
  }
}
