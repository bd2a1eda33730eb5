// Callbacks for commits, of this process and of others.
import type { Journal, Wake } from "./journal.ts";

export type Listeners = Pick<Journal, "watch"> & {
  readonly emit: (wake: Wake | "all") => void;
  readonly clear: () => void;
};

export function listeners(): Listeners {
  const all = new Set<(wake: Wake | "all") => void>();
  return {
    watch(listener) {
      all.add(listener);
      return () => void all.delete(listener);
    },
    emit: (wake) => {
      for (const listener of all) listener(wake);
    },
    clear: () => all.clear(),
  };
}
