// Runs the graph of forms over text in a few nanoseconds per character. States of a deterministic automaton are created
// on demand and cached up to a bound, so that hostile text costs time, not memory.
import type { Forms, Node } from "./forms.ts";

const MAX_STATES = 2_048;
const UNKNOWN = 0; // not looked up yet

export type Found = {
  readonly to: number; // the end of the longest match; 0: no match
  readonly secret: number;
  readonly open: boolean; // the text ended before a match was decided
};

export type Scan = {
  readonly end: number; // after the first character that completes a match; -1: no match
  readonly idle: boolean; // no match can begin at the end of the text
};

export type Automaton = {
  readonly longest: number;
  scan(text: string, from: number): Scan;
  scanBytes(bytes: Uint8Array): Scan;
  /** A match that begins exactly here. */
  matchAt(text: string, from: number): Found;
};

export function createAutomaton({ nodes, longest }: Forms): Automaton {
  const classes = classesOf(nodes);
  const anywhere = createStates(nodes, { classes, begin: "anywhere" });
  const here = createStates(nodes, { classes, begin: "here" });
  const { classOf, shift } = classes;

  return {
    longest,
    scan(text, from) {
      let { next } = anywhere;
      let state = anywhere.first;
      for (let index = from; index < text.length; index += 1) {
        const klass = classOf[text.charCodeAt(index)] as number;
        let target = next[(state << shift) | klass] as number;
        if (target <= UNKNOWN) {
          if (target === UNKNOWN) target = anywhere.make(state, klass);
          if (target < 0) return { end: index + 1, idle: false };
          next = anywhere.next;
        }
        state = target;
      }
      return { end: -1, idle: state === anywhere.first };
    },

    scanBytes(bytes) {
      let { next } = anywhere;
      let state = anywhere.first;
      for (let index = 0; index < bytes.length; index += 1) {
        const klass = classOf[bytes[index] as number] as number;
        let target = next[(state << shift) | klass] as number;
        if (target <= UNKNOWN) {
          if (target === UNKNOWN) target = anywhere.make(state, klass);
          if (target < 0) return { end: index + 1, idle: false };
          next = anywhere.next;
        }
        state = target;
      }
      return { end: -1, idle: state === anywhere.first };
    },

    matchAt(text, from) {
      let state = here.first;
      let to = 0;
      let secret = 0;
      for (let index = from; index < text.length; index += 1) {
        const klass = classOf[text.charCodeAt(index)] as number;
        const target = here.next[(state << shift) | klass] || here.make(state, klass);
        state = Math.abs(target);
        if (target < 0) {
          to = index + 1;
          secret = here.accepts(state);
        }
        if (here.isOver(state)) return { to, secret, open: false };
      }
      return { to, secret, open: true };
    },
  };
}

type Classes = { readonly classOf: Uint16Array; readonly shift: number; units: readonly number[] };

/** Characters that no form distinguishes share a class; those that occur in no form are class 0. */
function classesOf(nodes: readonly Node[]): Classes {
  const used = new Set<number>();
  for (const { edges } of nodes) {
    for (let index = 0; index < edges.length; index += 2) used.add(edges[index] as number);
  }
  const units = [...used];
  const classOf = new Uint16Array(65_536);
  units.forEach((unit, index) => (classOf[unit] = index + 1));
  return { classOf, shift: Math.ceil(Math.log2(units.length + 1)), units };
}

type States = {
  readonly first: number;
  /** The next state by state and class, negative if it completes a match. */
  readonly next: Int32Array;
  make(state: number, klass: number): number;
  accepts(state: number): number;
  /** No further text can make the match longer. */
  isOver(state: number): boolean;
};

function createStates(
  nodes: readonly Node[],
  { classes, begin }: { classes: Classes; begin: "anywhere" | "here" },
): States {
  const { shift, units } = classes;
  const first = 1;
  let next = new Int32Array(64 << shift);
  let members: number[][] = [];
  let over: boolean[] = [];
  let ids = new Map<string, number>();

  const forget = () => {
    next.fill(UNKNOWN);
    members = [[], [0]];
    over = [true, false];
    ids = new Map([["0", first]]);
  };
  const accepts = (set: readonly number[]) =>
    set.flatMap((member) => nodes[member]?.accepts ?? []).toSorted((a, b) => a - b)[0];
  const idOf = (set: number[]): number => {
    const key = set.join();
    const known = ids.get(key);
    if (known !== undefined) return known;
    const id = members.push(set) - 1;
    ids.set(key, id);
    over[id] = set.every((member) => nodes[member]?.edges.length === 0);
    if (members.length << shift > next.length) {
      const larger = new Int32Array(next.length * 2);
      larger.set(next);
      next = larger;
    }
    return id;
  };
  forget();

  return {
    first,
    get next() {
      return next;
    },
    make(state, klass) {
      const unit = units[klass - 1];
      const set = new Set<number>(begin === "anywhere" ? [0] : []);
      for (const member of members[state] ?? []) {
        const edges = nodes[member]?.edges ?? [];
        for (let index = 0; index < edges.length; index += 2) {
          if (edges[index] === unit) set.add(edges[index + 1] as number);
        }
      }
      const sorted = [...set].toSorted((a, b) => a - b);
      const full = members.length >= MAX_STATES;
      if (full) forget(); // `state` is invalid from here on
      const id = idOf(sorted);
      const target = accepts(sorted) === undefined ? id : -id;
      if (!full) next[(state << shift) | klass] = target;
      return target;
    },
    accepts: (state) => accepts(members[state] ?? []) ?? 0,
    isOver: (state) => over[state] ?? true,
  };
}
