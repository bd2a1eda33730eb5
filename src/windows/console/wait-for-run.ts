// The console wants results in its answers; what it asks for is a run like any other. So an answer waits for the
// run's end, for a while, and otherwise names the run.
import type { FastifyReply } from "fastify";
import type { Journal } from "../../kernel/journal/journal.ts";
import { loadRun } from "../../kernel/journal/read/load-run.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import { directCall } from "../../kernel/events/direct.ts";
import type { ToolItem } from "../../kernel/state/run/run-items.ts";
import { whileWaitedFor } from "../../kernel/server/workspace/workspace-params.ts";

type Waiting = { readonly waitMs: number; readonly gone: AbortSignal };

/** The run when it has ended; undefined when nobody can wait for it any longer. */
export async function ended(
  journal: Journal,
  runId: string,
  { waitMs, gone }: Waiting,
): Promise<RunRecord | undefined> {
  const over = AbortSignal.any([gone, AbortSignal.timeout(waitMs)]);
  let wake = Promise.withResolvers<void>();
  const unwatch = journal.watch((hint) => {
    if (hint === "all" || hint.logId === runId) wake.resolve();
  });
  over.addEventListener("abort", () => wake.resolve());
  try {
    for (;;) {
      wake = Promise.withResolvers();
      const run = await journal.reads.run(runId);
      if (run?.ended_at) return run;
      if (over.aborted) return undefined;
      await wake.promise;
    }
  } finally {
    unwatch();
  }
}

const WAIT_S = 10;

export type DirectEnd = {
  readonly run: RunRecord | undefined; // undefined: it goes on
  readonly status: string;
  readonly call: ToolItem | undefined;
};

/** How a person's own command stands when the wait is over. */
export async function directEnd(
  journal: Journal,
  runId: string,
  { reply, wait_s = WAIT_S }: { reply: FastifyReply; wait_s: number | undefined },
): Promise<DirectEnd> {
  const waiting = { waitMs: wait_s * 1_000, gone: whileWaitedFor(reply) };
  const run = await ended(journal, runId, waiting);
  const state = await loadRun(journal, runId);
  const status = run?.status ?? state?.status ?? "queued";
  return { run, status, call: state && directCall(state) };
}
