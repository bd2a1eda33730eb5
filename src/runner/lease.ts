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
  owned: (runIds: ReadonlySet<string>) => void;
  failed: (error: unknown) => void;
}): Promise<Lease> {
  const { journal, runnerId, leaseMs } = options;
  let until = 0n;

  async function renew(): Promise<void> {
    const asked = process.hrtime.bigint(); // before the question: never later than the database says
    const owned = await journal.renew(runnerId, leaseMs);
    until = asked + BigInt(leaseMs) * 1_000_000n;
    options.owned(new Set(owned));
  }

  await renew();
  const timer = setInterval(() => {
    renew().catch(options.failed);
  }, leaseMs / 4);
  return { until: () => until, [Symbol.dispose]: () => clearInterval(timer) };
}
