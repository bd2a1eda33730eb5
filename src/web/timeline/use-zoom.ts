// The zoom in pixels per second. What is under the pointer stays there.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { clampZoom, fitting, scaleOf, toTime, toX, type Extent, type Scale } from "./scale.ts";

export type Zoom = {
  readonly scale: Scale;
  /** Everything fits, and keeps fitting. */
  readonly fits: boolean;
  /** `x`: in the visible plot; its middle by default. */
  readonly by: (factor: number, x?: number) => void;
  readonly fit: () => void;
  readonly pan: (by: number) => void;
};

export function useZoom(box: HTMLElement | null, extent: Extent, plot: Plot): Zoom {
  const { width } = plot;
  const [chosen, setChosen] = useState<number | null>(null); // null: whatever fits
  const held = useRef<{ time: number; x: number } | null>(null);
  const perSecond =
    chosen === null ? fitting(extent, width) : clampZoom(extent, chosen, Math.max(width, 1));
  const scale = useMemo(() => scaleOf(extent, perSecond), [extent, perSecond]);

  const by = useCallback(
    (factor: number, x = width / 2) => {
      const least = fitting(extent, width);
      const next = clampZoom(extent, scale.perSecond * factor, width);
      held.current = { time: toTime(scale, (box?.scrollLeft ?? 0) + x), x };
      setChosen(next <= least * 1.000_1 ? null : next);
    },
    [box, extent, scale, width],
  );
  useLayoutEffect(() => {
    const { current } = held;
    held.current = null;
    if (current) box?.scrollTo({ left: toX(scale, current.time) - current.x });
  }, [box, scale]);

  useWheel(box, by, plot.left);
  usePinch(box, by, plot.left);
  return {
    scale,
    fits: chosen === null,
    by,
    fit: useCallback(() => setChosen(null), []),
    pan: useCallback((part: number) => box?.scrollBy({ left: part * width }), [box, width]),
  };
}

/** The offset and width of the plot in its box. */
export type Plot = { readonly left: number; readonly width: number };

type By = Zoom["by"];

function useWheel(box: HTMLElement | null, by: By, left: number): void {
  useEffect(() => {
    if (!box) return;
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault(); // the page itself would zoom
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const x = event.clientX - box.getBoundingClientRect().left - left;
      by(Math.exp(-event.deltaY * lines * 0.002), x);
    };
    box.addEventListener("wheel", onWheel, { passive: false });
    return () => box.removeEventListener("wheel", onWheel);
  }, [box, by, left]);
}

function usePinch(box: HTMLElement | null, by: By, left: number): void {
  const apart = useRef<number | null>(null); // outlives the listeners, which every step renews
  useEffect(() => {
    if (!box) return;
    const onMove = (event: TouchEvent) => {
      const [a, b] = event.touches;
      if (!a || !b) return;
      event.preventDefault();
      const now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
      const x = (a.clientX + b.clientX) / 2 - box.getBoundingClientRect().left - left;
      if (apart.current !== null && now > 0) by(now / apart.current, x);
      apart.current = now;
    };
    const onEnd = () => {
      apart.current = null;
    };
    box.addEventListener("touchmove", onMove, { passive: false });
    box.addEventListener("touchend", onEnd);
    box.addEventListener("touchcancel", onEnd);
    return () => {
      box.removeEventListener("touchmove", onMove);
      box.removeEventListener("touchend", onEnd);
      box.removeEventListener("touchcancel", onEnd);
    };
  }, [box, by, left]);
}
