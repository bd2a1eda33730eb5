// Which events are shown. Found a slice at a time, so that a hundred thousand events never hold up the
// page; what was looked at is not looked at again when more arrive.
import type { Recording } from "../../kernel/client/recording.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { groupOf, type EventGroup } from "./groups.ts";

export type Wanted = {
  readonly group: EventGroup | null; // null: all
  readonly text: string; // "": anything
  /** Whether a run is meant; null: too early to say. */
  readonly isMeant: ((runId: string) => boolean | null) | null;
};
export type Filter = {
  /** session_seq of what is shown, in order. Grows in place. */
  readonly found: readonly number[];
  /** How many events were looked at. */
  readonly scanned: number;
  /** Looks on until it has seen everything (true) or has used up its time. */
  readonly scan: (recording: Recording, clock: () => number, budgetMs: number) => boolean;
};

const BETWEEN_LOOKS = 64; // events, before the clock is read again

export function isEverything({ group, text, isMeant }: Wanted): boolean {
  return group === null && text.trim() === "" && isMeant === null;
}

export function createFilter(wanted: Wanted): Filter {
  const found: number[] = [];
  const matches = matcher(wanted);
  let scanned = 0;
  return {
    found,
    get scanned() {
      return scanned;
    },
    scan(recording, clock, budgetMs) {
      const until = clock() + budgetMs;
      while (scanned < recording.length) {
        if (scanned % BETWEEN_LOOKS === 0 && clock() > until) return false;
        const event = recording.at(scanned + 1);
        const match = event ? matches(event) : false;
        if (match === null) return true; // nothing to do but wait for the next event
        scanned += 1;
        if (match) found.push(scanned);
      }
      return true;
    },
  };
}

function matcher({ group, text, isMeant }: Wanted): (event: RunEvent) => boolean | null {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (event) => {
    const meant = isMeant ? isMeant(event.run_id) : true;
    if (meant !== true) return meant;
    if (group !== null && groupOf(event.type) !== group) return false;
    if (words.length === 0) return true;
    const whole = `${event.type} ${event.run_id} ${JSON.stringify(event.payload)}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  };
}
