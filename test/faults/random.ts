// A small seeded generator (mulberry32), so that a failing trial can be played again by its seed.
export type Random = {
  below(limit: number): number;
  between(low: number, high: number): number;
  pick<Value>(values: readonly Value[]): Value;
};

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    pick: (values) => values[below(values.length)] as never,
  };
}
