// Keeps the most recently used sessions open, so that going back is instant and shows the present; closes the others.
import type { SessionStore } from "./store.ts";

export type SessionCache = {
  /** The session, open. Whoever takes it gives it back. */
  readonly acquire: (sessionId: string) => SessionStore;
  readonly release: (sessionId: string) => void;
  /** What is open already, without taking it. */
  readonly peek: (sessionId: string) => SessionStore | null;
  /** Nobody is looking: those that nobody took stop listening. */
  readonly rest: () => void;
  readonly wake: () => void;
  readonly close: () => void;
};

type CachedSession = { readonly store: SessionStore; users: number };
const KEPT = 5;

export function createSessionCache(
  open: (sessionId: string) => SessionStore,
  kept: number = KEPT,
): SessionCache {
  const warm = new Map<string, CachedSession>(); // in the order they were used
  const idle = () => [...warm].filter(([, { users }]) => users === 0);
  const drop = (sessionId: string, { store }: CachedSession) => {
    warm.delete(sessionId);
    store.close();
  };
  return {
    acquire(sessionId) {
      const entry = warm.get(sessionId) ?? { store: open(sessionId), users: 0 };
      warm.delete(sessionId);
      warm.set(sessionId, entry);
      entry.users += 1;
      entry.store.wake();
      for (const [id, old] of idle().slice(0, Math.max(0, warm.size - kept))) drop(id, old);
      return entry.store;
    },
    release(sessionId) {
      const entry = warm.get(sessionId);
      if (!entry) return;
      entry.users -= 1;
      const refused = entry.store.getState().connection.state === "denied";
      if (entry.users === 0 && (refused || warm.size > kept)) drop(sessionId, entry);
    },
    peek: (sessionId) => warm.get(sessionId)?.store ?? null,
    rest: () => idle().forEach(([, { store }]) => store.rest()),
    wake: () => warm.forEach(({ store }) => store.wake()),
    close: () => [...warm].forEach(([id, entry]) => drop(id, entry)),
  };
}
