// The run adapter contract as a table.
import { RUNS_ADAPTER } from "./runs-adapter.ts";
import { RUNS_CONTROL_SLICES } from "./runs-control-slices.ts";
import { RUNS_ENVELOPE } from "./runs-envelope.ts";
import { RUNS_FAMILIES } from "./runs-families.ts";
import { RUNS_INVENTORY } from "./runs-inventory.ts";
import { RUNS_RUNNER_SLICES } from "./runs-runner-slices.ts";
import { RUNS_STATUS } from "./runs-status.ts";
import type { Document } from "./suite.ts";
import type { RunsWorld } from "./runs-world.ts";

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
