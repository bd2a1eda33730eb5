// Kills a real process in the middle of writing blobs, at a moment that it cannot foresee.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { WritingPlace, WritingEmitted } from "./blob-writing.ts";

export type { WritingPlace } from "./blob-writing.ts";

const SCRIPT = join(import.meta.dirname, "blob-writing.ts");
const STEPS = 3; // messages for each blob

/** Kills it shortly after its `nth` message. Contents differ for every `nth`. */
export async function killedAt(
  place: WritingPlace,
  nth: number,
): Promise<readonly WritingEmitted[]> {
  return killed([JSON.stringify(place), String(nth * 1_000)], nth, nth % STEPS);
}

/** Kills it when it has written half of a blob and nothing after that. */
export async function killedInTheMiddle(place: WritingPlace, seed: number): Promise<void> {
  await killed([JSON.stringify(place), String(seed), "wait"], 2, 0);
}

async function killed(args: string[], nth: number, turns: number): Promise<WritingEmitted[]> {
  const child = fork(SCRIPT, args, { execArgv: [] });
  const exit = once(child, "exit");
  const emitted: WritingEmitted[] = [];
  child.on("message", (each: WritingEmitted) => {
    emitted.push(each);
    if (emitted.length === nth) afterTurns(turns, () => child.kill("SIGKILL"));
  });
  const [code, signal] = (await exit) as [number | null, string | null];
  if (signal !== "SIGKILL") throw new Error(`the writer ended by itself with ${code}`);
  return emitted;
}

function afterTurns(turns: number, then: () => void): void {
  if (turns === 0) then();
  else setImmediate(() => afterTurns(turns - 1, then));
}
