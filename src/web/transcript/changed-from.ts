// The first difference of two versions of a list. Versions share structure, so unchanged branches are skipped.
import { get, type Vector } from "../../kernel/state/vector.ts";

const WIDTH = 32; // of a node: what two versions share, they share in such pieces

/** The length of both if they are equal. */
export function changedFrom<Value>(a: Vector<Value>, b: Vector<Value>): number {
  if (a === b) return b.length;
  const common = Math.min(a.length, b.length);
  // Branches count as full; the newest items are outside of the trie.
  const [inA, inB] = [a.length - a.tail.length, b.length - b.tail.length];
  let index = Math.min(sharedPrefix(a, b), inA, inB);
  while (index < common && get(a, index) === get(b, index)) index += 1;
  return index;
}

/** Compares whole branches by identity. */
function sharedPrefix<Value>(a: Vector<Value>, b: Vector<Value>): number {
  if (a.shift !== b.shift) return 0; // it outgrew its trie: that happens at 1,024, 32,768 …
  let [left, right]: [readonly unknown[], readonly unknown[]] = [a.root, b.root];
  let before = 0;
  for (let size = WIDTH ** (a.shift / 5); size >= WIDTH; size /= WIDTH) {
    const most = Math.min(left.length, right.length);
    let slot = 0;
    while (slot < most && left[slot] === right[slot]) slot += 1;
    before += slot * size;
    if (slot === most) return before;
    [left, right] = [left[slot] as unknown[], right[slot] as unknown[]];
  }
  return before;
}
