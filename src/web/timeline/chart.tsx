// The chart: rows of bars on one time axis. A treegrid with one tab stop; only visible bars are in the DOM.
import {
  useLayoutEffect,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useEffect,
} from "react";
import type { Span } from "../../kernel/state/timeline/timeline.ts";
import { ChartRow } from "./chart-row.tsx";
import styles from "./chart.module.css";
import { type Placed, rowsInSight } from "./rows.ts";
import { Backdrop, Moment, Ruler } from "./ruler.tsx";
import { toX, type Scale } from "./scale.ts";
import type { Timeline } from "./use-timeline.ts";
import type { Viewport } from "./use-viewport.ts";
import type { Plot, Zoom } from "./use-zoom.ts";

export type ChartProps = {
  readonly timeline: Timeline;
  readonly placed: Placed;
  readonly zoom: Zoom;
  readonly plot: Plot;
  readonly viewport: Viewport;
  readonly box: HTMLElement | null;
  readonly setBox: (box: HTMLElement | null) => void;
  readonly current: Span | null;
  readonly path: ReadonlySet<string> | null;
  readonly label: string;
  readonly on: {
    readonly pick: (span: Span) => void;
    readonly hover: (span: Span | null) => void;
    readonly toggle: (runId: string) => void;
    readonly arrow: (key: string) => boolean;
  };
};

export function Chart(props: ChartProps) {
  const { timeline, placed, zoom, plot, viewport, setBox } = props;
  const { scale } = zoom;
  const [grid, setGrid] = useState<HTMLElement | null>(null);
  useClock(grid, scale, timeline.live);
  useReveal(props);
  useActive(grid);
  const margin = plot.width / 2; // scrolling shows nothing empty before the next frame
  const from = viewport.left - margin;
  const to = viewport.left + plot.width + margin;
  const [first, end] = rowsInSight(placed, viewport.top, viewport.top + viewport.height);
  const sight = { scale, from, to };
  return (
    <div ref={setBox} className={styles.box} data-narrow={plot.left === 0}>
      <div
        className={styles.content}
        style={{ width: Math.floor(plot.left + scale.width), minHeight: "100%" }}
      >
        <div className={styles.ruler} aria-hidden="true">
          <div className={styles.corner} style={{ width: plot.left }} />
          <Ruler {...sight} />
        </div>
        <div
          ref={setGrid}
          role="treegrid"
          tabIndex={0}
          className={styles.grid}
          style={{ height: placed.height }}
          aria-label={props.label}
          aria-rowcount={placed.rows.length}
          aria-colcount={-1}
          {...useGridEvents(props)}
        >
          <div role="presentation" className={styles.under} style={{ left: plot.left }}>
            <Backdrop {...sight} />
            <Moment scale={scale} moment={timeline.moment} live={timeline.live} />
          </div>
          <div role="presentation" className={styles.column} style={{ width: plot.left }} />
          {placed.rows.slice(first, end).map((row, place) => {
            const index = first + place;
            const top = placed.tops[index] ?? 0;
            const inRow = row.spans.some(({ id }) => id === props.current?.id);
            return (
              <ChartRow
                key={row.key}
                {...{ row, index, top, scale, from, to, until: timeline.until }}
                nameHeight={placed.nameHeights[index] ?? 0}
                height={(placed.tops[index + 1] ?? placed.height) - top}
                current={inRow ? (props.current?.id ?? null) : null}
                path={props.path}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

const NEARER = 4;

function useGridEvents({ timeline, on, zoom, plot, box }: ChartProps) {
  const spanAt = (target: EventTarget): Span | null => {
    const cell = target instanceof Element ? target.closest<HTMLElement>("[data-span]") : null;
    return timeline.family.spans.get(cell?.dataset["span"] ?? "") ?? null;
  };
  return {
    onClick: ({ target, clientX }: MouseEvent) => {
      const fold = target instanceof Element ? target.closest<HTMLElement>("[data-toggle]") : null;
      if (fold) return on.toggle(fold.dataset["toggle"] ?? "");
      const span = spanAt(target);
      if (!span) return;
      on.pick(span);
      // A block of several zooms in on its first span.
      const several = target instanceof Element && target.closest('[data-status="several"]');
      const left = (box?.getBoundingClientRect().left ?? 0) + plot.left;
      if (several) zoom.by(NEARER, clientX - left);
    },
    onPointerOver: (event: PointerEvent) => {
      if (event.pointerType === "mouse") on.hover(spanAt(event.target));
    },
    onPointerLeave: () => on.hover(null),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (event.target instanceof HTMLButtonElement) return;
      if (on.arrow(event.key)) event.preventDefault();
    },
  };
}

/** Scrolls the selected span into view. */
function useReveal({ current, placed, zoom, plot, box, timeline }: ChartProps): void {
  const row = placed.rows.findIndex(({ spans }) => spans.some(({ id }) => id === current?.id));
  useLayoutEffect(() => {
    const top = placed.tops[row];
    if (!box || !current || top === undefined) return;
    const bottom = placed.tops[row + 1] ?? placed.height;
    const room = box.clientHeight - RULER;
    if (top < box.scrollTop) box.scrollTo({ top });
    else if (bottom > box.scrollTop + room) box.scrollTo({ top: bottom - room });
    const from = toX(zoom.scale, current.startedAt);
    const to = toX(zoom.scale, current.endedAt ?? timeline.until);
    const { scrollLeft } = box;
    const seen = to >= scrollLeft && from <= scrollLeft + plot.width;
    if (!seen) box.scrollTo({ left: from - plot.width / 4 });
    // Only when something else is selected or its row appears: not while someone scrolls away from it.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [box, current?.id, row === -1]);
}

const RULER = 28;

/** Sets aria-activedescendant, which must name an element in the DOM. */
function useActive(grid: HTMLElement | null): void {
  useLayoutEffect(() => {
    const cell = grid?.querySelector('[role="gridcell"][aria-selected="true"]');
    if (cell) grid?.setAttribute("aria-activedescendant", cell.id);
    else grid?.removeAttribute("aria-activedescendant");
  });
}

// The "now" line and growing bars, moved directly: a tick must not render the whole chart.
const STEP = 0.5; // pixels; what nobody sees is not drawn

function useClock(grid: HTMLElement | null, scale: Scale, live: boolean): void {
  // After each render and before paint, because rendering drew growing bars to the end of the axis.
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
