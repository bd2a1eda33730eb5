// Our calendar against the one every program uses.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../test/support/tries.ts";
import { isoTime } from "./iso-time.ts";

const byDate = (ms: number) => new Date(ms).toISOString();

test("[W1] times are written as a Date would write them, until the year 9999", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (ms) => {
      assert.equal(isoTime(ms / 1000), byDate(ms));
    }),
    { numRuns: tries(5_000) },
  );
});

test("[W1] every day from 1970 to 2400 has its date", () => {
  for (let day = 0; day < 157_054; day += 1) {
    assert.equal(isoTime(day * 86_400), byDate(day * 86_400_000));
  }
});

test("[W1] the seed's own times come out as they went in; what is no time is the first one", () => {
  assert.equal(isoTime(1_774_836_602.123), "2026-03-30T02:10:02.123Z");
  assert.equal(isoTime(1_774_836_602.9996), "2026-03-30T02:10:03.000Z");
  assert.equal(isoTime(Number.NaN), "1970-01-01T00:00:00.000Z");
  assert.equal(isoTime(-1), "1970-01-01T00:00:00.000Z");
  assert.equal(isoTime(Number.POSITIVE_INFINITY), "1970-01-01T00:00:00.000Z");
  assert.equal(isoTime(1e18), "9999-12-31T23:59:59.999Z");
});
