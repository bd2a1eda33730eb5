// When a window's fold was not the server's. It should never be; if it is, it is repaired and remembered,
// and a difference that reading again does not cure is not read again and again.
import { HASH_VERSION } from "../state/fold-hash.ts";
import { REDUCER_VERSION } from "../events/version.ts";
import type { ServerState } from "./follow.ts";

export type Drift = {
  readonly at: number; // ms
  readonly sessionSeq: number;
  readonly ours: string;
  readonly theirs: string;
  readonly repaired: boolean;
};
/** `drifted`: read the session again. `changed`: something about the last drift is known now. */
export type Verdict = "same" | "changed" | "drifted";

const KEPT = 20;
const AGAIN_MS = 300_000;

export function createDrifts(now: () => number = Date.now) {
  let drifts: readonly Drift[] = [];
  return {
    all: () => drifts,
    compare(theirs: ServerState, ours: () => string): Verdict {
      const { session_seq, hash, reducer, hash_version } = theirs;
      // Another version folds or hashes otherwise, and rightly so.
      if (reducer !== REDUCER_VERSION || hash_version !== HASH_VERSION) return "same";
      const mine = ours();
      const last = drifts.at(-1);
      const open = last !== undefined && !last.repaired;
      if (mine === hash) {
        if (open) drifts = drifts.with(-1, { ...last, repaired: true });
        return open ? "changed" : "same";
      }
      if (open && now() - last.at < AGAIN_MS) return "same"; // reading it again did not help
      const drift = {
        at: now(),
        sessionSeq: session_seq,
        ours: mine,
        theirs: hash,
        repaired: false,
      };
      drifts = [...drifts, drift].slice(-KEPT);
      return "drifted";
    },
  };
}
