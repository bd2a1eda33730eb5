// The console expects results in its answers, but what it asks for is a run. So an answer waits a while for the end of
// the run, and otherwise names the run.
import type { FastifyReply } from "fastify";
import type { Journal } from "../../kernel/journal/journal.ts";
import { lookUntil } from "../../kernel/journal/read/look-until.ts";
import { loadRun } from "../../kernel/journal/read/load-run.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import { directCall } from "../../kernel/events/direct.ts";
import type { ToolItem } from "../../kernel/state/run/items.ts";
import { abortOnDisconnect } from "../../kernel/server/disconnect.ts";

type Waiting = { readonly waitMs: number; readonly gone: AbortSignal };

/** The run when it has ended; undefined when the time is up or the client is gone. */
export async function runEnd(journal: Journal, runId: string, { waitMs, gone }: Waiting) {
  const signal = AbortSignal.any([gone, AbortSignal.timeout(waitMs)]);
  return lookUntil(journal, { concerns: ({ logId }) => logId === runId, signal }, async () => {
    const run = await journal.reads.run(runId);
    return run?.ended_at ? run : undefined;
  });
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
  const waiting = { waitMs: wait_s * 1_000, gone: abortOnDisconnect(reply) };
  const run = await runEnd(journal, runId, waiting);
  const state = await loadRun(journal, runId);
  const status = run?.status ?? state?.status ?? "queued";
  return { run, status, call: state && directCall(state) };
}
