// SIGKILL of the gateway at random moments of bursts in four messengers: nothing is lost, doubled or reordered within a
// chat. `npm run test:gateway-kills -- --kills 200` does it for long; a seed that failed is tried again with SEED.
import assert from "node:assert/strict";
import { test } from "node:test";
import { runGatewayTrial } from "../../faults/gateway/trial.ts";
import { seeded } from "../../support/random.ts";

const KILLS = 6;

test("[G3, G6] bursts in four messengers with kills in between are answered once each, in order", async (t) => {
  const { seed } = seeded();
  t.diagnostic(`SEED=${seed}`);
  const figures = await runGatewayTrial({ kills: KILLS, seed });
  assert.equal(figures.length, 4);
  assert.ok(figures.every(({ written }) => written > KILLS));
});
