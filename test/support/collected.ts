// Whether the memory of something was given back. Asked of the collector itself: what is still held
// somewhere is not collected, however often it is asked.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { until } from "./until.ts";

/** Settles when none of them is held any more. */
export async function areCollected(refs: readonly WeakRef<object>[], what: string): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  await until(() => {
    collect();
    return refs.every((ref) => ref.deref() === undefined);
  }, `${what} to be collected`);
}
