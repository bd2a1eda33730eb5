// The visible part of the chart, read once per frame.
import { useEffect, useState } from "react";

export type Viewport = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
};

const NOTHING: Viewport = { left: 0, top: 0, width: 0, height: 0 };

export function useViewport(box: HTMLElement | null): Viewport {
  const [viewport, setViewport] = useState(NOTHING);
  useEffect(() => {
    if (!box) return;
    let frame = 0;
    const read = () => {
      frame = 0;
      setViewport({
        left: box.scrollLeft,
        top: box.scrollTop,
        width: box.clientWidth,
        height: box.clientHeight,
      });
    };
    const soon = () => {
      frame ||= requestAnimationFrame(read);
    };
    read();
    const observer = new ResizeObserver(soon);
    observer.observe(box);
    box.addEventListener("scroll", soon, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      box.removeEventListener("scroll", soon);
    };
  }, [box]);
  return viewport;
}
