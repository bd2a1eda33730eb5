// One call's life: it ends when the caller aborts, when the server is silent for too long, or when it is closed.
// Whoever waits is released at once, and the same signal closes the socket.
import { ModelError } from "./model.ts";

export type ModelCall = {
  signal: AbortSignal;
  /** The work's own result, unless the caller aborts or the server is silent for too long. */
  wait<Value>(work: PromiseLike<Value>): Promise<Value>;
  close(): void;
};

export function startCall(caller: AbortSignal, idleTimeoutMs: number): ModelCall {
  const own = new AbortController();
  const signal = AbortSignal.any([caller, own.signal]);

  async function wait<Value>(work: PromiseLike<Value>): Promise<Value> {
    const stopped = Promise.withResolvers<never>();
    const stop = () => stopped.reject(signal.reason);
    const timer = setTimeout(() => {
      own.abort(new ModelError("timeout", `The model was silent for ${idleTimeoutMs} ms`));
    }, idleTimeoutMs);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await Promise.race([stopped.promise, work]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  return { signal, wait, close: () => own.abort() };
}
