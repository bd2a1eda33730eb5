// Work that many ask for and that is done once for all of them: a moment later, and never twice at a time.

export type Coalesced = { soon(): void; stop(): void };

export function coalesced(
  ms: number,
  failed: (error: unknown) => void,
  work: () => Promise<void>,
): Coalesced {
  let timer: NodeJS.Timeout | undefined;
  let [working, again, stopped] = [false, false, false];
  const soon = (): void => {
    if (working) again = true; // it may have looked already
    else if (!stopped) timer ??= setTimeout(begin, ms).unref();
  };
  const begin = (): void => {
    timer = undefined;
    working = true;
    work()
      .catch(failed)
      .finally(() => {
        working = false;
        if (!again) return;
        again = false;
        soon();
      });
  };
  return {
    soon,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
