// Which event the reader is at, what of it is selected, and which rows are opened. Choosing an event selects
// what it belongs to in every view; what is selected elsewhere leads here to its first event.
import { useCallback, useEffect, useRef, useState } from "react";
import type { RunEvent } from "../../kernel/events/events.ts";
import type { RunState } from "../../kernel/state/run/state.ts";
import { get } from "../../kernel/state/vector.ts";
import { useAction } from "../keys/actions.ts";
import { anchorOf, idOf, select, useSelection, type Anchor } from "../session/selection.ts";
import { useLive, useLiveStore } from "../session/use-session.ts";
import { adjust } from "../use-route.ts";
import { sessionSeqOf } from "./find-event.ts";
import type { ShownEvents } from "./use-shown-events.ts";

const SETTLE_MS = 150; // a key held down must not change the address thirty times a second

export type Cursor = {
  readonly seq: number | null; // session_seq
  readonly row: number; // -1: nowhere, or not among what is shown
  readonly wanted: number | null; // session_seq to bring into view
  readonly arrived: () => void;
  readonly go: (row: number, when?: "now" | "soon") => void;
  readonly opened: ReadonlySet<number>;
  readonly toggle: (sessionSeq: number) => void;
  readonly isSelected: (event: RunEvent) => boolean;
  readonly scrubTo: (sessionSeq: number) => void;
};

export function useCursor(shown: ShownEvents): Cursor {
  const [seq, setSeq] = useState<number | null>(null);
  const [wanted, setWanted] = useState<number | null>(null);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const { choose, isSelected } = useChosen((found) => {
    setSeq(found);
    setWanted(found);
  });
  const row = seq === null ? -1 : shown.rowOf(seq);
  const go = (to: number, when: "now" | "soon" = "now") => {
    const next = shown.seqAt(Math.max(0, Math.min(to, shown.count - 1)));
    const event = shown.recording.at(next);
    if (!event) return;
    setSeq(next);
    setWanted(next);
    choose(event, when);
  };
  const toggle = (of: number) =>
    setOpened((before) => {
      const after = new Set(before);
      if (!after.delete(of)) after.add(of);
      return after;
    });
  const scrubTo = (to: number) => adjust({ at: to >= shown.recording.length ? undefined : to });
  useMoves({ seq, row, go, scrubTo });
  return {
    seq,
    row,
    wanted,
    arrived: useCallback(() => setWanted(null), []),
    go,
    opened,
    toggle,
    isSelected,
    scrubTo,
  };
}

type Moves = Pick<Cursor, "seq" | "row" | "go" | "scrubTo">;

function useMoves({ seq, row, go, scrubTo }: Moves): void {
  const move = (id: string, title: string, key: string, to: number) => ({
    id,
    title,
    section: "View" as const,
    keys: [key],
    run: () => go(to, "soon"),
  });
  useAction(move("events.next", "Next event", "j", row + 1));
  useAction(move("events.previous", "Previous event", "k", row - 1));
  useAction({
    id: "events.scrub",
    title: "Move the scrubber to this event",
    section: "View",
    keys: ["m"],
    unavailable: seq === null ? "No event is chosen" : null,
    run: () => {
      if (seq !== null) scrubTo(seq);
    },
  });
}

function useChosen(onElsewhere: (sessionSeq: number) => void) {
  const store = useLiveStore();
  const selection = useSelection();
  const head = useLive(({ session }) => session.seq);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const own = useRef<string | null>(null);
  const followed = useRef<Anchor | null>(null);
  const latest = useRef(onElsewhere);
  useEffect(() => {
    latest.current = onElsewhere;
  });
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  useEffect(() => {
    if (!selection || followed.current === selection) return;
    const found = sessionSeqOf(store.recording, selection);
    if (found === null) return; // not here yet: looked for again with the next events
    followed.current = selection;
    if (own.current !== nameOf(selection)) latest.current(found);
  }, [selection, store, head]);

  const choose = (event: RunEvent, when: "now" | "soon") => {
    clearTimeout(timer.current ?? undefined);
    const change = () => {
      const anchor = anchorOf(event, store.getState().runs[event.run_id]);
      own.current = nameOf(anchor);
      select(anchor);
    };
    if (when === "now") change();
    else timer.current = setTimeout(change, SETTLE_MS);
  };
  return { choose, isSelected: useIsSelected(selection) };
}

function nameOf({ runId, seq }: Anchor): string {
  return `${runId}:${seq}`;
}

const NAMES = ["call_id", "message_id", "reasoning_id"] as const;

/** Whether an event is of what is selected: the one it began with, or one that names it. */
function useIsSelected(selection: Anchor | null): (event: RunEvent) => boolean {
  const id = useLive(({ runs }) => selection && itemId(runs[selection.runId], selection.seq));
  return (event) => {
    if (!selection || event.run_id !== selection.runId) return false;
    const payload = event.payload as Record<string, unknown>;
    return (
      event.seq === selection.seq || (id !== null && NAMES.some((name) => payload[name] === id))
    );
  };
}

/** Items are in the order of their events. */
function itemId(run: RunState | undefined, seq: number): string | null {
  if (!run) return null;
  let low = 0;
  let high = run.items.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((get(run.items, middle)?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  const item = get(run.items, low);
  return item?.seq === seq ? idOf(item) : null;
}
