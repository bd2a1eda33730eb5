// Indexes older events in the background, in small steps with pauses in which others write. Servers take turns by the
// journal's lock; a killed one loses only its step.
import type { Journal } from "../../journal/journal.ts";

export type IndexOptions = {
  readonly journal: Pick<Journal, "upkeep">;
  readonly log: (line: string) => void;
  readonly logError: (error: unknown) => void;
};

const PAUSE_MS = 50; // about as long as a step: half of the time is everyone else's
const RETRY_MS = 5_000;
const EMIT_EVERY_MS = 10_000;

/** Says when it begins, how far it is and when it is done; nothing when there is nothing to do. */
export function startIndexing({ journal, log, logError }: IndexOptions): { stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;
  let emitted = 0; // when
  const again = (ms: number) => {
    if (!stopped) timer = setTimeout(() => void step(), ms).unref();
  };
  const step = async () => {
    try {
      const left = await journal.upkeep.indexOlder();
      if (left === 0) {
        if (emitted > 0) log("Search: every session is indexed.");
        return;
      }
      if (Date.now() - emitted > EMIT_EVERY_MS) {
        emitted = Date.now();
        log(`Search: indexing older sessions in the background, ${left} runs left.`);
      }
      again(PAUSE_MS);
    } catch (error) {
      logError(error);
      again(RETRY_MS);
    }
  };
  again(0);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
