// Durable appends per second: the journal (fence, validation, hash chain, projections, wake-ups)
// against node:sqlite with the same schema, heads and sync.
import { join } from "node:path";
import { claimedRun, delta, rawDatabase, rawWriter, tempDir } from "./place.ts";
import { median, type Line } from "./stats.ts";

const ROUNDS = 15; // short and alternating, because the disk's speed varies over time
const MS_PER_ROUND = 150;

export async function benchAppends(): Promise<Line[]> {
  using place = tempDir();
  const { journal, claim } = await claimedRun(join(place.path, "home"));
  const db = rawDatabase(join(place.path, "raw.db"));
  const write = rawWriter(db);
  const lines: Line[] = [];
  for (const batch of [1, 8, 64]) {
    const drafts = Array.from({ length: batch }, (_, index) => delta(index));
    const ours: number[] = [];
    const floor: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const raw = await rate(batch, async () => void write(drafts));
      const journaled = await rate(batch, async () => void (await journal.append(claim, drafts)));
      if (round === 0) continue; // both warm, both with a grown WAL
      floor.push(raw);
      ours.push(journaled);
    }
    lines.push({
      what: `durable appends, batch ${batch}`,
      ours: median(ours),
      floor: median(floor),
      unit: "events/s",
      better: "higher",
      goal: "≥ 0.9×",
    });
  }
  db.close();
  await journal[Symbol.asyncDispose]();
  return lines;
}

async function rate(batch: number, append: () => Promise<void>): Promise<number> {
  const began = performance.now();
  let events = 0;
  while (performance.now() - began < MS_PER_ROUND) {
    await append();
    events += batch;
  }
  return (events / (performance.now() - began)) * 1_000;
}
