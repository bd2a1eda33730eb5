// Maps time to pixels and back. A compressed idle stretch has a fixed width, unless it is narrower anyway.
import type { Stretch } from "./idle.ts";

export const GAP = 28;

type Piece = {
  readonly from: number;
  readonly to: number;
  readonly x: number;
  readonly width: number;
  readonly compressed: boolean;
};
export type Scale = {
  readonly start: number;
  readonly end: number;
  readonly perSecond: number; // pixels
  readonly width: number;
  readonly pieces: readonly Piece[]; // one after the other, from start to end
};
export type Extent = {
  readonly start: number;
  readonly end: number;
  readonly idle: readonly Stretch[];
};

const WIDEST = 8_000_000; // browsers draw nothing beyond
const FINEST = 20_000; // pixels per second: a millisecond is twenty

export function scaleOf({ start, end, idle }: Extent, perSecond: number): Scale {
  const pieces: Piece[] = [];
  let x = 0;
  let at = start;
  const add = (to: number, isIdle: boolean) => {
    if (to <= at) return;
    const natural = (to - at) * perSecond;
    const compressed = isIdle && natural > GAP;
    const width = compressed ? GAP : natural;
    pieces.push({ from: at, to, x, width, compressed });
    x += width;
    at = to;
  };
  for (const { from, to } of idle) {
    add(from, false);
    add(to, true);
  }
  add(end, false);
  return { start, end, perSecond, width: x, pieces };
}

/** The zoom at which everything fits into `width`. */
export function fitting(extent: Extent, width: number): number {
  const length = Math.max(extent.end - extent.start, 0.001);
  const narrowest = Math.max(width, 1) / length;
  if (extent.idle.length === 0) return narrowest;
  // Compression only makes room, so the result is above this; if all is idle, nothing fills it.
  let low = narrowest;
  let high = finest(extent);
  for (let step = 0; step < 60 && high - low > low * 1e-9; step++) {
    const middle = (low + high) / 2;
    if (scaleOf(extent, middle).width <= width) low = middle;
    else high = middle;
  }
  return low;
}

export function finest({ start, end }: Extent): number {
  return Math.min(FINEST, WIDEST / Math.max(end - start, 0.001));
}

export function clampZoom(extent: Extent, perSecond: number, width: number): number {
  const least = fitting(extent, width);
  return Math.max(least, Math.min(perSecond, Math.max(least, finest(extent))));
}

/** Clamped to the start and end. */
export function toX({ pieces, start, end, width }: Scale, time: number): number {
  if (time <= start) return 0;
  if (time >= end) return width;
  const piece = pieces[lastBefore(pieces, (one) => one.from <= time)];
  if (!piece) return 0;
  return piece.x + ((time - piece.from) / (piece.to - piece.from)) * piece.width;
}

export function toTime({ pieces, start, end, width }: Scale, x: number): number {
  if (x <= 0) return start;
  if (x >= width) return end;
  const piece = pieces[lastBefore(pieces, (one) => one.x <= x)];
  if (!piece) return start;
  return piece.from + ((x - piece.x) / piece.width) * (piece.to - piece.from);
}

/** Binary search: the last index for which it holds; -1: none. */
export function lastBefore<Value>(
  list: readonly Value[],
  holds: (value: Value) => boolean,
): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(list[middle] as Value)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export type Tick = { readonly x: number; readonly seconds: number };

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 86_400];
const APART = 80;
const NAMED = 44; // what a tick's name takes: one that a gap would cover is left out

/** Round times since the start, far enough apart to be readable. */
export function ticks(scale: Scale, from: number, to: number): Tick[] {
  const step = stepFor(scale.perSecond);
  const torn = scale.pieces.filter(({ compressed }) => compressed);
  const found: Tick[] = [];
  let after = -Infinity;
  for (const piece of scale.pieces) {
    if (piece.compressed || piece.x > to || piece.x + piece.width < from) continue;
    const begins = Math.max(piece.from, toTime(scale, from));
    const ends = Math.min(piece.to, toTime(scale, to));
    const first = Math.max(0, Math.ceil((begins - scale.start) / step - 1e-9));
    const final = Math.floor((ends - scale.start) / step + 1e-9);
    for (let index = first; index <= final; index++) {
      const seconds = index * step;
      const x = toX(scale, scale.start + seconds);
      if (x - after < APART) continue;
      found.push({ x, seconds });
      after = x;
    }
  }
  return found.filter(({ x }) => !torn.some((one) => x > one.x - NAMED && x < one.x + GAP));
}

function stepFor(perSecond: number): number {
  const least = APART / perSecond;
  for (let unit = 0.000_01; unit < 1; unit *= 10) {
    for (const digit of [1, 2, 5]) if (digit * unit >= least) return digit * unit;
  }
  const known = STEPS.find((step) => step >= least);
  return known ?? Math.ceil(least / 86_400) * 86_400;
}
