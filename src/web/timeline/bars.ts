// The visible bars of a row; those too narrow to tell apart become one block.
import type { Span } from "../../kernel/state/timeline/timeline.ts";
import { endOfSpan } from "./family.ts";
import type { Row } from "./rows.ts";
import { lastBefore, toX, type Scale } from "./scale.ts";

export type Bar = {
  readonly spans: readonly [Span, ...Span[]];
  readonly x: number;
  readonly width: number;
  readonly room: number; // up to the next one: for its name
  readonly open: boolean; // it grows with the clock
};
export type Sight = { readonly from: number; readonly to: number; readonly now: number };

const NARROWEST = 3;
const TELLABLE = 5;
const BEYOND = 20; // after the end nothing is drawn

export function barsIn({ spans }: Pick<Row, "spans">, scale: Scale, sight: Sight): Bar[] {
  const drawn: { spans: [Span, ...Span[]]; x: number; end: number }[] = [];
  // Spans do not overlap, so their ends are sorted too: binary search.
  const first = lastBefore(spans, (one) => toX(scale, endOfSpan(one, sight.now)) < sight.from) + 1;
  let next = scale.width + BEYOND;
  for (let index = Math.max(0, first - 1); index < spans.length; index++) {
    const span = spans[index] as Span;
    const x = toX(scale, span.startedAt);
    if (x > sight.to) {
      next = x;
      break;
    }
    const end = Math.max(toX(scale, endOfSpan(span, sight.now)), x + NARROWEST);
    const before = drawn.at(-1);
    const narrow = end - x < TELLABLE;
    if (before && narrow && x - before.end < 1 && isNarrow(before)) {
      before.spans.push(span);
      before.end = Math.max(before.end, end);
    } else drawn.push({ spans: [span], x: Math.max(x, before?.end ?? 0), end });
  }
  return drawn.map(({ spans: of, x, end }, index) => ({
    spans: of,
    x,
    width: Math.max(NARROWEST, end - x),
    room: (drawn[index + 1]?.x ?? next) - x,
    open: of.length === 1 && of[0].endedAt === null,
  }));
}

function isNarrow({ spans, x, end }: { spans: readonly Span[]; x: number; end: number }): boolean {
  return spans.length > 1 || end - x < TELLABLE;
}
