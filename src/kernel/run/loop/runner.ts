// Claims runs and executes them. Everything that matters is in the journal; this process holds only which claims it
// is working on.
import { randomUUID } from "node:crypto";
import { StorageFullError } from "../../journal/sqlite/database.ts";
import type { Claim, Journal } from "../../journal/journal.ts";
import { isAlive, thisProcess } from "../../journal/liveness.ts";
import { waitForSpace } from "../checkpoints/disk-space.ts";
import { holdLease } from "./lease.ts";
import { lostRunners } from "./lost-runners.ts";
import type { Model } from "../models/model.ts";
import type { RecoveryPolicy } from "./recovery.ts";
import type { RetryPolicy } from "./retry.ts";
import type { Volumes } from "../../events/workspace-place.ts";
import { ClaimLost, HandingOver, RunLog, RunnerStopping } from "./run-log.ts";
import { executeRun, type RunDeps } from "./run-loop.ts";
import type { AgentOf } from "../permissions/policy.ts";
import { followRequests } from "../../workspace/client/process-requests.ts";
import { processEvents, type ProcessEvents } from "../../workspace/client/process-events.ts";
import type { HostEvents } from "../../workspace/client/tool-host/client.ts";
import type { ToolHosts } from "../../workspace/client/tool-hosts.ts";
import type { OutputRoom } from "../tools/output-room.ts";

export type RunnerOptions = {
  journal: Journal;
  home: string;
  model: (name: string) => Model;
  hosts: (news: HostEvents, isHeld: (runId: string) => boolean) => ToolHosts;
  agents: (hosts: ToolHosts) => AsyncDisposable & { of: AgentOf };
  leaseMs: number;
  maxRuns: number;
  /** How much of what commands print is kept, by session. */
  output?: (sessionId: string) => OutputRoom;
  volumes: Volumes; // that workspaces of its runs may be on, and where they are here
  /** How long its runs may take to the end of a turn or call when it is told to drain. */
  drainMs: number;
  recovery: RecoveryPolicy;
  retry: RetryPolicy;
  logError: (message: string, error: unknown) => void;
  /** Told of every run before it is worked on; must not throw. */
  onClaim?: (runId: string) => Promise<void>;
};

type Active = { stop: AbortController; ended: Promise<void>; processes: ProcessEvents };
type Working = { stop: AbortSignal; drain: AbortSignal; processes: ProcessEvents };

/**
 * Works until the signal aborts, then lets go of its runs so that another runner continues them: at once. `drain` asks
 * for the same in order: nothing new is claimed, and each run is let go at the end of its turn or call.
 */
export async function runRunner(
  options: RunnerOptions,
  signal: AbortSignal,
  drain: AbortSignal = signal,
): Promise<void> {
  const { journal, leaseMs } = options;
  const runnerId = `runner_${randomUUID().slice(0, 8)}`;
  const active = new Map<string, Active>();
  const hostEvents: HostEvents = {
    onProcessExit: (exit) => active.get(exit.marker)?.processes.exited(exit),
    onProcessOutput: (output) => active.get(output.marker)?.processes.printed(output),
  };
  await using hosts = options.hosts(hostEvents, (runId) => active.has(runId));
  await using agents = options.agents(hosts);
  await unregisterDead(journal);
  const volumes = Object.keys(options.volumes);
  await journal.registry.register({ ...thisProcess("runner", runnerId), volumes });
  using lease = await holdLease({
    journal,
    runnerId,
    leaseMs,
    held: () => active.keys(),
    lost: (runId) => active.get(runId)?.stop.abort(new ClaimLost("the claim ran out")),
    failed: (error) => options.logError("leases could not be renewed", error),
  });
  const deps: RunDeps = {
    ...options,
    runnerId,
    host: hosts.forWorkspace,
    sandbox: hosts.sandboxKind,
    agent: agents.of,
    claimedUntil: lease.until,
  };

  const stopping = AbortSignal.any([signal, drain]);
  const draining = new AbortController();
  stopping.addEventListener("abort", () => draining.abort(new HandingOver()), { once: true });
  for await (const claim of claims({ ...options, runnerId, active }, stopping)) {
    const stop = new AbortController();
    const processes = processEvents();
    const signals = { stop: stop.signal, drain: draining.signal };
    const ended = work(claim, deps, { ...options, ...signals, processes });
    const over = ended.then(() => void active.delete(claim.runId));
    active.set(claim.runId, { stop, processes, ended: over });
  }
  await releaseAll([...active.values()], signal, options.drainMs);
  await journal.registry.unregister(runnerId);
}

type Claiming = RunnerOptions & { runnerId: string; active: ReadonlyMap<string, Active> };

/** One run after another, until the runner leaves. */
async function* claims(claiming: Claiming, stopping: AbortSignal): AsyncGenerator<Claim> {
  const { journal, runnerId, leaseMs, maxRuns, active } = claiming;
  const volumes = Object.keys(claiming.volumes);
  const lookForLost = lostRunners({ journal, runnerId, leaseMs });
  using wake = wakeUps(journal);
  while (!stopping.aborted) {
    const lost = await lookForLost();
    const childrenOnly = active.size >= maxRuns; // a parent waits for its child: never for a free place
    const claim = await journal.claimNext({ runnerId, leaseMs, lost, childrenOnly, volumes });
    if (claim && stopping.aborted) await journal.release(claim, claim); // as it was found
    else if (claim) yield claim;
    else await wake.next(stopping);
  }
}

/** Each run by itself, and all of them at once when there is no more time. */
async function releaseAll(active: readonly Active[], signal: AbortSignal, drainMs: number) {
  const stopAll = () => {
    for (const { stop } of active) stop.abort(new RunnerStopping());
  };
  if (signal.aborted) stopAll();
  signal.addEventListener("abort", stopAll, { once: true });
  const deadline = setTimeout(stopAll, drainMs);
  await Promise.all(active.map(({ ended }) => ended));
  clearTimeout(deadline);
  signal.removeEventListener("abort", stopAll);
}

/** Never throws: a run that cannot go on here is let go, and any runner may claim it again. */
async function work(
  claim: Claim,
  deps: RunDeps,
  {
    journal,
    home,
    logError,
    volumes,
    output,
    stop,
    drain,
    processes,
    onClaim: begun,
  }: RunnerOptions & Working,
): Promise<void> {
  await begun?.(claim.runId);
  try {
    for (;;) {
      try {
        using log = await RunLog.open(journal, claim, stop, {
          volumes,
          drain,
          ...(output && { output }),
        });
        processes.journalTo(log);
        using _requests = followRequests(log, deps);
        await executeRun(log, deps);
        return;
      } catch (error) {
        if (!(error instanceof StorageFullError)) throw error;
        const signal = AbortSignal.any([stop, drain]);
        await waitForSpace({ journal, claim, home, signal }); // then go on from the journal (D6)
      }
    }
  } catch (error) {
    const expected = error instanceof ClaimLost || error instanceof RunnerStopping || stop.aborted;
    if (!expected) logError(`run ${claim.runId} was let go`, error);
    const handedOver = error instanceof HandingOver && !stop.aborted;
    await journal
      .release(claim, { handedOver })
      .catch((failure: unknown) => logError("release failed", failure));
  }
}

/** Killed processes cannot sign off. Those that still own runs stay: their runs are taken over first. */
async function unregisterDead(journal: Journal): Promise<void> {
  const owned = await journal.registry.owned();
  for (const record of await journal.registry.processes()) {
    if (isAlive(record) !== false || owned.has(record.process_id)) continue;
    await journal.registry.unregister(record.process_id);
  }
}

// When to look for work: at once when there may be some, and now and then in any case.
const POLL_MS = 500;
const PAUSE_MS = 5; // many runs may end at once: looking is cheap, not free

interface WakeUps extends Disposable {
  next(signal: AbortSignal): Promise<void>;
}

function wakeUps(journal: Journal): WakeUps {
  let woken = false;
  let resolve: () => void = () => {};
  const unwatch = journal.watch((wake) => {
    if (wake !== "all" && !wake.work) return; // a token of somebody's run
    woken = true;
    resolve();
  });
  return {
    async next(signal) {
      if (signal.aborted) return;
      const aborted = () => resolve();
      await new Promise<void>((done) => {
        const timer = setTimeout(done, woken ? PAUSE_MS : POLL_MS);
        resolve = () => {
          clearTimeout(timer);
          setTimeout(done, PAUSE_MS);
        };
        signal.addEventListener("abort", aborted, { once: true });
      });
      signal.removeEventListener("abort", aborted); // or there would be one more with every wake-up
      woken = false;
    },
    [Symbol.dispose]: unwatch,
  };
}
