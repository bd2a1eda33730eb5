// The time axis, with the removed idle stretches and the shown moment.
import { duration } from "../text/format.ts";
import styles from "./chart.module.css";
import { GAP, ticks, toX, type Scale } from "./scale.ts";
import { offset } from "./labels.ts";

type Sighted = { readonly scale: Scale; readonly from: number; readonly to: number };

export function Ruler({ scale, from, to }: Sighted) {
  return (
    <div className={styles.ticks}>
      {ticks(scale, from, to).map(({ x, seconds }) => (
        <span key={seconds} className={styles.tick} style={{ left: x }}>
          {offset(seconds)}
        </span>
      ))}
      {compressed({ scale, from, to }).map((piece) => (
        <span
          key={piece.from}
          className={styles.gapName}
          style={{ left: piece.x, width: GAP }}
          title={`${duration((piece.to - piece.from) * 1_000)} in which nothing was at work`}
        >
          {shortly(piece.to - piece.from)}
        </span>
      ))}
    </div>
  );
}

/** Grid lines, and the torn edges of removed idle stretches. */
export function Backdrop({ scale, from, to }: Sighted) {
  return (
    <div className={styles.backdrop}>
      {ticks(scale, from, to).map(({ x, seconds }) => (
        <span key={seconds} className={styles.gridLine} style={{ left: x }} />
      ))}
      <svg className={styles.torn} width={scale.width} height="100%" focusable="false">
        <defs>
          <pattern id="torn" width="8" height="8" patternUnits="userSpaceOnUse">
            <path d="M1 0 7 4 1 8" fill="none" stroke="currentColor" />
          </pattern>
        </defs>
        {compressed({ scale, from, to }).map((piece) => (
          <g key={piece.from} transform={`translate(${piece.x + GAP / 2 - 4} 0)`} data-gap>
            <rect width="8" height="100%" fill="url(#torn)" />
          </g>
        ))}
      </svg>
    </div>
  );
}

/** The "now" line, or the scrubber's moment. */
export function Moment({ scale, moment, live }: MomentProps) {
  if (live) return <div className={styles.now} data-now title="Now" />;
  if (moment === null) return null;
  const transform = `translateX(${toX(scale, moment)}px)`;
  return <div className={styles.now} data-moment style={{ transform }} />;
}

type MomentProps = {
  readonly scale: Scale;
  readonly moment: number | null;
  readonly live: boolean;
};

function compressed({ scale, from, to }: Sighted) {
  return scale.pieces.filter((one) => one.compressed && one.x < to && one.x + one.width > from);
}

/** One unit, because there is little room. */
function shortly(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} m`;
  return seconds < 86_400
    ? `${Math.round(seconds / 3_600)} h`
    : `${Math.round(seconds / 86_400)} d`;
}
