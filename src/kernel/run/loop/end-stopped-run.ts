// Ends a run that was stopped while no runner is left. It starts no model, agent or call.
import type { Claim, Journal } from "../../journal/journal.ts";
import { Cancelled, RunLog } from "./run-log.ts";
import { executeRun } from "./run-loop.ts";
import { toolHosts, type ToolHostsOptions } from "../../workspace/client/tool-hosts.ts";

export type EndingOptions = {
  readonly journal: Journal;
  readonly serverId: string;
  readonly leaseMs: number;
  readonly hosts: ToolHostsOptions;
};

export async function endStoppedRun(claim: Claim, options: EndingOptions): Promise<void> {
  const { journal, serverId: runnerId, leaseMs } = options;
  const until = process.hrtime.bigint() + BigInt(leaseMs) * 1_000_000n;
  await using hosts = toolHosts(options.hosts);
  using log = await RunLog.open(journal, claim, new AbortController().signal);
  const stopped = () => {
    throw new Cancelled("the run was stopped");
  };
  await executeRun(log, {
    runnerId,
    sandbox: hosts.sandboxKind,
    model: stopped,
    host: hosts.forWorkspace,
    agent: stopped,
    claimedUntil: () => until,
    recovery: { resume: "auto", maxAgeS: Infinity, maxAttempts: Infinity },
    retry: { maxAttempts: 1, baseMs: 1, capMs: 1 },
  });
}
