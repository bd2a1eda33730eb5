// Tests whether objects were garbage-collected, by asking the collector: an object that is still referenced is never
// collected.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { until } from "./until.ts";

/** Resolves when all of them were collected. */
export async function areCollected(refs: readonly WeakRef<object>[], what: string): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  await until(() => {
    collect();
    return refs.every((ref) => ref.deref() === undefined);
  }, `${what} to be collected`);
}
