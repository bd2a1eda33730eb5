// Records sessions from the real program: `node scripts/record-journals.ts NAME…` (no name: all).
// The windows' output for them is committed too: `--golden` writes it again, after an intended change.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CRASHES } from "../test/support/scenarios/crashes.ts";
import { PEOPLE } from "../test/support/scenarios/people.ts";
import { PLACE, record, type Scenario } from "../test/support/scenarios/stage.ts";
import { STEERING } from "../test/support/scenarios/steering.ts";
import { TALK } from "../test/support/scenarios/talk.ts";
import { withUnknownTypes } from "../test/support/scenarios/unknown-types.ts";
import { WORK } from "../test/support/scenarios/work.ts";
import { linesOf } from "../test/support/recordings/recordings.ts";
import { goldenFiles } from "../test/support/recordings/emitted.ts";
import { EVENTS, SESSIONS } from "../test/support/recordings/session-recordings.ts";

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  ...TALK,
  ...PEOPLE,
  ...WORK,
  ...CRASHES,
  ...STEERING,
};
/** Derived from a recording: see unknown-types.ts. */
const MADE_OF = { "unknown-types": "parallel-tools" } as const;

function keep(name: string, lines: readonly string[]): void {
  writeFileSync(join(SESSIONS, `${name}${EVENTS}`), lines.map((line) => `${line}\n`).join(""));
  console.log(`${name}: ${lines.length} events`);
}

async function recordOne(name: string): Promise<void> {
  const scenario = SCENARIOS[name];
  if (!scenario) throw new Error(`there is no scenario ${name}`);
  keep(name, await record(scenario));
  for (const [made, of] of Object.entries(MADE_OF)) {
    const source = readFileSync(join(SESSIONS, `${of}${EVENTS}`), "utf8");
    if (of === name) keep(made, withUnknownTypes(linesOf(source)));
  }
}

function emitAgain(): void {
  for (const [file, text] of goldenFiles()) {
    writeFileSync(join(SESSIONS, file), text);
    console.log(`wrote ${file}`);
  }
}

const args = process.argv.slice(2);
if (args.includes("--golden")) emitAgain();
else {
  for (const name of args.length > 0 ? args : Object.keys(SCENARIOS)) await recordOne(name);
  rmSync(dirname(PLACE.home), { recursive: true, force: true });
}
