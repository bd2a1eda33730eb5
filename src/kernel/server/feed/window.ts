// A dialect as a source for tails: the events of a session, or of one run and its subagents, in the dialect's frames.
// Reading starts where the dialect's state starts; what the window has seen already is folded and not sent.
import type { Journal, JournalReads, StoredRow } from "../../journal/journal.ts";
import { encode, type Dialect } from "../../dialect/dialect.ts";
import { ApiError } from "../../events/errors.ts";
import type { RunEvent } from "../../events/events.ts";
import { isTerminalRow, packText } from "./sources.ts";
import type { Framing, Source } from "./tail.ts";

export type WindowSpec<State, Frame extends object> = {
  readonly dialect: Dialect<State, Frame>;
  readonly sessionId: string;
  /** Only this run with its subagents, and what the session says meanwhile. It ends with the run. */
  readonly run?: { readonly runId: string; readonly begin: number };
  /** One frame as it is sent. `last`: nothing of this event follows it. */
  readonly text: (frame: Frame, event: RunEvent) => string;
  /** Left out: text that may stand together (SSE). */
  readonly pack?: (texts: readonly string[]) => Buffer;
  /** Beside the cursor, for windows that count frames themselves. */
  readonly keep?: (frame: Frame) => boolean;
  /** Of two windows with the same name one is framed for both. */
  readonly name?: string;
};

export function windowSource<State, Frame extends object>(
  journal: JournalReads,
  spec: WindowSpec<State, Frame>,
): Source {
  const { dialect, sessionId, run } = spec;
  const ends = (row: StoredRow) =>
    run !== undefined &&
    isTerminalRow(row) &&
    (JSON.parse(row[2]) as RunEvent).run_id === run.runId;
  return {
    key: `${spec.name ?? dialect.name} ${run?.runId ?? sessionId}`,
    wokenBy: { sessionId },
    async read(after, limit) {
      const page = await journal.readSession(sessionId, after, limit);
      const end = page?.rows.findIndex(ends) ?? -1;
      if (!page || end < 0) return page;
      const rows = page.rows.slice(0, end + 1);
      return { rows, head: rows.at(-1)?.[1] ?? page.head };
    },
    head: async () => (await journal.reads.session(sessionId))?.seq ?? 0,
    async check() {
      if (run) return; // it begins with the run, after whatever is damaged before
      const damaged = (await journal.reads.runsOf(sessionId)).find(
        ({ quarantined }) => quarantined,
      );
      if (!damaged) return;
      const message = `Run ${damaged.run_id} of this session is damaged: ${damaged.quarantined}`;
      throw new ApiError("run_quarantined", message, { run_id: damaged.run_id });
    },
    position: ([, sessionSeq]) => sessionSeq,
    enter: (after) => ({ from: run?.begin ?? 0, framing: framingOf(spec, after) }),
    pack: spec.pack ?? packText,
    ends,
  };
}

function framingOf<State, Frame extends object>(
  { dialect, run, text, keep }: WindowSpec<State, Frame>,
  after: number,
): Framing {
  const state = dialect.begin();
  const family = run && new Set([run.runId]);
  return ([, sessionSeq, body], emitOptions) => {
    const event = JSON.parse(body) as RunEvent;
    if (family && !belongs(family, event)) return [];
    const frames = encode(dialect, event, state, emitOptions);
    if (sessionSeq <= after) return [];
    return (keep ? frames.filter(keep) : frames).map((frame) => text(frame, event));
  };
}

/** The run, its subagents and theirs, and the session's own events. */
function belongs(family: Set<string>, event: RunEvent): boolean {
  const { run_id, session_id } = event;
  if (run_id === session_id) return true;
  if (!family.has(run_id)) return false;
  // Stands in the parent's log before the first event of the child.
  if (event.type === "subagent.started") family.add(event.payload.child_run_id);
  return true;
}

/** Where in its session a run begins; undefined when there is no such run. */
export async function findRun(journal: Pick<Journal, "reads" | "readRun">, runId: string) {
  const run = await journal.reads.run(runId);
  if (!run) return undefined;
  const first = (await journal.readRun(runId, 0, 1))?.rows[0];
  return { record: run, sessionId: run.session_id, begin: (first?.[1] ?? 1) - 1 };
}
