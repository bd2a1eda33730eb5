// Longest common subsequence of two lists: exact for small inputs, then patience, then greedy, so cost is
// bounded.

export type Pair = readonly [left: number, right: number];

const MAX_CELLS = 400_000; // of one table

/** Index pairs of equal elements, ascending on both sides. */
export function commonOf(left: readonly string[], right: readonly string[]): Pair[] {
  const pairs: Pair[] = [];
  match(left, right, { left: 0, right: 0, leftEnd: left.length, rightEnd: right.length }, pairs);
  return pairs;
}

type Part = {
  readonly left: number;
  readonly right: number;
  readonly leftEnd: number;
  readonly rightEnd: number;
};
type Sides = readonly string[];

function match(a: Sides, b: Sides, part: Part, out: Pair[]): void {
  let { left, right, leftEnd, rightEnd } = part;
  while (left < leftEnd && right < rightEnd && a[left] === b[right]) out.push([left++, right++]);
  const tail: Pair[] = [];
  while (leftEnd > left && rightEnd > right && a[leftEnd - 1] === b[rightEnd - 1]) {
    tail.push([--leftEnd, --rightEnd]);
  }
  if (left < leftEnd && right < rightEnd) {
    middle(a, b, { left, right, leftEnd, rightEnd }, out);
  }
  out.push(...tail.toReversed());
}

function middle(a: Sides, b: Sides, part: Part, out: Pair[]): void {
  const { left, right, leftEnd, rightEnd } = part;
  if ((leftEnd - left) * (rightEnd - right) <= MAX_CELLS) {
    exact(a, b, part, out);
    return;
  }
  const anchors = unique(a, b, part);
  if (anchors.length === 0) {
    greedy(a, b, part, out);
    return;
  }
  let from = { left, right };
  for (const [atLeft, atRight] of anchors) {
    match(a, b, { ...from, leftEnd: atLeft, rightEnd: atRight }, out);
    out.push([atLeft, atRight]);
    from = { left: atLeft + 1, right: atRight + 1 };
  }
  match(a, b, { ...from, leftEnd, rightEnd }, out);
}

/** The classic dynamic-programming table. */
function exact(a: Sides, b: Sides, { left, right, leftEnd, rightEnd }: Part, out: Pair[]): void {
  const height = leftEnd - left;
  const width = rightEnd - right;
  const row = width + 1;
  const best = new Uint32Array((height + 1) * row);
  const at = (i: number, j: number) => best[i * row + j] ?? 0;
  for (let i = height - 1; i >= 0; i -= 1) {
    for (let j = width - 1; j >= 0; j -= 1) {
      best[i * row + j] =
        a[left + i] === b[right + j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (let i = 0, j = 0; i < height && j < width;) {
    if (a[left + i] === b[right + j]) out.push([left + i++, right + j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
}

/** Patience: the longest ascending row of elements that occur once on each side. */
function unique(a: Sides, b: Sides, { left, right, leftEnd, rightEnd }: Part): Pair[] {
  const inLeft = once(a, left, leftEnd);
  const inRight = once(b, right, rightEnd);
  const pairs: Pair[] = [];
  for (const [key, atLeft] of inLeft) {
    const atRight = inRight.get(key);
    if (atLeft >= 0 && atRight !== undefined && atRight >= 0) pairs.push([atLeft, atRight]);
  }
  return rising(pairs);
}

/** Index of each key; -1 if it occurs more than once. */
function once(of: Sides, from: number, to: number): Map<string, number> {
  const seen = new Map<string, number>();
  for (let at = from; at < to; at += 1) {
    const key = of[at] as string;
    seen.set(key, seen.has(key) ? -1 : at);
  }
  return seen;
}

/** The longest row that ascends on the right side. */
function rising(pairs: readonly Pair[]): Pair[] {
  const tops: number[] = []; // index of the pair that ends the best row of each length
  const before: number[] = [];
  pairs.forEach(([, value], index) => {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const half = (low + high) >> 1;
      if ((pairs[tops[half] ?? 0]?.[1] ?? 0) < value) low = half + 1;
      else high = half;
    }
    before[index] = low > 0 ? (tops[low - 1] ?? -1) : -1;
    tops[low] = index;
  });
  const row: Pair[] = [];
  for (let at = tops.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) row.push(pairs[at] as Pair);
  return row.toReversed();
}

/** Matches each left element with the next equal one on the right. */
function greedy(a: Sides, b: Sides, { left, right, leftEnd, rightEnd }: Part, out: Pair[]): void {
  const places = new Map<string, number[]>();
  for (let at = rightEnd - 1; at >= right; at -= 1) {
    const key = b[at] as string;
    const known = places.get(key);
    if (known) known.push(at);
    else places.set(key, [at]);
  }
  let next = right;
  for (let at = left; at < leftEnd && next < rightEnd; at += 1) {
    const stack = places.get(a[at] as string);
    while (stack && stack.length > 0 && (stack.at(-1) ?? 0) < next) stack.pop();
    const found = stack?.at(-1);
    if (found === undefined || found - next > GREEDY_REACH) continue;
    out.push([at, found]);
    next = found + 1;
  }
}

const GREEDY_REACH = 64; // one match far away would cost all those between
