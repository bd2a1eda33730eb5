// How many iterations run: `npm test` runs a part of them, `npm run test:long` all.
export const LONG = process.env["QUARTERDECK_TEST_LONG"] === "1";

/** Iterations of a property or a fuzzer: at least 25, and a fifth of them in `npm test`. */
export function tries(count: number): number {
  return LONG ? count : Math.max(Math.min(count, 25), Math.ceil(count / 5));
}
