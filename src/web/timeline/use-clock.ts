// The line that is now, and the bars that grow up to it. They are moved directly: a run that goes on must
// not draw its whole timeline anew with every tick.
import { useEffect, useLayoutEffect } from "react";
import { toX, type Scale } from "./scale.ts";

const STEP = 0.5; // pixels; what nobody sees is not drawn

export function useClock(grid: HTMLElement | null, scale: Scale, live: boolean): void {
  // After every drawing, before it is seen: it drew what goes on up to the end of the axis.
  useLayoutEffect(() => {
    if (grid && live) move(grid, toX(scale, Date.now() / 1_000));
  });
  useEffect(() => {
    if (!grid || !live) return;
    let frame = 0;
    let shown = -1;
    const tick = () => {
      const x = toX(scale, Date.now() / 1_000);
      if (Math.abs(x - shown) >= STEP) move(grid, x);
      if (Math.abs(x - shown) >= STEP) shown = x;
      frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [grid, scale, live]);
}

function move(grid: HTMLElement, x: number): void {
  for (const bar of grid.querySelectorAll<HTMLElement>("[data-open]")) {
    const width = `${Math.max(3, x - Number(bar.dataset["open"]))}px`;
    if (bar.style.width !== width) bar.style.width = width;
  }
  const line = grid.querySelector<HTMLElement>("[data-now]");
  if (line) line.style.transform = `translateX(${x}px)`;
}
