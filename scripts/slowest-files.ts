// A reporter for node:test: lists the slowest files, so that a change which slows `npm test` down is visible.
import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";

const SHOWN = 15;

export default async function* slowestFiles(
  source: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  const took: { file: string; ms: number }[] = [];
  for await (const event of source) {
    if (event.type !== "test:summary" || event.data.file === undefined) continue;
    took.push({ file: relative(process.cwd(), event.data.file), ms: event.data.duration_ms });
  }
  const slowest = took.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN);
  yield "\nslowest files\n";
  for (const { file, ms } of slowest) yield `${(ms / 1_000).toFixed(1).padStart(8)} s  ${file}\n`;
}
