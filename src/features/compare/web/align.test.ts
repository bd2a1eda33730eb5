import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { align, foldSame, type Alignable, type AlignedRow } from "./align.ts";
import { commonOf } from "./lcs.ts";
import { diffText } from "./text-diff.ts";

type Named = Alignable & { readonly id: number };
const step = (key: string, id = 0, outcome = ""): Named => ({
  id,
  key,
  slot: key.slice(0, 1),
  outcome,
});
const steps = (words: string) =>
  words
    .split(" ")
    .filter(Boolean)
    .map((word, at) => step(word, at));
const SIGN = { same: "=", changed: "~", left: "<", right: ">" } as const;
const drawn = (rows: readonly AlignedRow<Named>[]) =>
  rows.map(({ kind, left, right }) => `${SIGN[kind]}${left?.key ?? ""}|${right?.key ?? ""}`);

test("[UX] what both did is one row, what only one did stands alone", () => {
  assert.deepEqual(drawn(align(steps("u1 t1 x1 z1"), steps("u1 x1 y9 z1"))), [
    "=u1|u1",
    "<t1|",
    "=x1|x1",
    ">|y9",
    "=z1|z1",
  ]);
  assert.deepEqual(drawn(align(steps("a1"), [])), ["<a1|"]);
  assert.deepEqual(align([], []), []);
});

test("[UX] the same kind of thing in the same place is one row that changed", () => {
  assert.deepEqual(drawn(align(steps("u1 t1 e1 z1"), steps("u1 t2 w1 e2 z1"))), [
    "=u1|u1",
    "~t1|t2",
    ">|w1",
    "~e1|e2",
    "=z1|z1",
  ]);
});

test("[UX] the same call with another outcome has changed", () => {
  const [row] = align([step("t1", 0, "ok")], [step("t1", 0, "failed")]);
  assert.equal(row?.kind, "changed");
});

const lists = fc.array(fc.constantFrom("a1", "a2", "b1", "b2", "c1"), { maxLength: 30 });
const asSteps = lists.map((words) => words.map((word, at) => step(word, at)));
const sides = (rows: readonly AlignedRow<Named>[]) => [
  rows.flatMap(({ left }) => left ?? []),
  rows.flatMap(({ right }) => right ?? []),
];

test("[V1] nothing is lost, repeated or moved: each side reads as it was", () => {
  fc.assert(
    fc.property(asSteps, asSteps, (left, right) => {
      assert.deepEqual(sides(align(left, right)), [left, right]);
    }),
  );
});

test("[UX] a row of two is equal, or of one kind; compared with itself nothing differs", () => {
  fc.assert(
    fc.property(asSteps, asSteps, (left, right) => {
      for (const { kind, left: one, right: two } of align(left, right)) {
        if (kind === "same") assert.equal(one.key, two.key);
        if (kind === "changed") assert.ok(one.slot === two.slot && one.key !== two.key);
      }
      assert.ok(align(left, left).every(({ kind }) => kind === "same"));
    }),
  );
});

/** As slow and as plain as it gets. */
function longest(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  const [first, ...rest] = a;
  const at = b.indexOf(first ?? "");
  const without = longest(rest, b);
  return at < 0 ? without : Math.max(without, 1 + longest(rest, b.slice(at + 1)));
}

test("[UX] no longer common row could be found, and what is found rises on both sides", () => {
  const short = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 9 });
  fc.assert(
    fc.property(short, short, (a, b) => {
      const pairs = commonOf(a, b);
      assert.equal(pairs.length, longest(a, b));
      pairs.forEach(([one, two], index) => {
        assert.equal(a[one], b[two]);
        const [before, beside] = pairs[index - 1] ?? [-1, -1];
        assert.ok(one > before && two > beside);
      });
    }),
  );
});

test("[S5] twenty thousand steps on each side are aligned in bounded time, also without one that is unique", () => {
  const many = (count: number, of: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => step(of(at), at));
  const numbered = align(
    many(20_000, (at) => `n${at}`),
    many(20_000, (at) => (at % 7 === 0 ? `x${at}` : `n${at}`)),
  );
  const alike = align(
    many(20_000, (at) => `k${at % 3}`),
    many(20_000, (at) => `k${(at * 7) % 5}`),
  );
  assert.equal(
    numbered.filter(({ kind }) => kind === "same").length,
    20_000 - Math.ceil(20_000 / 7),
  );
  assert.ok(alike.filter(({ kind }) => kind === "same").length > 4_000);
  assert.deepEqual(
    sides(alike).map(({ length }) => length),
    [20_000, 20_000],
  );
});

test("[UX] long stretches of the same fold, with one row left beside each difference", () => {
  const rows = align(
    steps("a1 a2 a3 a4 a5 b1 c1 c2 c3 c4 c5"),
    steps("a1 a2 a3 a4 a5 b2 c1 c2 c3 c4 c5"),
  );
  const shown = (opened: number[]) =>
    foldSame(rows, new Set(opened)).map((one) =>
      one.kind === "fold" ? `${one.count} equal from ${one.first}` : one.index,
    );
  assert.deepEqual(shown([]), ["4 equal from 0", 4, 5, 6, "4 equal from 7"]);
  assert.deepEqual(shown([0]), [0, 1, 2, 3, 4, 5, 6, "4 equal from 7"]);
  const little = align(steps("a1 b1 a2 a3 a4 b3"), steps("a1 b2 a2 a3 a4 b4"));
  assert.deepEqual(
    foldSame(little, new Set()).map(({ kind }) => kind),
    Array.from({ length: 6 }, () => "row"),
    "one row is not worth a fold",
  );
});

test("[V1] folded or not, every row is shown once", () => {
  fc.assert(
    fc.property(asSteps, asSteps, fc.array(fc.nat(30)), (left, right, opened) => {
      const rows = align(left, right);
      const shown = foldSame(rows, new Set(opened)).flatMap((one) =>
        one.kind === "fold"
          ? Array.from({ length: one.count }, (_, at) => one.first + at)
          : [one.index],
      );
      assert.deepEqual(
        shown,
        rows.map((_, at) => at),
      );
    }),
  );
});

const joined = (parts: ReturnType<typeof diffText>, side: "left" | "right") =>
  parts.flatMap(({ kind, text }) => (kind === "same" || kind === side ? text : [])).join("");

test("[UX] a changed text shows its words; both sides can be read from it", () => {
  assert.deepEqual(diffText("run the tests now", "run all tests now"), [
    { kind: "same", text: "run " },
    { kind: "left", text: "the" },
    { kind: "right", text: "all" },
    { kind: "same", text: " tests now" },
  ]);
  const text = fc.string({ unit: "grapheme", maxLength: 40 });
  fc.assert(
    fc.property(text, text, (left, right) => {
      const parts = diffText(left, right);
      assert.deepEqual([joined(parts, "left"), joined(parts, "right")], [left, right]);
    }),
  );
});

test("[S5] long texts differ by lines, and endless ones are shown whole", () => {
  const lines = (count: number, at: number) =>
    Array.from({ length: count }, (_, line) => `line ${line === at ? "changed" : line}\n`).join("");
  const parts = diffText(lines(1_500, -1), lines(1_500, 700));
  assert.deepEqual(
    parts.map(({ kind }) => kind),
    ["same", "left", "right", "same"],
  );
  assert.equal(parts[2]?.text, "line changed\n");
  const long = diffText(lines(5_000, -1), lines(5_000, 9));
  assert.deepEqual(
    long.map(({ kind }) => kind),
    ["left", "right"],
  );
});
