// A short name for everything a window shows of a session. Two folds with the same name show the same:
// a window that got another one than the server has drifted. States are values that share structure, so
// what was hashed once is remembered by its identity, and a hash costs only what changed since the last.
import type { Folded } from "./folded.ts";
import type { RunState } from "./run/state.ts";
import type { SessionState } from "./session/session-state.ts";
import type { Vector } from "./vector.ts";

/** Raise it whenever the same state gets another hash: a tab that is still open must not compare the two. */
export const HASH_VERSION = 1;

/** 64 bits in two lanes: JavaScript multiplies integers of 32. */
type Hash = { readonly a: number; readonly b: number };

export function foldHash({ session, runs }: Folded): string {
  const all = { session: sessionHash(session), runs: entriesHash(runs, runHash) };
  const { a, b } = entriesHash(all, (hash) => hash);
  return hex(a) + hex(b);
}

const hex = (lane: number) => lane.toString(16).padStart(8, "0");

// A vector is known by where it stands: what a caller sent may look like one.
const sessionHash = (session: SessionState) => stateHash(session, "runs");
const runHash = (run: RunState) => stateHash(run, "items");

/** Of a state whose fields keep their identity while they do not change. */
function stateHash<List extends string>(
  state: Readonly<Record<List, Vector<unknown>>>,
  list: List,
): Hash {
  const hashOf = (value: unknown, name: string) =>
    name === list ? vectorHash(state[list]) : fieldHash(value);
  return remembered(state, () => entriesHash<unknown>(state, hashOf));
}

function fieldHash(value: unknown): Hash {
  if (typeof value !== "object" || value === null) return valueHash(value);
  return remembered(value, () => valueHash(value));
}

/** The shape of a vector follows from its length alone, so its nodes can be remembered too. */
function vectorHash(vector: Vector<unknown>): Hash {
  const { length, shift, root, tail } = vector;
  return remembered(vector, () => {
    const parts = [valueHash(length), nodeHash(root, shift), nodeHash(tail, 0)];
    return sequenceHash(TAG.vector, parts, (part) => part);
  });
}

function nodeHash(node: readonly unknown[], level: number): Hash {
  return remembered(node, () =>
    sequenceHash(TAG.array, node, (child) =>
      level === 0 || !Array.isArray(child) ? fieldHash(child) : nodeHash(child, level - BITS),
    ),
  );
}
const BITS = 5; // of a level of a vector

const known = new WeakMap<object, Hash>();
function remembered(value: object, compute: () => Hash): Hash {
  const before = known.get(value);
  if (before) return before;
  const hash = compute();
  known.set(value, hash);
  return hash;
}

const TAG = {
  null: 1,
  true: 2,
  false: 3,
  integer: 4,
  number: 5,
  text: 6,
  array: 7,
  object: 8,
  vector: 9,
};

function valueHash(value: unknown): Hash {
  if (typeof value === "string") return textHash(TAG.text, value);
  if (typeof value === "number") return numberHash(value);
  if (typeof value === "boolean") return mix(SEED, value ? TAG.true : TAG.false);
  if (Array.isArray(value)) return sequenceHash(TAG.array, value, valueHash);
  if (typeof value === "object" && value !== null) {
    return entriesHash(value as Record<string, unknown>, valueHash);
  }
  return mix(SEED, TAG.null);
}

/** The sum of what each entry is: the same in whatever order the keys stand. What is undefined is absent. */
function entriesHash<Value>(
  record: Readonly<Record<string, Value>>,
  hashOf: (value: Value, key: string) => Hash,
): Hash {
  let [a, b] = [TAG.object, TAG.object];
  for (const key in record) {
    const value = record[key] as Value;
    if (value === undefined) continue;
    const entry = join(keyHash(key), hashOf(value, key));
    a = (a + entry.a) >>> 0;
    b = (b + entry.b) >>> 0;
  }
  return mix({ a, b }, TAG.object);
}

function sequenceHash<Value>(
  tag: number,
  list: readonly Value[],
  hashOf: (value: Value) => Hash,
): Hash {
  let hash = mix(SEED, tag);
  for (const value of list) hash = join(hash, hashOf(value));
  return hash;
}

function numberHash(value: number): Hash {
  if (!Number.isSafeInteger(value)) return textHash(TAG.number, String(value));
  const high = Math.floor(value / 4_294_967_296);
  return mix(mix(mix(SEED, TAG.integer), value | 0), high | 0);
}

const keys = new Map<string, Hash>();
/** Names of fields are few; ids are not, and must not pile up. */
function keyHash(key: string): Hash {
  const before = keys.get(key);
  if (before) return before;
  const hash = textHash(TAG.text, key);
  if (keys.size < 1_000) keys.set(key, hash);
  return hash;
}

const SEED: Hash = { a: 0x9e3779b9, b: 0x85ebca6b };

function textHash(tag: number, text: string): Hash {
  let a = SEED.a ^ tag;
  let b = SEED.b ^ text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 2_654_435_761);
    b = Math.imul(b ^ unit, 1_597_334_677);
  }
  return mix({ a, b }, tag);
}

function join(left: Hash, right: Hash): Hash {
  return mix(mix(left, right.a), right.b);
}

/** One round of murmur3 in each lane, crossed, and finished so that every bit reaches every other. */
function mix({ a, b }: Hash, word: number): Hash {
  const left = finish(Math.imul(a, 3_432_918_353) ^ word ^ rotated(b, 13));
  const right = finish(Math.imul(b, 461_845_907) ^ rotated(word, 16) ^ left);
  return { a: left, b: right };
}

const rotated = (word: number, by: number) => (word << by) | (word >>> (32 - by));

function finish(word: number): number {
  let hash = Math.imul(word ^ (word >>> 16), 2_246_822_507);
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909);
  return (hash ^ (hash >>> 16)) >>> 0;
}
