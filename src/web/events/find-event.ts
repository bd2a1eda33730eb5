// Where an event of a run stands in its session. A search from the start: rarely asked, and a hundred
// thousand events take a millisecond.
import type { Recording } from "../../kernel/client/recording.ts";
import type { Anchor } from "../session/selection.ts";

/** session_seq, or null where there is no such event (yet). */
export function sessionSeqOf(recording: Recording, { runId, seq }: Anchor): number | null {
  for (let at = seq; at <= recording.length; at += 1) {
    const event = recording.at(at);
    if (event?.seq === seq && event.run_id === runId) return at;
  }
  return null;
}
