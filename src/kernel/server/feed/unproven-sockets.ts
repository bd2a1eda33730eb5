// Sockets without a token in the handshake, which may still send one in a frame. Anybody can open one, so their
// number and their time are small.
import { ApiError } from "../../events/errors.ts";

export const MAX_UNPROVEN = 64;
export const PROVE_MS = 5_000;

export type UnprovenSockets = {
  /** Throws when there are enough of them. */
  checkRoom(): void;
  /** `late` is called unless the answer was called before, or the socket has gone. */
  add(socket: { readonly gone: AbortSignal; readonly late: () => void }): () => void;
};

export function unprovenSockets(): UnprovenSockets {
  const open = new Set<object>();
  return {
    checkRoom() {
      if (open.size < MAX_UNPROVEN) return;
      throw new ApiError("rate_limited", "Too many connections wait for a token. Send it at once.");
    },
    add({ gone, late }) {
      const timer = setTimeout(late, PROVE_MS).unref();
      open.add(timer);
      const proven = () => {
        clearTimeout(timer);
        open.delete(timer);
      };
      gone.addEventListener("abort", proven);
      return proven;
    },
  };
}
