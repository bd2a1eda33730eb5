// Reads a log from its end, because what is looked for has usually just happened.
import type { JournalReads } from "../../../kernel/journal/journal.ts";
import type { RunEvent } from "../../../kernel/events/events.ts";

const PAGE = 64;

export async function* backwards(
  journal: Pick<JournalReads, "reads" | "readRun">,
  runId: string,
): AsyncGenerator<RunEvent> {
  let before = ((await journal.reads.run(runId))?.seq ?? 0) + 1;
  while (before > 1) {
    const after = Math.max(0, before - 1 - PAGE);
    const page = await journal.readRun(runId, after, before - 1 - after);
    for (const [, , body] of page?.rows.toReversed() ?? []) yield JSON.parse(body) as RunEvent;
    before = after + 1;
  }
}
