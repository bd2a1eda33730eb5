// When a process of ours should end: a signal, or its supervisor is gone. Children of a killed
// `up` must not stay behind and hold its port.
export function lifetime(): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  if (process.connected) process.once("disconnect", () => process.exit(0));
  process.channel?.unref(); // listening to it must not keep a process alive whose work is done
  return controller.signal;
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}

/** Tells the supervisor, if there is one and it still lives: `disconnect` deals with the rest. */
export function tellReady(what: string): void {
  process.send?.({ ready: what }, undefined, undefined, () => undefined);
}
