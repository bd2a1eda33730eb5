// Reproducible randomness: SEED=<number> repeats a failure exactly.
export type Random = { readonly seed: number; below(limit: number): number };

export function seeded(seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000)): Random {
  let state = seed >>> 0;
  return {
    seed,
    below(limit) {
      state = (state + 0x6d2b79f5) >>> 0; // mulberry32
      let bits = Math.imul(state ^ (state >>> 15), state | 1);
      bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
      return ((bits ^ (bits >>> 14)) >>> 0) % limit;
    },
  };
}
