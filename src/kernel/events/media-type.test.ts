import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { mediaTypeOf } from "./media-type.ts";

const of = (bytes: readonly number[] | string, whole = true) =>
  mediaTypeOf(typeof bytes === "string" ? Buffer.from(bytes) : Uint8Array.from(bytes), { whole });

test("[S] a file is what its first bytes say", () => {
  assert.equal(of([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]), "image/png");
  assert.equal(of([0xff, 0xd8, 0xff, 0xe0]), "image/jpeg");
  assert.equal(of("GIF89a…"), "image/gif");
  assert.equal(of("RIFF\u0001\u0002\u0003\u0004WEBPVP8 "), "image/webp");
  assert.equal(of("%PDF-1.7\n"), "application/pdf");
  assert.equal(of(""), "text/plain");
  assert.equal(of("<svg onload=alert(1)>"), "text/plain");
  assert.equal(of("RIFF1234WAVE"), "audio/wav");
  assert.equal(of("RIFF1234AVI "), "text/plain");
  assert.equal(of("GIF88a"), "text/plain");
});

test("[S] only UTF-8 without control characters is text", () => {
  assert.equal(of("naïve 日本 🚢\r\n\ttab \u001b[31mred"), "text/plain");
  const broken = [
    [0x00],
    [0x61, 0x07],
    [0xc0, 0xaf], // overlong
    [0xe0, 0x80, 0xaf],
    [0xed, 0xa0, 0x80], // a surrogate
    [0xf4, 0x90, 0x80, 0x80], // beyond Unicode
    [0xf5, 0x80, 0x80, 0x80],
    [0x80],
    [0xc3, 0x28],
  ];
  for (const bytes of broken) assert.equal(of(bytes), "application/octet-stream", String(bytes));
});

test("[S] a character cut by the end of what was looked at is no error, unless it is the end", () => {
  assert.equal(of([0x61, 0xe6, 0x97], false), "text/plain");
  assert.equal(of([0x61, 0xe6, 0x97], true), "application/octet-stream");
});

test("[S] any bytes: text exactly where a strict decoder takes them and none is a control character", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 24 }), (bytes) => {
      let decodes = true;
      try {
        new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      } catch {
        decodes = false;
      }
      const plain = bytes.every((byte) => byte >= 0x20 || [9, 10, 12, 13, 27].includes(byte));
      assert.equal(mediaTypeOf(bytes, { whole: true }) === "text/plain", decodes && plain);
    }),
  );
});
