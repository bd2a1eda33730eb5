// A key or click answers only a card that the person has seen: a hidden card is scrolled into view first, and a
// card that just replaced another one ignores the press meant for that one. Nobody may approve a command
// unseen.
import { useEffect, useRef, type MouseEvent, type RefObject } from "react";

/** Longer than a key press that is already on its way. */
const READ_MS = 500;
let answeredElsewhere = Number.NEGATIVE_INFINITY; // when that last happened to one that was open here

/** Returns what to call when the request is answered here. */
export function useAnsweredElsewhere(open: boolean): () => void {
  const before = useRef({ open, here: false });
  useEffect(() => {
    const { open: wasOpen, here } = before.current;
    if (wasOpen && !open && !here) answeredElsewhere = performance.now();
    before.current.open = open;
  }, [open]);
  return () => {
    before.current.here = true;
  };
}

let openCards = 0;

/** Drops a press that was meant for the previous card. */
export function useOwnPresses(open: boolean): { onClickCapture: (event: MouseEvent) => void } {
  const begunHere = useRef(false);
  const pushedIn = useRef(Number.NEGATIVE_INFINITY); // when it came to where another one may have been
  useEffect(() => {
    if (!open) return;
    if (openCards > 0) pushedIn.current = performance.now();
    openCards += 1;
    return () => {
      openCards -= 1;
    };
  }, [open]);
  return {
    onClickCapture(event) {
      if (!open || event.detail === 0) return; // a key is pressed on the button it is for
      if (event.detail === 1) begunHere.current = true;
      const since = performance.now() - Math.max(pushedIn.current, answeredElsewhere);
      if (since > READ_MS && begunHere.current) return; // else the second half of a double press on another
      event.preventDefault();
      event.stopPropagation();
    },
  };
}

/** Acts if the card is visible; otherwise scrolls it into view. */
export type WhenSeen = (act: () => void, by?: KeyboardEvent) => void;

export function useSeen(): { card: RefObject<HTMLElement | null>; whenSeen: WhenSeen } {
  const card = useRef<HTMLElement>(null);
  const whenSeen: WhenSeen = (act, by) => {
    if (by?.repeat) return; // a key that is held down would answer what comes next, too
    if (!card.current || document.querySelector("dialog[open]")) return;
    const { area, seen } = seenOf(card.current);
    if (seen && performance.now() - answeredElsewhere > READ_MS) return act();
    const block = card.current.offsetHeight > area ? "start" : "center";
    card.current.scrollIntoView({ block, behavior: "instant" });
    card.current.focus({ preventScroll: true });
  };
  return { card, whenSeen };
}

const TOLERANCE = 8;

/**
 * A card is seen if all of it is visible. One larger than its scroll area is seen if it fills half of it and
 * has the focus.
 */
function seenOf(card: HTMLElement): { area: number; seen: boolean } {
  const box = card.getBoundingClientRect();
  const { top, bottom, left, right } = areaOf(card);
  const [from, to] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
  const area = bottom - top;
  const middle = (Math.max(left, box.left) + Math.min(right, box.right)) / 2;
  const hit = to > from ? document.elementFromPoint(middle, (from + to) / 2) : null;
  if (!card.contains(hit)) return { area, seen: false };
  if (to - from >= box.height - TOLERANCE) return { area, seen: true };
  const isTall = box.height > area;
  return {
    area,
    seen: isTall && to - from >= area / 2 && card.contains(document.activeElement),
  };
}

/** The part of the window left by all scrolling and clipping ancestors. */
function areaOf(element: HTMLElement) {
  const area = { top: 0, left: 0, bottom: innerHeight, right: innerWidth };
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflowY === "visible") continue;
    const box = around.getBoundingClientRect();
    area.top = Math.max(area.top, box.top);
    area.left = Math.max(area.left, box.left);
    area.bottom = Math.min(area.bottom, box.bottom);
    area.right = Math.min(area.right, box.right);
  }
  return area;
}
