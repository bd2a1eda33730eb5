// Waits for something in the journal. Wake-ups are only hints, so every one of them is followed by a new look; a
// wake-up between a look and the wait is not missed, because the promise is made before the look.
import type { Journal, Wake } from "../journal.ts";

type Waiting = {
  /** Whether a wake-up may be about what is waited for. */
  readonly concerns: (wake: Wake) => boolean;
  /** Ends the wait after one last look. */
  readonly signal: AbortSignal;
};

/** What `look` found; undefined when the signal was aborted before it found anything. */
export async function lookUntil<Found>(
  journal: Pick<Journal, "watch">,
  { concerns, signal }: Waiting,
  look: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  let wake = Promise.withResolvers<void>();
  const stop = () => wake.resolve();
  const unwatch = journal.watch((hint) => {
    if (hint === "all" || concerns(hint)) stop();
  });
  signal.addEventListener("abort", stop);
  try {
    for (;;) {
      wake = Promise.withResolvers();
      const found = await look();
      if (found !== undefined || signal.aborted) return found;
      await wake.promise;
    }
  } finally {
    unwatch();
    signal.removeEventListener("abort", stop);
  }
}
