// Waits for a run on behalf of a client that expects one answer: until the run has ended, or cannot go on without a
// person. A client that disconnects stops only the wait.
import type { Journal, Wake } from "../../kernel/journal/journal.ts";
import { lookUntil } from "../../kernel/journal/read/look-until.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import { waitingFields, type Waiting } from "./wire/openai/waiting.ts";
import { pendingIn, type ResponsesState } from "./wire/responses/object.ts";
import { isOf } from "../../kernel/server/feed/pending-below.ts";
import { readResponse } from "./read-response.ts";

export type Settled = {
  readonly state: ResponsesState;
  /** What runs before this one wait for: it is their turn first. */
  readonly behind: readonly Waiting[];
};

export async function waitUntilSettled(
  journal: Journal,
  run: RunRecord,
  gone: AbortSignal,
): Promise<Settled> {
  for (;;) {
    const ended = await untilStill(journal, run, gone);
    const state = await readResponse(journal, run);
    const others = await journal.reads.pending({ sessionId: run.session_id });
    const behind = others
      .filter(({ run_id }) => !isOf(run, run_id))
      .map((request) => waitingFields(request));
    const waits = pendingIn(state).length + behind.length > 0;
    if (ended || waits || gone.aborted) return { state, behind: ended ? [] : behind };
  }
}

/** True: the run has ended. False: something in its session waits for a person, or the client is gone. */
async function untilStill(journal: Journal, run: RunRecord, gone: AbortSignal): Promise<boolean> {
  const { session_id: sessionId } = run;
  const concerns = (wake: Wake) => wake.sessionId === sessionId;
  const found = await lookUntil(journal, { concerns, signal: gone }, async () => {
    if (await hasEnded(journal, run)) return true;
    const waiting = await journal.reads.pending({ sessionId });
    return waiting.length > 0 ? false : undefined;
  });
  return found ?? false;
}

/** Settles when the run has ended or the signal is aborted. */
export async function untilEnded(journal: Journal, run: RunRecord, signal: AbortSignal) {
  const concerns = ({ logId }: Wake) => logId === run.run_id;
  await lookUntil(journal, { concerns, signal }, async () =>
    (await hasEnded(journal, run)) ? true : undefined,
  );
}

async function hasEnded(journal: Journal, { run_id }: RunRecord): Promise<boolean> {
  return (await journal.reads.run(run_id))?.ended_at !== null;
}
