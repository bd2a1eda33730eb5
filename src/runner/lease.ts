// Keeps this runner's claims alive, and knows until when they certainly are. After a stop longer
// than the lease (SIGSTOP, a suspended laptop) `until` lies in the past and no effect may begin.
import type { Journal } from "../journal/journal.ts";

export interface Lease extends Disposable {
  /** On the clock of process.hrtime.bigint(), which no one can set back. */
  readonly until: () => bigint;
}

export async function holdLease(options: {
  journal: Journal;
  runnerId: string;
  leaseMs: number;
  /** The runs it works on now. */
  held: () => Iterable<string>;
  /** One of them is somebody else's, or nobody's. */
  lost: (runId: string) => void;
  failed: (error: unknown) => void;
}): Promise<Lease> {
  const { journal, runnerId, leaseMs } = options;
  let until = 0n;

  async function renew(): Promise<void> {
    const asked = process.hrtime.bigint(); // before the question: never later than the database says
    const held = [...options.held()]; // what is claimed while the answer is under way is not in it
    const owned = new Set(await journal.renew(runnerId, leaseMs));
    until = asked + BigInt(leaseMs) * 1_000_000n;
    for (const runId of held) if (!owned.has(runId)) options.lost(runId);
  }

  await renew();
  const timer = setInterval(() => {
    renew().catch(options.failed);
  }, leaseMs / 4);
  return { until: () => until, [Symbol.dispose]: () => clearInterval(timer) };
}
