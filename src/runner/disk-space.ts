// A full disk pauses runs; it must not crash them or lose anything (D6). A ballast file is given up
// so that the pause itself can be journaled, and put back when there is room again.
import { mkdirSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Claim, Journal } from "../journal/journal.ts";
import { StorageFullError } from "../journal/database.ts";
import { statusDraft } from "../protocol/status-draft.ts";
import { waitFor } from "./retry.ts";

const BALLAST_BYTES = 1_048_576;
const RETRY_MS = 2_000;

export function keepBallast(home: string): boolean {
  const path = join(home, "ballast");
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    if (statSync(path, { throwIfNoEntry: false })?.size === BALLAST_BYTES) return true;
    writeFileSync(path, Buffer.alloc(BALLAST_BYTES, 1), { mode: 0o600 });
    return true;
  } catch {
    dropBallast(home); // half a ballast only takes room
    return false;
  }
}

export async function waitForSpace(options: {
  journal: Journal;
  claim: Claim;
  home: string;
  signal: AbortSignal;
}): Promise<void> {
  const { journal, claim, home, signal } = options;
  dropBallast(home);
  await tryAppend(journal, claim, "paused");
  do await waitFor(RETRY_MS, signal);
  while (!keepBallast(home));
  await tryAppend(journal, claim, "running");
}

async function tryAppend(journal: Journal, claim: Claim, status: "paused" | "running") {
  const reason = status === "paused" ? "disk_full" : null;
  try {
    await journal.append(claim, [statusDraft(status, reason)]);
  } catch (error) {
    if (!(error instanceof StorageFullError)) throw error; // no room even for this: windows show it later
  }
}

function dropBallast(home: string): void {
  try {
    unlinkSync(join(home, "ballast"));
  } catch {
    // There is none.
  }
}
