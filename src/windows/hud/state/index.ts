// An immutable map from strings to numbers whose `with` costs the same at ten entries and at a million: a
// trie over a hash of the key. Copying a plain object per frame would cost more with every frame.

const BITS = 5;
const WIDTH = 1 << BITS;
const HASH_BITS = 32;

type Leaf = { readonly hash: number; readonly entries: readonly (readonly [string, number])[] };
type Branch = readonly (Branch | Leaf | undefined)[];
export type Index = Branch;

export const EMPTY_INDEX: Index = Array.from<undefined>({ length: WIDTH });

export function lookUp(index: Index, key: string): number | undefined {
  const hash = hashOf(key);
  let node: Branch | Leaf | undefined = index;
  for (let shift = 0; node !== undefined && !isLeaf(node); shift += BITS) {
    node = node[slotOf(hash, shift)];
  }
  return node?.entries.find(([name]) => name === key)?.[1];
}

export function enter(index: Index, key: string, value: number): Index {
  return put(index, { hash: hashOf(key), entries: [[key, value]] }, 0);
}

function put(branch: Branch, leaf: Leaf, shift: number): Branch {
  const slot = slotOf(leaf.hash, shift);
  return branch.with(slot, placed(branch[slot], leaf, shift + BITS));
}

function placed(there: Branch | Leaf | undefined, leaf: Leaf, shift: number): Branch | Leaf {
  if (there === undefined) return leaf;
  if (!isLeaf(there)) return put(there, leaf, shift);
  if (there.hash === leaf.hash || shift >= HASH_BITS) return merged(there, leaf);
  return put(put(EMPTY_INDEX, there, shift), leaf, shift);
}

function merged(there: Leaf, { hash, entries }: Leaf): Leaf {
  const kept = there.entries.filter(([key]) => entries.every(([added]) => added !== key));
  return { hash, entries: [...kept, ...entries] };
}

function isLeaf(node: Branch | Leaf): node is Leaf {
  return !Array.isArray(node);
}

function slotOf(hash: number, shift: number): number {
  return (hash >>> shift) & (WIDTH - 1);
}

/** FNV-1a. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
