// Folds every recorded journal in test/journals again, after an intended change of the fold.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { foldLines } from "../test/support/recordings/recordings.ts";

for (const file of globSync("test/journals/*.jsonl")) {
  const state = file.replace(/\.jsonl$/, ".state.json");
  writeFileSync(state, `${JSON.stringify(foldLines(readFileSync(file, "utf8")), null, 2)}\n`);
  console.log(`wrote ${state}`);
}
