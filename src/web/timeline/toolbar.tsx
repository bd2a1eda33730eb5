// Run, zoom and options of the timeline.
import { useMemo } from "react";
import type { RunLine } from "../../kernel/state/timeline/timeline.ts";
import { values } from "../../kernel/state/vector.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { useFold } from "../session/use-session.ts";
import { Button, IconButton } from "../ui/button.tsx";
import type { IconName } from "../ui/icon.tsx";
import { adjust } from "../use-route.ts";
import { timelineFold } from "./timeline-fold.ts";
import styles from "./timeline.module.css";
import type { Option, Options } from "./use-options.ts";
import type { Zoom } from "./use-zoom.ts";

const TOGGLES: readonly { option: Option; label: string; icon: IconName; why: string }[] = [
  {
    option: "compress",
    label: "Hide idle time",
    icon: "squeeze",
    why: "Hide the time in which nothing happened (c)",
  },
  {
    option: "critical",
    label: "Critical path",
    icon: "bolt",
    why: "Mark what determined when it ended (p)",
  },
  { option: "table", label: "Table", icon: "list", why: "Show as a table (t)" },
];

type Props = {
  readonly rootId: string;
  readonly zoom: Zoom;
  readonly options: Options;
  readonly onToggle: (option: Option) => void;
};

export function Toolbar({ rootId, zoom, options, onToggle }: Props) {
  return (
    <div className={styles.toolbar} role="group" aria-label="Timeline">
      <RunPicker rootId={rootId} />
      {!options.table && <ZoomButtons zoom={zoom} />}
      <div className={styles.group} role="group" aria-label="Show">
        {TOGGLES.map(({ option, label, icon, why }) => (
          <Button
            key={option}
            icon={icon}
            title={why}
            aria-pressed={options[option]}
            onClick={() => onToggle(option)}
          >
            {label}
          </Button>
        ))}
      </div>
    </div>
  );
}

function ZoomButtons({ zoom }: { zoom: Zoom }) {
  return (
    <div className={styles.group} role="group" aria-label="Zoom">
      <IconButton
        tone="plain"
        icon="minus"
        label="Zoom out"
        title="Zoom out (-)"
        onClick={() => zoom.by(0.5)}
      />
      <IconButton
        tone="plain"
        icon="plus"
        label="Zoom in"
        title="Zoom in (+)"
        onClick={() => zoom.by(2)}
      />
      <Button title="Fit everything (f)" aria-pressed={zoom.fits} onClick={zoom.fit}>
        Fit
      </Button>
    </div>
  );
}

function RunPicker({ rootId }: { rootId: string }) {
  const lines = useFold(timelineFold, (state) => state.lines);
  const roots = useMemo(() => [...values(lines)].filter(isRoot), [lines]);
  if (roots.length < 2) return null;
  return (
    <select
      className={styles.picker}
      aria-label="Run"
      value={rootId}
      onChange={({ target }) => adjust({ runId: target.value, seq: undefined })}
    >
      {roots.map(({ runId, title }, index) => (
        <option key={runId} value={runId}>
          {index + 1}. {visibleLine(title).slice(0, 60) || "Run"}
        </option>
      ))}
    </select>
  );
}

const isRoot = ({ parentRunId }: RunLine) => parentRunId === null;
