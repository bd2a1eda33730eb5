// The cost of translating one event into each dialect, in µs, compared with parsing it, which every window that does not
// forward stored bytes has to do first.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DIALECTS } from "../src/windows/all.ts";
import { encode } from "../src/kernel/dialect/dialect.ts";
import type { RunEvent } from "../src/kernel/events/events.ts";
import { median, type Line } from "./stats.ts";

const ROUNDS = 9;
const EVENTS = 20_000;
const JOURNALS = join(import.meta.dirname, "../test/journals/sessions");

export function benchEncoding(): Line[] {
  const sessions = globSync("*.events.jsonl", { cwd: JOURNALS })
    .toSorted()
    .map((name) => readFileSync(join(JOURNALS, name), "utf8").split("\n").filter(Boolean));
  const parsing = perEvent(sessions, (lines) => {
    for (const line of lines) JSON.parse(line);
  });
  return DIALECTS.map((dialect): Line => {
    const ours = perEvent(sessions, (lines) => {
      const state = dialect.begin();
      for (const line of lines) {
        const event = JSON.parse(line) as RunEvent;
        for (const frame of encode(dialect, event, state, { replay: false })) JSON.stringify(frame);
      }
    });
    const rest = { unit: "µs", better: "lower", goal: "" } as const;
    return { what: `parse, encode, print: ${dialect.name}`, ours, floor: parsing, ...rest };
  });
}

function perEvent(sessions: readonly string[][], work: (lines: string[]) => void): number {
  const total = sessions.reduce((sum, lines) => sum + lines.length, 0);
  const repeats = Math.max(1, Math.ceil(EVENTS / total));
  const rounds = Array.from({ length: ROUNDS }, () => {
    const began = performance.now();
    for (let repeat = 0; repeat < repeats; repeat += 1) sessions.forEach(work);
    return ((performance.now() - began) * 1_000) / (repeats * total);
  });
  return median(rounds.slice(2));
}
