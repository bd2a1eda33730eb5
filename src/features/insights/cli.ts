// What `serve` does for insights beside its requests.
import type { BesideServer } from "../../cli/beside-runs.ts";
import { countOlderRuns } from "./server/count-older-runs.ts";
import { insightStore } from "./store/store.ts";

export const insightsBeside: BesideServer = ({ journal, logError }) =>
  countOlderRuns(insightStore(journal), logError);
