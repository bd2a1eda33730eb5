// What a fold's hash must tell apart, and what it must not.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sessions } from "../../../test/support/events.ts";
import type { RunEvent } from "../events/events.ts";
import { foldHash, HASH_VERSION } from "./fold-hash.ts";
import { emptyFolded, foldEvents, type Folded } from "./folded.ts";
import { emptyRun, fromSnapshot, toSnapshot, type RunState } from "./run/state.ts";
import { fromSessionSnapshot, toSessionSnapshot } from "./session/session-state.ts";
import { set, toArray, vectorOf, type Vector } from "./vector.ts";

const whole = (events: readonly RunEvent[]) => foldEvents(emptyFolded("s1"), events);

/** As it comes back from a snapshot: new objects, other key order, nothing that is undefined. */
function reloaded({ session, runs }: Folded): Folded {
  const back = <Value>(value: Value) => turned(JSON.parse(JSON.stringify(value))) as Value;
  const again = fromSessionSnapshot(back(toSessionSnapshot(session)));
  assert.ok(again);
  const entries = Object.entries(runs).map(([id, run]) => [
    id,
    fromSnapshot(back(toSnapshot(run))),
  ]);
  return { session: again, runs: Object.fromEntries(entries.toReversed()) as Folded["runs"] };
}

function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([key, child]) => [key, turned(child)]));
}

test("[V2, L4] live, from a snapshot and in any batches a fold has one hash", () => {
  fc.assert(
    fc.property(sessions, fc.array(fc.nat(9)), fc.nat(), (events, sizes, cut) => {
      const expected = foldHash(whole(events));
      let batched = emptyFolded("s1");
      const rest = [...events];
      for (const size of sizes) {
        batched = foldEvents(batched, rest.splice(0, size));
        foldHash(batched); // what is remembered must not stand for what comes later
      }
      assert.equal(foldHash(foldEvents(batched, rest)), expected);
      const at = cut % (events.length + 1);
      const resumed = foldEvents(reloaded(whole(events.slice(0, at))), events.slice(at));
      assert.equal(foldHash(resumed), expected);
    }),
  );
});

test("[L4b] every event moves the hash", () => {
  fc.assert(
    fc.property(sessions, (events) => {
      const seen = new Set<string>();
      let state = emptyFolded("s1");
      for (const event of events) {
        state = foldEvents(state, [event]);
        seen.add(foldHash(state));
      }
      assert.equal(seen.size, events.length);
    }),
  );
});

/** Something else of the same kind. */
function altered(value: unknown): unknown {
  if (typeof value === "string") return `${value}.`;
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) return [...value, null];
  return value === null ? "" : { ...(value as object), more: 1 };
}

/** The value with one leaf or branch below it changed, once for each there is. */
function* variants(value: unknown): Generator<unknown> {
  yield altered(value);
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    for (const other of variants(child)) {
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
    }
  }
}

function* vectorVariants<Value>(vector: Vector<Value>): Generator<Vector<Value>> {
  for (const [index, item] of toArray(vector).entries()) {
    for (const other of variants(item)) yield set(vector, index, other as Value);
  }
}

function* stateVariants<State extends object>(state: State, list: keyof State): Generator<State> {
  for (const other of vectorVariants(state[list] as Vector<unknown>)) {
    yield { ...state, [list]: other };
  }
  const { [list]: _list, ...fields } = state;
  for (const [key, child] of Object.entries(fields)) {
    for (const other of variants(child)) yield { ...state, [key]: other };
  }
}

function* foldVariants({ session, runs }: Folded): Generator<Folded> {
  for (const other of stateVariants(session, "runs")) yield { session: other, runs };
  for (const [id, run] of Object.entries(runs)) {
    for (const other of stateVariants<RunState>(run, "items")) {
      yield { session, runs: { ...runs, [id]: other } };
    }
    const { [id]: _gone, ...fewer } = runs;
    yield { session, runs: fewer };
  }
}

test("[L4b] whatever differs in any item, run or session, the hash differs", () => {
  fc.assert(
    fc.property(sessions, (events) => {
      const state = whole(events);
      const hash = foldHash(state);
      let count = 0;
      for (const other of foldVariants(state)) {
        count += 1;
        assert.notEqual(foldHash(other), hash);
      }
      assert.ok(count > 50);
    }),
    { numRuns: 40 },
  );
});

test("[L4] which field has which value counts; a field that is undefined is no field", () => {
  const { session, runs } = emptyFolded("s1");
  const hashOf = (change: object) => foldHash({ session: { ...session, ...change }, runs });
  assert.notEqual(hashOf({ title: "a", model: "b" }), hashOf({ title: "b", model: "a" }));
  assert.notEqual(hashOf({ messages: 1, tokens: 2 }), hashOf({ messages: 2, tokens: 1 }));
  assert.equal(hashOf({ later: undefined }), hashOf({}));
  const lists = [
    [],
    [""],
    ["", ""],
    [["a"]],
    ["a"],
    ["ab"],
    ["a", "b"],
    ["b", "a"],
    [0],
    [null],
    [false],
  ];
  const numbers = [0, 1, -1, 0.5, 2 ** 31, 2 ** 32, 2 ** 32 + 1, 2 ** 53, 1e300, "1"];
  const hashes = [...lists, ...numbers].map((queue) => hashOf({ queue }));
  assert.equal(new Set(hashes).size, hashes.length);
  assert.equal(hashOf({ tokens: -0 }), hashOf({ tokens: 0 }), "JSON has one zero");
});

/** Whatever a caller may send, and above all what looks like something of ours. */
const hostile = fc.dictionary(
  fc.constantFrom("root", "tail", "shift", "length", "__proto__", "constructor", "items", "runs"),
  fc.jsonValue(),
);

test("[L4] free-form values are values, whatever they look like", () => {
  const withMetadata = (metadata: unknown) => {
    const { session, runs } = emptyFolded("s1");
    const run = { ...emptyRun("r1"), metadata: metadata as RunState["metadata"] };
    return foldHash({ session, runs: { ...runs, r1: run } });
  };
  const text = (value: unknown) => JSON.stringify(turned(turned(value)));
  withMetadata({ root: 1, tail: 2, shift: 3 });
  assert.notEqual(
    withMetadata({ length: 0, shift: 5, root: [], tail: [], more: 1 }),
    withMetadata({ length: 0, shift: 5, root: [], tail: [] }),
  );
  fc.assert(
    fc.property(hostile, hostile, (one, other) => {
      assert.equal(withMetadata(JSON.parse(JSON.stringify(one))), withMetadata(one));
      if (text(one) !== text(other)) return;
      assert.equal(withMetadata(one), withMetadata(other));
    }),
  );
});

test("[L4] the hash is the one its version says", () => {
  const items = vectorOf(
    Array.from({ length: 1_100 }, (_, index) => ({ text: `${index}`, index })),
  );
  const session = {
    title: "naïve ⛵",
    seq: 7,
    yolo: true,
    goal: null,
    runs: vectorOf([{ at: 0.5 }]),
  };
  const state = { session, runs: { r1: { items, open: { a: [1, "b", null] } } } };
  // If this fails the hash of the same state changed: raise HASH_VERSION, or open tabs read for ever.
  assert.deepEqual([HASH_VERSION, foldHash(state as unknown as Folded)], [1, "4fb1dc6afc67cf25"]);
});
