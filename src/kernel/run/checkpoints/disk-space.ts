// A full disk pauses runs; it must not crash them or lose anything (D6). A ballast file is given up
// so that the pause itself can be journaled, and put back when there is room again.
import { mkdirSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AppendOptions, Claim, Journal } from "../../journal/journal.ts";
import { StorageFullError } from "../../journal/sqlite/database.ts";
import type { Draft } from "../../events/events.ts";
import type { RunStatus } from "../../state/run/status.ts";
import { statusDraft } from "../../state/run/status-draft.ts";
import { waitFor } from "../loop/retry.ts";

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
  const { status: before = "running" } = (await journal.reads.run(claim.runId)) ?? {};
  dropBallast(home);
  await tryAppend(journal, claim, [statusDraft("paused", "disk_full")]);
  do await waitFor(RETRY_MS, signal);
  while (!keepBallast(home));
  while (!(await goOn(journal, claim, before)));
}

/** As it was before, unless something has changed that meanwhile: an answer says what the run waits for now. */
async function goOn(journal: Journal, claim: Claim, before: RunStatus): Promise<boolean> {
  const run = await journal.reads.run(claim.runId);
  if (run?.status !== "paused") return true; // there was no room even to say so, or somebody answered
  const waits = before === "awaiting_approval" || before === "awaiting_clarify";
  const next = waits ? before : "running";
  return tryAppend(journal, claim, [statusDraft(next)], { expectSeq: run.seq });
}

/** False: something came in between. */
async function tryAppend(
  journal: Journal,
  claim: Claim,
  drafts: readonly Draft[],
  options: AppendOptions = {},
): Promise<boolean> {
  try {
    const result = await journal.append(claim, drafts, options);
    return result.ok || result.reason !== "behind";
  } catch (error) {
    if (!(error instanceof StorageFullError)) throw error; // no room even for this: windows show it later
    return true;
  }
}

function dropBallast(home: string): void {
  try {
    unlinkSync(join(home, "ballast"));
  } catch {
    // There is none.
  }
}
