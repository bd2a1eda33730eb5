// Aligns the steps of two runs in rows. Unequal steps of the same kind in the same place become one "changed"
// row.
import { commonOf, type Pair } from "./lcs.ts";

export type Alignable = {
  readonly key: string; // what was asked or said: equal keys are the same step
  readonly slot: string; // the kind of thing it is: equal slots may be the same step, changed
  readonly outcome: string; // what came of it
};
export type AlignedRow<Step> =
  | { readonly kind: "same" | "changed"; readonly left: Step; readonly right: Step }
  | { readonly kind: "left"; readonly left: Step; readonly right: null }
  | { readonly kind: "right"; readonly left: null; readonly right: Step };

export function align<Step extends Alignable>(
  left: readonly Step[],
  right: readonly Step[],
): AlignedRow<Step>[] {
  const rows: AlignedRow<Step>[] = [];
  const common = commonOf(keys(left), keys(right));
  let from: Pair = [0, 0];
  const gap = ([leftEnd, rightEnd]: Pair) =>
    pairUp(left.slice(from[0], leftEnd), right.slice(from[1], rightEnd), rows);
  for (const pair of common) {
    gap(pair);
    const [one, two] = [left[pair[0]] as Step, right[pair[1]] as Step];
    rows.push({ kind: one.outcome === two.outcome ? "same" : "changed", left: one, right: two });
    from = [pair[0] + 1, pair[1] + 1];
  }
  gap([left.length, right.length]);
  return rows;
}

function keys(steps: readonly Alignable[]): string[] {
  return steps.map(({ key }) => key);
}

/** Between two common steps, steps of the same kind in the same order count as changed. */
function pairUp<Step extends Alignable>(
  left: readonly Step[],
  right: readonly Step[],
  rows: AlignedRow<Step>[],
): void {
  const slots = (steps: readonly Step[]) => steps.map(({ slot }) => slot);
  let [atLeft, atRight] = [0, 0];
  const alone = (leftEnd: number, rightEnd: number) => {
    while (atLeft < leftEnd) rows.push({ kind: "left", left: left[atLeft++] as Step, right: null });
    while (atRight < rightEnd) {
      rows.push({ kind: "right", left: null, right: right[atRight++] as Step });
    }
  };
  for (const [one, two] of commonOf(slots(left), slots(right))) {
    alone(one, two);
    rows.push({ kind: "changed", left: left[one] as Step, right: right[two] as Step });
    [atLeft, atRight] = [one + 1, two + 1];
  }
  alone(left.length, right.length);
}

/** The visible rows: long stretches of equal rows are collapsed to one line. */
export type ShownRow<Row> =
  | { readonly kind: "row"; readonly row: Row; readonly index: number }
  | { readonly kind: "fold"; readonly first: number; readonly count: number };

const AROUND = 1; // equal rows that stay beside a difference
const WORTH = 3; // fewer are shown

export function foldSame<Row extends { readonly kind: string }>(
  rows: readonly Row[],
  opened: ReadonlySet<number>,
): ShownRow<Row>[] {
  const shown: ShownRow<Row>[] = [];
  const show = (from: number, to: number) => {
    for (let index = from; index < to; index += 1) {
      shown.push({ kind: "row", row: rows[index] as Row, index });
    }
  };
  for (let at = 0; at < rows.length;) {
    let end = at;
    while (rows[end]?.kind === "same") end += 1;
    const first = at + (at === 0 ? 0 : AROUND);
    const count = end - (end === rows.length ? 0 : AROUND) - first;
    if (count >= WORTH && !opened.has(first)) {
      show(at, first);
      shown.push({ kind: "fold", first, count });
      show(first + count, end);
    } else show(at, end);
    if (end < rows.length) show(end, end + 1);
    at = end + 1;
  }
  return shown;
}
