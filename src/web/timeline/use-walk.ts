// The current span and how to move from it. The selection is in the address; this remembers which of two spans
// with the same event is meant.
import { useEffect, useMemo, useState } from "react";
import type { Span } from "../../kernel/state/timeline/timeline.ts";
import { select, useSelection } from "../session/selection.ts";
import { adjust } from "../use-route.ts";
import type { Family } from "./family.ts";
import { around, beside, inOrder, inwards, outwards, spanOf, step } from "./order.ts";
import { rowsOf, type Row } from "./rows.ts";

export type Walk = {
  readonly rows: readonly Row[];
  readonly current: Span | null;
  readonly pick: (span: Span) => void;
  readonly toggle: (runId: string) => void;
  readonly step: (by: 1 | -1) => void;
  readonly outwards: () => void;
  readonly inwards: () => void;
  /** False: the key has no meaning here. */
  readonly arrow: (key: string) => boolean;
  readonly open: () => void;
};

export function useWalk(family: Family, pan: (by: number) => void): Walk {
  const [opened, setOpened] = useOpened();
  const { current, pick } = useCurrent(family);
  useEffect(() => setOpened(around(family, current), true), [family, current, setOpened]);
  const rows = useMemo(() => rowsOf(family, opened), [family, opened]);
  const order = useMemo(() => inOrder(rows), [rows]);

  const go = (span: Span | undefined): boolean => {
    if (span) pick(span);
    return span !== undefined;
  };
  const fold = (runId: string) => {
    const hidden = around(family, current).includes(runId);
    const call = family.spans.get(family.lines.get(runId)?.askedBy ?? "");
    if (hidden && call) pick(call); // what is folded away cannot stay selected
    setOpened([runId], false);
  };
  const child = current?.childRunId ?? "";
  return {
    rows,
    current,
    pick,
    toggle: (runId) => (opened.has(runId) ? fold(runId) : setOpened([runId], true)),
    step: (by) => void go(step(order, current, by)),
    outwards: () => {
      if (opened.has(child)) fold(child);
      else if (!current || !go(outwards(family, current))) pan(-0.25);
    },
    inwards: () => {
      if (!current || !go(inwards(family, current))) pan(0.25);
    },
    arrow: (key) => {
      if (!ARROWS.has(key)) return false;
      go(current ? beside(rows, current, key) : order[0]);
      return true;
    },
    open: () => current && adjust({ view: "chat" }),
  };
}

const ARROWS = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);

function useCurrent(family: Family) {
  const selected = useSelection();
  const [picked, setPicked] = useState("");
  const current = useMemo(() => {
    const span = family.spans.get(picked);
    const same = span && span.runId === selected?.runId && span.seq === selected.seq;
    return same ? span : spanOf(family, selected);
  }, [family, picked, selected]);
  const pick = (span: Span) => {
    setPicked(span.id);
    select({ runId: span.runId, seq: span.seq });
  };
  return { current, pick };
}

function useOpened() {
  const [opened, set] = useState<ReadonlySet<string>>(new Set());
  const [change] = useState(() => (runs: readonly string[], open: boolean) => {
    set((before) => {
      if (runs.every((runId) => before.has(runId) === open)) return before;
      const next = new Set(before);
      for (const runId of runs)
        if (open) next.add(runId);
        else next.delete(runId);
      return next;
    });
  });
  return [opened, change] as const;
}
