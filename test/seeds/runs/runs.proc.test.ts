import { checkDocument } from "../suite.ts";
import { RUNS } from "./runs.ts";
import { openRuns } from "./world.ts";

checkDocument(RUNS, openRuns);
