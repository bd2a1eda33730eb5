// Which session a device talks in: `<channel>:<user or "local">:<peer>[:<thread>]`. A device may call
// itself anything; two that differ never share a session, and no name reaches into another's.

export type Identity = {
  readonly peerId: string;
  readonly userId?: string | undefined;
  readonly threadId?: string | undefined;
};

const MAX = 128; // of a session id
const NOBODY = "local";

/** `digest` makes a short name of a long one: 43 letters, digits, `-` or `_`. */
export function channelSession(
  channelId: string,
  { peerId, userId, threadId }: Identity,
  digest: (text: string) => string,
): string {
  const user = userId === undefined ? NOBODY : userId === NOBODY ? "@6cocal" : segment(userId);
  const thread = threadId === undefined ? [] : [segment(threadId)];
  const id = [channelId, user, segment(peerId), ...thread].join(":");
  // In a segment `@` is followed by two hex digits or `u`, so this is nobody's name written out.
  return id.length <= MAX ? id : `${channelId}:@@${digest(id)}`;
}

/** Reversible, for ids and file names: `@` and two hex digits of a code unit, or `@u` and four. */
export function segment(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_.-]/g, (unit) => {
    const hex = unit.charCodeAt(0).toString(16);
    return hex.length <= 2 ? `@${hex.padStart(2, "0")}` : `@u${hex.padStart(4, "0")}`;
  });
}
