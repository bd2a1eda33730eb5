// The selection as the transcript shows it. It is brought into view when it was made elsewhere: in another
// view, by a link, or by the address the page was opened with.
import { useEffect, useMemo, useRef, type RefObject } from "react";
import { useSelection } from "../session/selection.ts";
import { useSession } from "../session/use-session.ts";
import type { ItemPlace } from "./rows.ts";
import { placesOf } from "./selected-place.ts";

const NOWHERE: readonly ItemPlace[] = [];
// Rows are measured, and parts of them fetched, when they are first shown.
const STILL_FRAMES = 40;
const MOST_FRAMES = 400;

export function useSelectedPlaces(): readonly ItemPlace[] {
  const anchor = useSelection();
  // As text: it is the same as long as it says the same, however much streams in meanwhile.
  const found = useSession((view) => JSON.stringify(anchor ? placesOf(view, anchor) : null));
  return useMemo(() => (JSON.parse(found) as ItemPlace[] | null) ?? NOWHERE, [found]);
}

type Bring = {
  readonly places: readonly ItemPlace[];
  readonly row: number | null;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly toRow: (row: number | null) => void; // stop following the end, and go there if it must be
};

export function useBringIntoView({ places, row, scroller, toRow }: Bring): void {
  const done = useRef<readonly ItemPlace[]>(NOWHERE);
  const latest = useRef({ toRow, row });
  useEffect(() => {
    latest.current = { toRow, row };
  });
  useEffect(() => {
    const box = scroller.current;
    if (!box || row === null || places.length === 0 || done.current === places) return;
    done.current = places;
    // Also where it is in view: what is selected is not to be scrolled away by what streams in.
    latest.current.toRow(isInView(box) ? null : row);
    return settle(box, () => latest.current.toRow(latest.current.row));
    // oxlint-disable-next-line react/exhaustive-deps -- later rows of the same selection change nothing
  }, [places, row === null, scroller]);
}

/** Until the reader moves: keeps it in view while what is around it comes and gets its final size. */
function settle(box: HTMLElement, goThere: () => void): () => void {
  let [frames, still] = [0, 0];
  let handle = requestAnimationFrame(function step() {
    frames += 1;
    still = isInView(box) ? still + 1 : 0;
    const shown = selectedIn(box);
    if (still === 0 && shown) shown.scrollIntoView({ block: "center" });
    else if (still === 0) goThere();
    if (still < STILL_FRAMES && frames < MOST_FRAMES) handle = requestAnimationFrame(step);
    else stop();
  });
  const stop = () => {
    cancelAnimationFrame(handle);
    for (const name of MOVES) box.removeEventListener(name, stop);
  };
  for (const name of MOVES) box.addEventListener(name, stop, { passive: true });
  return stop;
}
const MOVES = ["wheel", "touchstart", "pointerdown", "keydown"];

function selectedIn(box: HTMLElement): Element | null {
  return box.querySelector("[data-selected]");
}

function isInView(box: HTMLElement): boolean {
  const rect = selectedIn(box)?.getBoundingClientRect();
  const around = box.getBoundingClientRect();
  return rect !== undefined && rect.top < around.bottom - 24 && rect.bottom > around.top + 24;
}
