// When a process should end: at a signal, or when its supervisor is gone. Children of a killed `up` must not stay and
// hold its port.
/** Aborted with the name of the signal. */
export function lifetime(): AbortSignal {
  const controller = new AbortController();
  const stop = (name: string) => controller.abort(name);
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  endWithSupervisor();
  return controller.signal;
}

function endWithSupervisor(): void {
  if (process.connected) process.once("disconnect", () => process.exit(0));
  process.channel?.unref(); // listening to it must not keep a process alive whose work is done
}

/** Told twice within this time it is the same wish: by a process group, say, and by a supervisor in it. */
const SAME_REQUEST_MS = 1_000;

/** Of a runner. A SIGTERM asks it to drain; another one, or a SIGINT, to stop at once. */
export function runnerLifetime(): { stop: AbortSignal; drain: AbortSignal } {
  const [stop, drain] = [new AbortController(), new AbortController()];
  let asked: number | undefined;
  const terminate = () => {
    asked ??= performance.now();
    drain.abort();
    if (performance.now() - asked <= SAME_REQUEST_MS) return;
    stop.abort();
    process.off("SIGTERM", terminate); // whoever says it once more means it
  };
  process.once("SIGINT", () => stop.abort());
  process.on("SIGTERM", terminate);
  endWithSupervisor();
  return { stop: stop.signal, drain: drain.signal };
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
}

/** Tells the supervisor, if there is one and it still lives: `disconnect` deals with the rest. */
export function announceReady(what: string): void {
  process.send?.({ ready: what }, undefined, undefined, () => undefined);
}

/** Tells the supervisor that a messenger is switched on: it starts a gateway, if there is none. */
export function notifyMessengers(): void {
  process.send?.({ messengers: true }, undefined, undefined, () => undefined);
}
