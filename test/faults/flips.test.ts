// Some of the bits that `npm run test:flips` changes by the thousand.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { ON_POSTGRES } from "../support/backend.ts"; // which has checksums of its own, for every page
import { bitFlips } from "./bit-flips.ts";

const FLIPS = 40;

if (!ON_POSTGRES)
  test("[J7a, D7] a changed bit of any table is not served, and doctor finds it", async (t) => {
    const seed = randomInt(1_000_000_000);
    t.diagnostic(`seed ${seed}: npm run test:flips -- --flips ${FLIPS} --seed ${seed}`);
    using flipping = await bitFlips(seed);
    let found = 0;
    for (let done = 0; done < FLIPS; done += 1) {
      const { flip, verdict } = await flipping.flip();
      assert.ok(
        verdict === "found" || verdict === "harmless",
        `${verdict}: ${JSON.stringify(flip)}`,
      );
      if (verdict === "found") found += 1;
    }
    assert.ok(found > FLIPS * 0.8, `only ${found} were found; the others changed no answer`);
  });
