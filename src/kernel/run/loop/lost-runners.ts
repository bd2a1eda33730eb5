// Which runners' runs may be taken over. A runner is lost when its process is known to be dead, or when it was silent
// for the length of its lease. The watcher counts on a monotonic clock and only while it was awake, so neither a
// changed clock nor a suspended machine takes a run from anybody.
import type { Journal, RunnerLease } from "../../journal/journal.ts";
import { isAlive } from "../../journal/liveness.ts";

const LOOK_EVERY_MS = 200; // a killed runner's runs wait at most this long; tokens wake us far more often
const LOOKS = 4; // no fewer within a lease, so that others can renew theirs when all of us wake up at once
const LONGEST_MS = 600_000; // what a lease may say of itself: the clock it is told by may have been set

type Watching = {
  readonly journal: Pick<Journal, "registry" | "leases">;
  readonly runnerId: string;
  readonly leaseMs: number;
  /** Milliseconds on a clock that only goes on. */
  readonly now?: () => number;
};

export function lostRunners({
  journal,
  runnerId,
  leaseMs,
  now = () => performance.now(),
}: Watching): () => Promise<readonly string[]> {
  const silence = watchSilence(leaseMs);
  const dead = atMostEvery(LOOK_EVERY_MS, now, async () => {
    const runners = (await journal.registry.processes()).filter(({ kind }) => kind === "runner");
    return runners.filter((one) => isAlive(one) === false).map(({ process_id }) => process_id);
  });
  const silent = atMostEvery(Math.max(LOOK_EVERY_MS, leaseMs / (2 * LOOKS)), now, async (at) =>
    silence(await journal.leases(), at),
  );
  return async () => [...(await dead()), ...(await silent())].filter((id) => id !== runnerId);
}

type Look = (at: number) => Promise<readonly string[]>;

function atMostEvery(ms: number, now: () => number, look: Look): () => Promise<readonly string[]> {
  let found: readonly string[] = [];
  let looked = Number.NEGATIVE_INFINITY;
  return async () => {
    const at = now();
    if (at - looked < ms) return found;
    looked = at;
    found = await look(at);
    return found;
  };
}

type Seen = { readonly until: number; readonly patienceMs: number; silentMs: number };

/** Told all leases now and then: those whose holder was silent for the length of its lease. */
export function watchSilence(leaseMs: number) {
  let known = new Map<string, Seen>();
  let looked: number | undefined;
  return (leases: ReadonlyMap<string, RunnerLease>, at: number): readonly string[] => {
    const awakeMs = Math.min(at - (looked ?? at), leaseMs / LOOKS);
    looked = at;
    known = new Map(
      [...leases].map(([id, { until, restMs }]) => {
        const seen = known.get(id);
        if (seen?.until === until) return [id, { ...seen, silentMs: seen.silentMs + awakeMs }];
        const patienceMs = Math.max(leaseMs, Math.min(restMs, LONGEST_MS));
        return [id, { until, patienceMs, silentMs: 0 }];
      }),
    );
    return [...known]
      .filter(([, { silentMs, patienceMs }]) => silentMs >= patienceMs)
      .map(([id]) => id);
  };
}
