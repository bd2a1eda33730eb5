import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { runDrafts } from "../../../test/support/events.ts";
import { token } from "../../../test/support/drafts.ts";
import type { Draft } from "../events/events.ts";
import { GENESIS, sealer, verify, type Place } from "./hash-chain.ts";

const seal = sealer({ logId: "r1", sessionId: "s1", epoch: "e1" });
const first: Place = { seq: 1, sessionSeq: 2, at: "1700000000.25", prevHash: GENESIS };

// If this fails, journals that exist today no longer verify. Do not change the expectation.
test("[E6] the bytes of an event are these bytes", () => {
  const { body, hash } = seal(token("m1", 'a "quoted" é\u0000'), first);
  const core =
    '{"event_id":"r1:1","seq":1,"run_id":"r1","session_id":"s1","session_seq":2,"epoch":"e1",' +
    '"type":"token.delta","created_at":1700000000.25,"terminal":false,' +
    '"payload":{"message_id":"m1","delta":"a \\"quoted\\" é\\u0000","content_type":"text"},' +
    `"prev_hash":"${"0".repeat(64)}"`;
  assert.equal(hash, createHash("sha256").update(core).digest("hex"));
  assert.equal(body, `${core},"hash":"${hash}"}`);
});

test("[E6] a chain verifies event by event, and only in its order", () => {
  fc.assert(
    fc.property(runDrafts, (drafts) => {
      let prevHash = GENESIS;
      for (const [index, draft] of drafts.entries()) {
        const { body, hash } = seal(draft as Draft, { ...first, seq: index + 1, prevHash });
        assert.equal(verify(body, prevHash), hash);
        assert.equal(verify(body, undefined), hash);
        assert.equal(verify(body, createHash("sha256").update(hash).digest("hex")), undefined);
        prevHash = hash;
      }
    }),
    { numRuns: 30 },
  );
});

test("[E6] no change of any character goes unnoticed, wherever it is", () => {
  const { body } = seal(token("m1", "Hello, world"), first);
  for (let at = 0; at < body.length; at++) {
    for (const bit of [1, 2, 4, 8, 16, 32, 64]) {
      const changed = String.fromCharCode(body.charCodeAt(at) ^ bit);
      const text = body.slice(0, at) + changed + body.slice(at + 1);
      assert.equal(verify(text, undefined), undefined, `character ${at}, bit ${bit}`);
    }
    const shorter = body.slice(0, at) + body.slice(at + 1);
    assert.equal(verify(shorter, undefined), undefined, `without character ${at}`);
    assert.equal(verify(body.slice(0, at), undefined), undefined, `cut at ${at}`);
  }
  assert.equal(verify(`${body} `, undefined), undefined);
  assert.equal(verify("", undefined), undefined);
});

test("[E7] exactly `done` is terminal", () => {
  const parse = (type: string) =>
    JSON.parse(seal({ type, payload: {} } as unknown as Draft, first).body) as {
      terminal: boolean;
    };
  assert.deepEqual(
    ["done", "error", "x.done", "status"].map((type) => parse(type).terminal),
    [true, false, false, false],
  );
});
