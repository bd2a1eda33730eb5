// Coalesces calls: runs the work once, shortly after the first call, never concurrently.

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
