// Follows the end of the transcript while the reader is there, and never moves it otherwise.
import {
  useCallback,
  useEffect,
  useRef,
  useState,
  type PointerEvent,
  type RefObject,
  type TouchEvent,
} from "react";
import { AT_THE_END, held, left, released, resized, scrolled, seen, type Tail } from "./tail.ts";

const DRAG_PX = 4;
const UP_KEYS: ReadonlySet<string> = new Set(["Home", "PageUp", "ArrowUp"]);
// Tab scrolls to its target, and Shift+Space pages up.
const MOVING_KEYS: ReadonlySet<string> = new Set([...UP_KEYS, "Tab", " "]);
const READER_MS = 1_000; // what moves the view this soon after a reader's doing is the reader's
const UNFOLD_MS = 250; // what grows this soon after a press is what it unfolded

/** `count` is the number of rows; the difference is what is new. */
export function useTail(count: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const tail = useRef(AT_THE_END);
  const pressedAt = useRef(-UNFOLD_MS);
  const latest = useRef(count);
  const [leftAt, setLeftAt] = useState<number | null>(null); // how much there was then; null: at the end
  useEffect(() => {
    latest.current = count;
    // A link scrolls before everything is loaded: rows that existed are not new.
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
  const onScroll = (byReader: boolean) => {
    if (scroller.current) become(scrolled(tail.current, scroller.current, byReader));
  };
  const onUp = () => become(left(tail.current));
  const onUnfold = () => {
    pressedAt.current = performance.now();
  };
  const toEnd = useCallback(() => {
    pressedAt.current = -UNFOLD_MS;
    become({ ...tail.current, following: true, leaving: false, held: false });
    stick();
  }, [become, stick]);
  const atEnd = leftAt === null;
  const unseen = atEnd ? 0 : Math.max(0, count - leftAt);
  const reader = useReader({ scroller, onScroll, onMove, onUp, onUnfold });
  const isHeld = () => tail.current.held;
  return { scroller, content, reader, hold, isHeld, toEnd, atEnd, unseen };
}

type Reading = {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly onScroll: (byReader: boolean) => void;
  readonly onMove: () => void; // by whatever means
  readonly onUp: () => void;
  readonly onUnfold: () => void;
};

/** Handlers for wheel, touch, keys and presses of the reader. */
function useReader({ scroller, onScroll, onMove, onUp, onUnfold }: Reading) {
  const touchedAt = useRef(0);
  const { note, isRecent, ...pointer } = useOwnDoing();
  const up = () => {
    note();
    if ((scroller.current?.scrollTop ?? 0) > 0) onUp();
  };
  return {
    onScroll: () => onScroll(isRecent()),
    onPointerDown(event: PointerEvent) {
      onMove();
      pointer.onPress(event.target === scroller.current); // then it is the scrollbar
    },
    onPointerMove: pointer.onDrag,
    onPointerUp: pointer.onRelease,
    onWheel({ deltaY }: { deltaY: number }) {
      onMove();
      if (deltaY < 0) up();
    },
    onTouchStart({ touches }: TouchEvent) {
      touchedAt.current = touches[0]?.clientY ?? 0;
    },
    onTouchMove({ touches }: TouchEvent) {
      note();
      if ((touches[0]?.clientY ?? 0) > touchedAt.current + DRAG_PX) up();
    },
    onKeyDown({ key, target }: { key: string; target: EventTarget }) {
      onMove();
      if (MOVING_KEYS.has(key)) note();
      if (target === scroller.current && UP_KEYS.has(key)) up();
    },
    onClickCapture({ target }: { target: EventTarget }) {
      if (target instanceof Element && target.closest("[aria-expanded], summary")) onUnfold();
    },
  };
}

/** Whether the reader has just moved the view. A press on content does not count. */
function useOwnDoing() {
  const didAt = useRef(-READER_MS);
  const onBar = useRef(false); // while the scrollbar is held nothing else is told of it
  const note = () => {
    didAt.current = performance.now();
  };
  const onRelease = () => {
    if (onBar.current) note();
    onBar.current = false;
  };
  return {
    note,
    isRecent: () => onBar.current || performance.now() - didAt.current < READER_MS,
    onPress(bar: boolean) {
      onBar.current = bar;
    },
    onDrag: ({ buttons }: { buttons: number }) => {
      if (buttons === 0) onRelease();
      else note(); // words are being selected, which scrolls at the edges
    },
    onRelease,
  };
}
