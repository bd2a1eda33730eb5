// Listeners of a store. Notifications may be batched (once per screen frame); the state itself is always current.

export type Schedule = (flush: () => void) => void;
export const immediately: Schedule = (flush) => flush();

export function createListeners(schedule: Schedule) {
  const listeners = new Set<() => void>();
  let planned = false;
  const flush = () => {
    planned = false;
    for (const listener of listeners) listener();
  };
  return {
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify: () => {
      if (planned) return;
      planned = true;
      schedule(flush);
    },
  };
}
