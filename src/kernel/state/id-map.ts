// Where a node is, by its id, as an immutable map: a trie over the bits of a hash. Putting one in
// copies a few short lists whatever the size, and older maps stay as they were.
const BITS = 5;
const MASK = (1 << BITS) - 1;
const DEEPEST = 30;

type Entry = { readonly id: string; readonly at: number; readonly next: Entry | undefined };
type Branch = readonly (Branch | Entry | undefined)[];

export type IdMap = Branch;

export const NO_IDS: IdMap = [];

export function placeOf(map: IdMap, id: string): number | undefined {
  const hash = hashOf(id);
  let found: Branch | Entry | undefined = map;
  for (let shift = 0; isBranch(found); shift += BITS) found = found[(hash >>> shift) & MASK];
  while (found && found.id !== id) found = found.next;
  return found?.at;
}

/** With `id` at that place; what was known of it before is forgotten. */
export function withPlace(map: IdMap, id: string, at: number): IdMap {
  return put(map, { id, at, next: undefined }, { hash: hashOf(id), shift: 0 }) as Branch;
}

type Way = { readonly hash: number; readonly shift: number };

function put(into: Branch | Entry | undefined, entry: Entry, way: Way): Branch | Entry {
  if (into === undefined) return entry;
  if (isBranch(into)) return putBelow(into, entry, way);
  if (into.id === entry.id) return { ...entry, next: into.next };
  if (way.shift > DEEPEST) {
    return { ...into, next: into.next ? (put(into.next, entry, way) as Entry) : entry };
  }
  const divided = putBelow([], into, { ...way, hash: hashOf(into.id) });
  return putBelow(divided, entry, way);
}

function putBelow(branch: Branch, entry: Entry, { hash, shift }: Way): Branch {
  const slot = (hash >>> shift) & MASK;
  const copy = [...branch];
  copy[slot] = put(branch[slot], entry, { hash, shift: shift + BITS });
  return copy;
}

function isBranch(node: Branch | Entry | undefined): node is Branch {
  return Array.isArray(node);
}

/** FNV-1a. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
