import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutKeys } from "./export.ts";

const body = "A1b2C3d4E5f6G7h8I9j0K1l2";
const PEM = `-----BEGIN RSA PRIVATE KEY-----\nMIIEow-IBAAK\n-----END RSA PRIVATE KEY-----`;

test("[Y3] what looks like a key is recognised wherever it stands", () => {
  const keys: Record<string, string> = {
    [`sk-ant-api03-${body}`]: "sk",
    [`sk-proj-${body}`]: "sk",
    [`sk_live_${body}`]: "sk",
    [`ghp_${body}`]: "github",
    [`github_pat_${body}`]: "github",
    AKIAIOSFODNN7EXAMPLE: "aws",
    "xoxb-1234567890-abcdef": "slack",
    [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${body}`]: "jwt",
    [PEM]: "pem",
    "-----BEGIN PRIVATE KEY-----\nMIIE and then it was cut": "pem",
  };
  for (const [key, name] of Object.entries(keys)) {
    for (const [before, after] of [
      ["", ""],
      ["KEY=", "\n"],
      ['{"a":"', '"}'],
      ["Bearer ", ", ok"],
    ]) {
      if (key.endsWith("cut") && after !== "") continue; // its end is not told
      const expected = `${before}[redacted:looks-like-${name}]${after}`;
      assert.equal(withoutKeys(`${before}${key}${after}`), expected);
    }
  }
});

test("[Y3] ordinary words are left as they are", () => {
  for (const text of [
    "task-list-with-a-rather-long-name-of-many-words",
    "disk_usage_of_the_whole_machine_in_bytes",
    "sk-short",
    "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
    "eyJhbGciOiJIUzI1NiJ9 alone",
    "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c",
    "MAKIAVELLI0123456789ABCD",
  ])
    assert.equal(withoutKeys(text), text);
});

test("[B5] hostile text takes time in proportion to its length", () => {
  const pieces = ["-----BEGIN PRIVATE KEY-----", "eyJ", "sk-", "a".repeat(50), ".", "-"];
  for (const piece of pieces) assert.equal(typeof withoutKeys(piece.repeat(20_000)), "string");
});
