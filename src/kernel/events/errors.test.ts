import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { StartRun } from "./commands.ts";
import { ApiError, ErrorEnvelope, ERRORS, parse, toEnvelope, type ErrorCode } from "./errors.ts";

const CODES = Object.keys(ERRORS) as ErrorCode[];

test("[H1] every code is snake_case, an HTTP error, and fits the envelope", () => {
  for (const code of CODES) {
    assert.match(code, /^[a-z]+(_[a-z]+)*$/);
    assert.ok(ERRORS[code].status >= 400 && ERRORS[code].status < 600, code);
    const envelope = toEnvelope(new ApiError(code, "why", { at: 1 }));
    assert.deepEqual(ErrorEnvelope.parse(envelope), envelope);
    assert.deepEqual(envelope, { ok: false, error: { code, message: "why", details: { at: 1 } } });
  }
});

test("[H1] only what may pass by itself is worth trying again", () => {
  const retryable = CODES.filter((code) => ERRORS[code].retryable);
  assert.deepEqual(retryable.toSorted(), [
    "endpoint_failed",
    "internal",
    "no_runner",
    "rate_limited",
    "storage_full",
    "unavailable",
  ]);
});

test("[H1] an unexpected error gives nothing away", () => {
  for (const error of [new Error("/home/me: token=secret"), "secret", null, undefined, { a: 1 }]) {
    const text = JSON.stringify(toEnvelope(error));
    assert.match(text, /"code":"internal"/);
    assert.doesNotMatch(text, /secret|home/);
  }
});

test("[H6] a body that does not fit says where", () => {
  const reason = (body: unknown) => {
    try {
      parse(StartRun, body);
    } catch (error) {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, "invalid_request");
      return error;
    }
    return assert.fail("it was taken");
  };
  assert.match(reason({}).message, /^message: /);
  assert.match(reason({ message: "" }).message, /^message: must not be empty/);
  assert.match(reason({ message: "a", surprise: 1 }).message, /surprise/);
  assert.match(reason({ message: "a", session_id: "a b" }).message, /^session_id: /);
  assert.match(reason({ message: "a", session_id: '"' }).message, /^session_id: /);
  assert.deepEqual(Object.keys(reason(null).details as object), ["issues"]);
});

test("[H6] a body that fits comes back as it is", () => {
  const body = { message: "a", metadata: { b: [1, null, { c: true }] } };
  assert.deepEqual(parse(StartRun, body), body);
  assert.equal(parse(z.string(), "x"), "x");
});
