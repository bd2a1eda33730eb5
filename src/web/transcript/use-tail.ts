// Keeps the end of the transcript in view while the reader is at the end, and never moves it otherwise.
// A wheel turned up is a reader leaving, whatever the layout does in that moment; otherwise only a reader
// moves up in content that did not shrink.
import { useCallback, useEffect, useRef, useState } from "react";

const NEAR_PX = 48; // this close to the end counts as being there
const LEAVING_MS = 300; // from the turn of a wheel until the view has moved

export function useTail(count: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const last = useRef({ top: 0, height: 0 });
  const [leftAt, setLeftAt] = useState<number | null>(null); // rows there when the reader left; null: at the end
  const following = useRef(true);
  const leavingUntil = useRef(0);

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
    const near = height - clientHeight - top <= NEAR_PX;
    if (near && performance.now() > leavingUntil.current) following.current = true;
    else if (movedUp) following.current = false;
    setLeftAt((before) => (following.current ? null : (before ?? count)));
  };
  const onWheel = ({ deltaY }: { deltaY: number }) => {
    if (deltaY >= 0 || !scroller.current || scroller.current.scrollTop === 0) return;
    following.current = false;
    leavingUntil.current = performance.now() + LEAVING_MS;
    setLeftAt((before) => before ?? count);
  };
  const toEnd = () => {
    following.current = true;
    setLeftAt(null);
    stick();
  };
  const atEnd = leftAt === null;
  return { scroller, content, onScroll, onWheel, toEnd, atEnd, unseen: atEnd ? 0 : count - leftAt };
}
