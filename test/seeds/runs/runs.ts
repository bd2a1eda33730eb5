// The run adapter contract as a table.
import { RUNS_ADAPTER } from "./adapter.ts";
import { RUNS_CONTROL_SLICES } from "./control-slices.ts";
import { RUNS_ENVELOPE } from "./envelope.ts";
import { RUNS_FAMILIES } from "./families.ts";
import { RUNS_INVENTORY } from "./inventory.ts";
import { RUNS_RUNNER_SLICES } from "./runner-slices.ts";
import { RUNS_STATUS } from "./status.ts";
import type { Document } from "../suite.ts";
import type { RunsWorld } from "./world.ts";

export const RUNS: Document<RunsWorld> = {
  letter: "R",
  title: "Run adapter contract",
  file: "run-adapter-contract.txt",
  rows: [
    ...RUNS_ENVELOPE,
    ...RUNS_FAMILIES,
    ...RUNS_STATUS,
    ...RUNS_INVENTORY,
    ...RUNS_ADAPTER,
    ...RUNS_CONTROL_SLICES,
    ...RUNS_RUNNER_SLICES,
  ],
};
