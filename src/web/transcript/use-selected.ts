// Scrolls to the selection if it was made in another view or by the address.
import { useEffect, useMemo, useRef, type RefObject } from "react";
import { useSelection } from "../session/selection.ts";
import { useSession } from "../session/use-session.ts";
import type { ItemPlace } from "./rows.ts";
import { placesOf } from "./selected-place.ts";

const NOWHERE: readonly ItemPlace[] = [];
// Rows are measured, and parts loaded, when first shown.
const STILL_FRAMES = 40;
const MAX_FRAMES = 400;

export function useSelectedPlaces(): readonly ItemPlace[] {
  const anchor = useSelection();
  // As a string, so that streaming does not change its identity.
  const found = useSession((view) => JSON.stringify(anchor ? placesOf(view, anchor) : null));
  return useMemo(() => (JSON.parse(found) as ItemPlace[] | null) ?? NOWHERE, [found]);
}

type Bring = {
  readonly places: readonly ItemPlace[];
  readonly row: number | null;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly toRow: (row: number | null) => void; // stop following the end, and go there if it must be
  readonly isHeld: () => boolean; // false: the reader took over, or went to the end
};

export function useBringIntoView({ places, row, scroller, toRow, isHeld }: Bring): void {
  const done = useRef<readonly ItemPlace[]>(NOWHERE);
  const latest = useRef({ toRow, row, isHeld });
  useEffect(() => {
    latest.current = { toRow, row, isHeld };
  });
  useEffect(() => {
    const box = scroller.current;
    if (!box || row === null || places.length === 0 || done.current === places) return;
    done.current = places;
    // Also if visible, so that streaming does not scroll it away.
    latest.current.toRow(isInView(box) ? null : row);
    return keepInView(box, {
      goThere: () => latest.current.toRow(latest.current.row),
      isHeld: () => latest.current.isHeld(),
    });
    // oxlint-disable-next-line react/exhaustive-deps -- later rows of the same selection change nothing
  }, [places, row === null, scroller]);
}

type Keep = { readonly goThere: () => void; readonly isHeld: () => boolean };

/** Keeps it in view while content around it loads and resizes, until the reader scrolls. */
function keepInView(box: HTMLElement, { goThere, isHeld }: Keep): () => void {
  let handle = 0;
  let standsAt: number | null = null; // null: it is still being brought there
  const settle = () => {
    let [frames, still] = [0, 0];
    standsAt = null;
    cancelAnimationFrame(handle);
    handle = requestAnimationFrame(function step() {
      if (!isHeld()) return;
      frames += 1;
      still = isInView(box) ? still + 1 : 0;
      const shown = selectedIn(box);
      if (still === 0 && shown) shown.scrollIntoView({ block: "center" });
      else if (still === 0) goThere();
      if (still < STILL_FRAMES && frames < MAX_FRAMES) handle = requestAnimationFrame(step);
      else standsAt = topIn(box);
    });
  };
  const observer = new ResizeObserver(() => {
    if (standsAt === null || !isHeld()) return;
    const top = topIn(box);
    if (top === null) settle(); // pushed so far away that it is not drawn
    else if (Math.abs(top - standsAt) > 1) box.scrollTop += top - standsAt;
  });
  if (box.firstElementChild) observer.observe(box.firstElementChild);
  settle();
  return () => {
    cancelAnimationFrame(handle);
    observer.disconnect();
  };
}

function selectedIn(box: HTMLElement): Element | null {
  return box.querySelector("[data-selected]");
}

function topIn(box: HTMLElement): number | null {
  const top = selectedIn(box)?.getBoundingClientRect().top;
  return top === undefined ? null : top - box.getBoundingClientRect().top;
}

function isInView(box: HTMLElement): boolean {
  const rect = selectedIn(box)?.getBoundingClientRect();
  const around = box.getBoundingClientRect();
  return rect !== undefined && rect.top < around.bottom - 24 && rect.bottom > around.top + 24;
}
