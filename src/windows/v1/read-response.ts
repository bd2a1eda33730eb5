// A run as a response, folded from the journal for every request; nothing is kept here.
import type { Journal } from "../../kernel/journal/journal.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import { responsesDialect, responsesText } from "./wire/responses/responses.ts";
import type { ResponsesState } from "./wire/responses/object.ts";
import { findRun, windowSource, type WindowSpec } from "../../kernel/server/feed/window.ts";
import { V1Error } from "./v1-error.ts";
import { requireRun } from "./require-run.ts";

const PAGE = 200;

type RunWindow = Pick<WindowSpec<ResponsesState, object>, "sessionId" | "run">;

export async function runWindow(journal: Journal, run: RunRecord): Promise<RunWindow> {
  const found = await findRun(journal, run.run_id);
  return {
    sessionId: run.session_id,
    run: { runId: run.run_id, begin: found?.begin ?? 0 },
  };
}

export async function readResponse(journal: Journal, run: RunRecord): Promise<ResponsesState> {
  const state = responsesDialect.begin();
  const dialect = { ...responsesDialect, begin: () => state };
  const spec = await runWindow(journal, run);
  const source = windowSource(journal, { ...spec, dialect, text: responsesText });
  const { from, framing } = source.enter(-1);
  for (let position = from; ;) {
    const page = await source.read(position, PAGE);
    const last = page?.rows.at(-1);
    if (!page || !last) return state;
    for (const row of page.rows) framing(row, { replay: true });
    position = source.position(last);
    if (source.ends(last) || position >= page.head) return state;
  }
}

/** The run behind a response's id. Subagents' runs are none, and those of deleted sessions are gone. */
export async function requireResponse(journal: Journal, id: string): Promise<RunRecord> {
  const missing = () =>
    new V1Error(
      404,
      "response_not_found",
      `There is no response ${id.slice(0, 140)}.`,
      "response_id",
    );
  const [, runId] = /^resp_(.+)$/.exec(id) ?? [];
  if (runId === undefined) throw missing();
  const run = await requireRun(journal, runId).catch((error: unknown) => {
    throw error instanceof V1Error ? missing() : error;
  });
  const session = await journal.reads.sessionSummary(run.session_id);
  if (run.parent_run_id !== null || !session || session.deleted) throw missing();
  return run;
}
