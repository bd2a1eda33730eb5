// Keeps the end of the transcript in view while the reader is at the end, and never moves it otherwise.
import { useCallback, useEffect, useRef, useState, type RefObject, type TouchEvent } from "react";
import { AT_THE_END, held, left, released, resized, scrolled, seen, type Tail } from "./tail.ts";

const DRAG_PX = 4;
const UP_KEYS: ReadonlySet<string> = new Set(["Home", "PageUp", "ArrowUp"]);
const UNFOLD_MS = 250; // what grows this soon after a press is what it unfolded

/** `count` is how much there is: the difference is what is new. */
export function useTail(count: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const tail = useRef(AT_THE_END);
  const pressedAt = useRef(-UNFOLD_MS);
  const latest = useRef(count);
  const [leftAt, setLeftAt] = useState<number | null>(null); // how much there was then; null: at the end
  useEffect(() => {
    latest.current = count;
    // A link opens its place before all is here: what was there already is not new.
    if (tail.current.held) setLeftAt((before) => (before === null ? null : count));
  }, [count]);

  const become = useCallback((next: Tail) => {
    tail.current = next;
    setLeftAt((before) => (next.following ? null : (before ?? latest.current)));
  }, []);
  const stick = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    const unfolded = performance.now() - pressedAt.current < UNFOLD_MS;
    become(resized(tail.current, box, unfolded));
    if (!tail.current.following) return;
    box.scrollTop = box.scrollHeight;
    tail.current = seen(tail.current, box);
  }, [become]);

  useEffect(() => {
    if (!scroller.current || !content.current) return;
    const observer = new ResizeObserver(stick);
    observer.observe(scroller.current);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [stick]);

  const hold = () => become(held(tail.current));
  const onMove = () => become(released(tail.current));
  const onScroll = () => {
    if (scroller.current) become(scrolled(tail.current, scroller.current));
  };
  const onUp = () => become(left(tail.current));
  const onUnfold = () => {
    pressedAt.current = performance.now();
  };
  const toEnd = () => {
    pressedAt.current = -UNFOLD_MS;
    become({ ...tail.current, following: true, leaving: false, held: false });
    stick();
  };
  const atEnd = leftAt === null;
  const unseen = atEnd ? 0 : Math.max(0, count - leftAt);
  const reader = useReader({ scroller, onScroll, onMove, onUp, onUnfold });
  return { scroller, content, reader, hold, toEnd, atEnd, unseen };
}

type Reading = {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly onScroll: () => void;
  readonly onMove: () => void; // by whatever means
  readonly onUp: () => void;
  readonly onUnfold: () => void;
};

/** What a reader does with the wheel, fingers, keys and presses, as handlers of the scroller. */
function useReader({ scroller, onScroll, onMove, onUp, onUnfold }: Reading) {
  const touchedAt = useRef(0);
  const up = () => {
    if ((scroller.current?.scrollTop ?? 0) > 0) onUp();
  };
  return {
    onScroll,
    onPointerDown: onMove,
    onWheel({ deltaY }: { deltaY: number }) {
      onMove();
      if (deltaY < 0) up();
    },
    onTouchStart({ touches }: TouchEvent) {
      touchedAt.current = touches[0]?.clientY ?? 0;
    },
    onTouchMove({ touches }: TouchEvent) {
      if ((touches[0]?.clientY ?? 0) > touchedAt.current + DRAG_PX) up();
    },
    onKeyDown({ key, target }: { key: string; target: EventTarget }) {
      onMove();
      if (target === scroller.current && UP_KEYS.has(key)) up();
    },
    onClickCapture({ target }: { target: EventTarget }) {
      if (target instanceof Element && target.closest("[aria-expanded], summary")) onUnfold();
    },
  };
}
