// The ids tool calls have in a request. Ours are unique in a run but not in a session, and some providers accept
// neither a repeated id nor every character; a result has to follow its call under whatever id that got.

const SAFE = /^[\w-]{1,64}$/;

export type WireIds = {
  /** The provider's own id where it has one: signed thinking may be bound to it. */
  callOf(callId: string, providerCallId: string | undefined): string;
  /** Results follow their calls, so the last call with this id is meant. */
  resultOf(callId: string): string;
};

export function createWireIds({ strict }: { strict: boolean }): WireIds {
  const used = new Set<string>();
  const current = new Map<string, string>();

  function unique(wanted: string): string {
    let id = wanted;
    for (let copy = 2; used.has(id); copy += 1) id = `${wanted}-${copy}`;
    used.add(id);
    return id;
  }

  return {
    callOf(callId, providerCallId) {
      const theirs = providerCallId !== undefined && SAFE.test(providerCallId);
      const ours = strict ? callId.replaceAll(/[^\w-]/g, "-").slice(-56) : callId;
      const id = unique(theirs ? providerCallId : ours);
      current.set(callId, id);
      return id;
    },
    resultOf: (callId) => current.get(callId) ?? callId,
  };
}
