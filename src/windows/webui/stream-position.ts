// Where a run's stream stands, in the numbers of its ids: a page that comes back compares them with what
// it has.
import type { Journal } from "../../kernel/journal/journal.ts";
import type { RunRecord } from "../../kernel/api/records/records.ts";
import { encode } from "../../kernel/dialect/dialect.ts";
import { streamEnd } from "./wire/run-end.ts";
import { webuiSeq } from "./wire/frames.ts";
import { webuiDialect } from "./wire/webui.ts";
import { windowId } from "../../kernel/dialect/window-id.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { endOf } from "./wire.ts";

const LOOK_BACK = 64;

export async function streamPosition(journal: Journal, run: RunRecord) {
  const done = await endOf(journal, run);
  if (!done) {
    const { seq, last_event } = await newest(journal, run);
    // Its clients know a run that has not ended as running; one that has not begun is not that.
    const terminal_state = run.status === "queued" ? "queued" : "running";
    return { ...at(run, seq), last_event, terminal: false, terminal_state };
  }
  const { event: last_event, terminal_state, ...last } = streamEnd(done);
  const seq = webuiSeq({ ...last, event: last_event }, done);
  return { ...at(run, seq), last_event, terminal: true, terminal_state };
}

const at = ({ run_id }: RunRecord, seq: number) => ({
  last_seq: seq,
  last_event_id: windowId(run_id, seq),
});

/** The newest frame of a run that goes on. What an event is called needs only what came just before. */
async function newest(journal: Journal, { run_id, seq: head }: RunRecord) {
  const page = await journal.readRun(run_id, Math.max(0, head - LOOK_BACK), LOOK_BACK);
  const state = webuiDialect.begin();
  let last: { seq: number; last_event: string | null } = { seq: 0, last_event: null };
  for (const [, seq, body] of page?.rows ?? []) {
    const event = JSON.parse(body) as RunEvent;
    const emitted = encode(webuiDialect, event, state, { replay: true }).at(-1);
    if (emitted) last = { seq, last_event: emitted.event };
  }
  return last.seq === 0 ? { seq: page?.rows.at(-1)?.[1] ?? 0, last_event: null } : last;
}
