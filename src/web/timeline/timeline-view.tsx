// The timeline of a run: who was active when, what was waited for, and the critical path.
import { useMemo, useState } from "react";
import type { Span } from "../../kernel/state/timeline/timeline.ts";
import { useShownRun } from "../session/shown-run.ts";
import { Chart } from "./chart.tsx";
import { criticalPath } from "./critical-path.ts";
import { Readout } from "./readout.tsx";
import { placeRows, type Metrics } from "./rows.ts";
import { toX } from "./scale.ts";
import { SpanTable } from "./span-table.tsx";
import { Summary } from "./summary.tsx";
import { Toolbar } from "./toolbar.tsx";
import { useOptions, type Option, type Options } from "./use-options.ts";
import { useTimeline, type Timeline } from "./use-timeline.ts";
import { useTimelineKeys } from "./use-timeline-keys.ts";
import { useViewport } from "./use-viewport.ts";
import { useMedia } from "../ui/use-media.ts";
import { useWalk } from "./use-walk.ts";
import { useZoom, type Zoom } from "./use-zoom.ts";

export function TimelineView() {
  const rootId = useShownRun();
  if (rootId === null) return <Nothing />;
  return <RunTimeline key={rootId} rootId={rootId} />;
}

function Nothing() {
  return <p className="p-away muted text-center">Nothing has run yet. What runs is drawn here.</p>;
}

function RunTimeline({ rootId }: { rootId: string }) {
  const [options, toggle] = useOptions();
  const timeline = useTimeline(rootId, options.compress);
  if (!timeline) return <Nothing />;
  return <Drawn {...{ rootId, timeline, options, toggle }} />;
}

type DrawnProps = {
  readonly rootId: string;
  readonly timeline: Timeline;
  readonly options: Options;
  readonly toggle: (option: Option) => void;
};

const BESIDE = 176; // the column of names, where there is room for one
const MARGIN = 24; // the last bar does not stick to the edge

function Drawn({ rootId, timeline, options, toggle }: DrawnProps) {
  const { family, until } = timeline;
  const narrow = useMedia("(width <= 720px)");
  const metrics = useMetrics(narrow);
  const [box, setBox] = useState<HTMLElement | null>(null);
  const [hovered, setHovered] = useState<Span | null>(null);
  const viewport = useViewport(box);
  const left = narrow ? 0 : BESIDE;
  const plot = { left, width: Math.max(1, viewport.width - left - MARGIN) };
  const zoom = useZoom(box, timeline.extent, plot);
  const walk = useWalk(family, zoom.pan);
  const near = useNear(zoom, walk.current, { box, width: plot.width });
  const placed = useMemo(() => placeRows(walk.rows, metrics), [walk.rows, metrics]);
  const path = useMemo(
    () => (options.critical ? criticalPath(family, until).spans : null),
    [options.critical, family, until],
  );
  useTimelineKeys({ walk, zoom: near, options, toggle });
  const { current, pick } = walk;
  const on = { pick, hover: setHovered, toggle: walk.toggle, arrow: walk.arrow };
  return (
    <section className="stack fill" aria-label="Timeline of the run">
      <Toolbar {...{ rootId, zoom: near, options, onToggle: toggle }} />
      <Summary timeline={timeline} />
      {options.table ? (
        <SpanTable {...{ timeline, current, path, onPick: pick }} label="Table of spans" />
      ) : (
        <Chart
          {...{ timeline, placed, zoom, plot, viewport, box, setBox, current, path, on }}
          label="Spans by lane"
        />
      )}
      <Readout
        span={options.table ? current : (hovered ?? current)}
        timeline={timeline}
        chosen={options.table || hovered === null || hovered.id === current?.id}
        onOpen={walk.open}
      />
    </section>
  );
}

type Seen = { readonly box: HTMLElement | null; readonly width: number };

/** Keys and buttons zoom in on the selected span if it is visible. */
function useNear(zoom: Zoom, current: Span | null, { box, width }: Seen): Zoom {
  const by = (factor: number) => {
    const x = current ? toX(zoom.scale, current.startedAt) - (box?.scrollLeft ?? 0) : -1;
    if (x >= 0 && x <= width) zoom.by(factor, x);
    else zoom.by(factor);
  };
  return { ...zoom, by };
}

/** Larger rows for touch. */
function useMetrics(narrow: boolean): Metrics {
  const coarse = useMedia("(pointer: coarse)");
  return useMemo(() => {
    const row = coarse ? 44 : 24;
    const groupName = narrow ? row : 0;
    return { row, thin: coarse ? 32 : 20, name: narrow ? 20 : 0, groupName };
  }, [coarse, narrow]);
}
