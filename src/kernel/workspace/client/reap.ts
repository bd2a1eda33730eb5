// Ends what a dead runner's tool host left behind. A recovering runner must await this before it continues the run:
// two generations of commands must never work in one workspace.
import { RUN_MARK } from "../sandbox/environment.ts";
import { killMarked } from "../processes/marked-processes.ts";

/** How many processes with QUARTERDECK_RUN=<marker> were killed. Linux only; 0 elsewhere. */
export async function reapMarked(marker: string): Promise<number> {
  return killMarked({ name: RUN_MARK, value: marker });
}
