// Keeps the end of the transcript in view while the reader is at the end, and never moves it otherwise.
// Only a reader moves up in content that did not shrink; that is how leaving is told from layout.
import { useCallback, useEffect, useRef, useState } from "react";

const NEAR_PX = 48; // this close to the end counts as being there

export function useTail(count: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const last = useRef({ top: 0, height: 0 });
  const [leftAt, setLeftAt] = useState<number | null>(null); // rows there when the reader left; null: at the end
  const following = useRef(true);

  const stick = useCallback(() => {
    const box = scroller.current;
    if (!box || !following.current) return;
    box.scrollTop = box.scrollHeight;
    last.current = { top: box.scrollTop, height: box.scrollHeight };
  }, []);

  useEffect(() => {
    if (!scroller.current || !content.current) return;
    const observer = new ResizeObserver(stick);
    observer.observe(scroller.current);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [stick]);

  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const { scrollTop: top, scrollHeight: height, clientHeight } = box;
    const movedUp = top < last.current.top - 1 && height >= last.current.height;
    last.current = { top, height };
    if (height - clientHeight - top <= NEAR_PX) following.current = true;
    else if (movedUp) following.current = false;
    setLeftAt((before) => (following.current ? null : (before ?? count)));
  };
  const toEnd = () => {
    following.current = true;
    setLeftAt(null);
    stick();
  };
  const atEnd = leftAt === null;
  return { scroller, content, onScroll, toEnd, atEnd, unseen: atEnd ? 0 : count - leftAt };
}
