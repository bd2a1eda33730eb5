import assert from "node:assert/strict";
import { test } from "node:test";
import { refusalOf, signatureOf } from "./webhook-signature.ts";

const SECRET = "a-webhook-secret-of-at-least-32-characters";
const now = 1_800_000_000;
const timestamp = String(now);

test("[G9] finding A13: a signature is of one message to one webhook, however its parts are cut", () => {
  const signed = { name: "default", id: "m6", timestamp, body: "x.{}" };
  const signature = signatureOf(SECRET, signed);
  const taken = (other: object) => refusalOf(SECRET, { ...signed, ...other }, { signature, now });
  assert.equal(taken({}), undefined);
  assert.equal(taken({ id: "m6.x", body: "{}" }), "missing", "the same characters, cut elsewhere");
  assert.equal(taken({ name: "other" }), "wrong");
  assert.equal(taken({ id: "m7" }), "wrong");
  assert.equal(taken({ body: "x.{} " }), "wrong");
  for (const id of ["", ".", "a b", "ä", "x".repeat(201)])
    assert.equal(taken({ id }), "missing", id);
});
