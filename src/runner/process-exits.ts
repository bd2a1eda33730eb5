// A background command that ends by itself is journaled when it does, not when somebody next asks.
import { isTerminal } from "../protocol/run-status.ts";
import type { RunLog } from "./run-log.ts";
import type { HostProcessExit } from "./tool-host-client.ts";
import { exitedDraft } from "./tools/process.ts";

export type ProcessExits = {
  add(exit: HostProcessExit): void;
  journalTo(log: RunLog): void;
};

export function processExits(): ProcessExits {
  let log: RunLog | undefined;
  return {
    journalTo(opened) {
      log = opened;
    },
    add({ processId: process_id, exit_code, signal }) {
      const known = log?.state.processes.find(({ processId }) => processId === process_id);
      // Not yet journaled as started, or the run is over: whoever looks next finds out (process.ts).
      if (!log || known?.status !== "running" || isTerminal(log.state.status)) return;
      log.append([exitedDraft({ process_id, exit_code, signal })]).catch(() => undefined);
    },
  };
}
