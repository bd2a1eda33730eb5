// What a server does for runs while no runner is left: it marks them as waiting and ends those that were stopped.
// Without this a window would show "running" until somebody starts a runner.
import type { Claim, Journal } from "../../journal/journal.ts";
import { isAlive } from "../../journal/liveness.ts";
import { settlesWithin } from "../../workspace/processes/settles-within.ts";

const LOOK_EVERY_MS = 1_000;
/** A runner that was killed is back before this where anybody supervises it. */
const GRACE_MS = 10_000;
const STOP_MS = 5_000;

export type AbandonedOptions = {
  readonly journal: Pick<Journal, "registry" | "pauseAbandoned" | "claimStopped" | "release">;
  readonly serverId: string;
  readonly leaseMs: number;
  /** Brings a run that was stopped to its end. */
  readonly end: (claim: Claim) => Promise<void>;
  /** Milliseconds on a clock that only goes on. */
  readonly now?: () => number;
};

/** To be called now and then. */
export function abandonedWatch(options: AbandonedOptions): () => Promise<void> {
  const { journal, serverId: runnerId, leaseMs, end, now = () => performance.now() } = options;
  const unfinished: Claim[] = []; // that we failed to end: whoever looks next tries again
  let since: number | undefined;

  async function endStopped(lost: readonly string[]): Promise<void> {
    const problems: unknown[] = [];
    for (;;) {
      const claim = await journal.claimStopped({ runnerId, leaseMs, lost });
      if (!claim) break;
      await end(claim).catch((error: unknown) => {
        unfinished.push(claim);
        problems.push(error);
      });
    }
    if (problems.length > 0) throw problems[0];
  }

  return async () => {
    for (let claim = unfinished[0]; claim; claim = unfinished[0]) {
      await journal.release(claim);
      unfinished.shift();
    }
    const processes = await journal.registry.processes();
    const dead = processes.filter((one) => isAlive(one) === false);
    const isRunner = ({ kind }: { kind: string }) => kind === "runner";
    if (dead.filter(isRunner).length < processes.filter(isRunner).length) {
      since = undefined;
      return;
    }
    since ??= now();
    if (now() - since < GRACE_MS) return;
    const lost = dead.map(({ process_id }) => process_id); // servers, too: they end what was stopped
    await journal.pauseAbandoned(lost);
    await endStopped(lost);
  };
}

export function watchAbandoned(
  options: AbandonedOptions & { readonly logError: (error: unknown) => void },
): { stop(): Promise<void> } {
  const look = abandonedWatch(options);
  let looking: Promise<void> | undefined;
  const timer = setInterval(() => {
    looking ??= look()
      .catch(options.logError)
      .finally(() => (looking = undefined));
  }, LOOK_EVERY_MS);
  return {
    /** What has begun to be ended is ended: nobody else would know that it may be taken. */
    async stop() {
      clearInterval(timer);
      if (looking) await settlesWithin(looking, STOP_MS); // a database that is away keeps nobody from ending
    },
  };
}
