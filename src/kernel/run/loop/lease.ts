// Renews this runner's claims and knows until when they are certainly valid. After a pause longer than the lease no
// effect may begin before a renewal: another runner may own the claims (X5). process.hrtime.bigint() stands still
// while a machine is suspended, so the uptime of the machine is compared too.
import { uptime } from "node:os";
import type { Journal } from "../../journal/journal.ts";

export interface Lease extends Disposable {
  /** On the clock of process.hrtime.bigint(), which no one can set back. After a stop it is renewed first. */
  readonly until: () => Promise<bigint>;
}
/** `awake`: nanoseconds without the time the machine slept; `uptime`: seconds with it. */
export type LeaseClocks = { readonly awake: () => bigint; readonly uptime: () => number };

const CLOCKS: LeaseClocks = { awake: () => process.hrtime.bigint(), uptime };
const SLEPT_S = 1; // by less than this the two clocks differ anyhow

export async function holdLease(options: {
  journal: Pick<Journal, "renew">;
  runnerId: string;
  leaseMs: number;
  /** The runs it works on now. */
  held: () => Iterable<string>;
  /** One of them is somebody else's, or nobody's. */
  lost: (runId: string) => void;
  failed: (error: unknown) => void;
  clocks?: LeaseClocks;
}): Promise<Lease> {
  const { journal, runnerId, leaseMs, clocks = CLOCKS } = options;
  const sleptS = () => clocks.uptime() - Number(clocks.awake()) / 1e9;
  let until = 0n;
  let slept = 0;

  async function renew(): Promise<void> {
    const asked = { at: clocks.awake(), slept: sleptS() }; // before the question: never later than the answer
    const held = [...options.held()]; // what is claimed while the answer is under way is not in it
    const owned = new Set(await journal.renew(runnerId, leaseMs));
    until = asked.at + BigInt(leaseMs) * 1_000_000n;
    slept = asked.slept;
    for (const runId of held) if (!owned.has(runId)) options.lost(runId);
  }

  await renew();
  const timer = setInterval(() => {
    renew().catch(options.failed);
  }, leaseMs / 4);
  return {
    async until() {
      if (clocks.awake() > until || sleptS() - slept > SLEPT_S) await renew();
      return until;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
