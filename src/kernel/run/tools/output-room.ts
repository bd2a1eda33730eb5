// How much of what commands print is kept on disk: so much of one call, so much of one session. Counted by this
// runner while it lives; what was printed before it started is on the disk already.

export type OutputRoom = {
  /** Of one call, at most. */
  readonly callBytes: number;
  /** How many of these bytes may be kept of the session. They count from then on. */
  take(bytes: number): number;
};
export type OutputLimits = { readonly callBytes: number; readonly sessionBytes: number };

const MIB = 1 << 20;
export const DEFAULT_OUTPUT: OutputLimits = { callBytes: 64 * MIB, sessionBytes: 1_024 * MIB };

/** By session. */
export function outputRooms(
  limits: OutputLimits = DEFAULT_OUTPUT,
): (sessionId: string) => OutputRoom {
  const used = new Map<string, number>();
  return (sessionId) => ({
    callBytes: limits.callBytes,
    take(bytes) {
      const before = used.get(sessionId) ?? 0;
      const taken = Math.max(0, Math.min(bytes, limits.sessionBytes - before));
      used.set(sessionId, before + taken);
      return taken;
    },
  });
}
