// What a server does for runs while no runner is left: it says that they wait for one, and brings those that were
// stopped to their end. Without this a window shows "running" for as long as nobody starts a runner.
import type { Claim, Journal } from "../journal/journal.ts";
import { isAlive } from "../journal/liveness.ts";

const LOOK_EVERY_MS = 1_000;
/** A runner that was killed is back before this where anybody supervises it. */
const GRACE_MS = 10_000;

export type AbandonedOptions = {
  readonly journal: Pick<Journal, "processes" | "pauseAbandoned" | "claimStopped">;
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
  let since: number | undefined;
  return async () => {
    const runners = (await journal.processes()).filter(({ kind }) => kind === "runner");
    const dead = runners.filter((one) => isAlive(one) === false);
    if (dead.length < runners.length) {
      since = undefined;
      return;
    }
    since ??= now();
    if (now() - since < GRACE_MS) return;
    const lost = dead.map(({ process_id }) => process_id);
    await journal.pauseAbandoned(lost);
    for (;;) {
      const claim = await journal.claimStopped({ runnerId, leaseMs, lost });
      if (!claim) return;
      await end(claim);
    }
  };
}

export function watchAbandoned(
  options: AbandonedOptions & { readonly logError: (error: unknown) => void },
): { stop(): void } {
  const look = abandonedWatch(options);
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void look()
      .catch(options.logError)
      .finally(() => (looking = false));
  }, LOOK_EVERY_MS);
  return { stop: () => clearInterval(timer) };
}
