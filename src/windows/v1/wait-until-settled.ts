// Waiting for a run, for those who want one answer: until it has ended, or cannot go on without a person.
// Who waits and goes away stops nothing.
import type { FastifyReply } from "fastify";
import type { Journal } from "../../kernel/journal/journal.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import { waitingFields, type Waiting } from "./wire/openai-waiting.ts";
import { pendingIn, type ResponsesState } from "./wire/responses/object.ts";
import { isOf } from "../../kernel/server/feed/pending-below.ts";
import { readResponse } from "./read-response.ts";

export type Settled = {
  readonly state: ResponsesState;
  /** What runs before this one wait for: it is their turn first. */
  readonly behind: readonly Waiting[];
};

export function whenGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  if (reply.raw.destroyed) gone.abort(); // its `close` was before: nobody would ever say so again
  return gone.signal;
}

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

/** True when it has ended, false when something in its session waits for a person, or nobody waits here. */
async function untilStill(journal: Journal, run: RunRecord, gone: AbortSignal): Promise<boolean> {
  return watching(journal, run, gone, async () => {
    const waiting = await journal.reads.pending({ sessionId: run.session_id });
    return waiting.length > 0;
  });
}

/** False: it was not waited for any longer. */
export function untilEnded(journal: Journal, run: RunRecord, gone: AbortSignal): Promise<boolean> {
  return watching(journal, run, gone, async () => false);
}

/** Until the run has ended (true), `still` says so, or nobody waits any more. */
async function watching(
  journal: Journal,
  { run_id, session_id }: RunRecord,
  gone: AbortSignal,
  still: () => Promise<boolean>,
): Promise<boolean> {
  let wake: () => void = () => undefined;
  const stop = journal.watch((woken) => {
    if (woken === "all" || woken.sessionId === session_id) wake();
  });
  const leave = () => wake();
  gone.addEventListener("abort", leave);
  try {
    for (;;) {
      const next = new Promise<void>((resolve) => void (wake = resolve)); // before looking: nothing is missed
      if ((await journal.reads.run(run_id))?.ended_at !== null) return true;
      if (gone.aborted || (await still())) return false;
      await next;
    }
  } finally {
    stop();
    gone.removeEventListener("abort", leave);
  }
}
