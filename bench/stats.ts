// Figures and their output: ours, the floor measured in the same run, and the ratio.
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export type Line = {
  what: string;
  ours: number;
  floor: number | undefined;
  unit: string;
  /** higher: more is better, ratio = ours/floor. lower: less is better, ratio = ours/floor too. */
  better: "higher" | "lower";
  goal: string;
};

export function print(lines: readonly Line[]): void {
  for (const { what, ours, floor, unit, goal } of lines) {
    const ratio = floor === undefined ? "" : `${(ours / floor).toFixed(2)}×`;
    const columns = [
      what.padEnd(48),
      `${show(ours)} ${unit}`.padStart(18),
      (floor === undefined ? "" : `${show(floor)} ${unit}`).padStart(18),
      ratio.padStart(8),
      `  goal ${goal}`,
    ];
    console.log(columns.join(" "));
  }
}

function show(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString("en");
  return value >= 10 ? value.toFixed(1) : value.toFixed(3);
}
