import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../test/support/tries.ts";
import { createRedactor, type Redactor } from "./redact.ts";

const KEY = 'sk-proj-Zx9/+q"\\ é7Tt\n0123456789abcdefghijklmnopqrstuvwxyz_ABCDEFGH';

/** The encodings that programs commonly produce. Independent of the code under test. */
const FORMS: Record<string, (value: string, random: readonly number[]) => string> = {
  raw: (value) => value,
  json: (value) => JSON.stringify(value).slice(1, -1),
  jsonUnicode: (value) =>
    value.replaceAll(/[^]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
  url: (value) => encodeURIComponent(value),
  urlAll: (value) => [...Buffer.from(value)].map((byte) => percent(byte)).join(""),
  urlPartly: (value, random) =>
    Array.from(value, (char, index) =>
      (random[index % random.length] ?? 0) % 2 === 0
        ? char
        : [...Buffer.from(char)].map((byte) => percent(byte).toLowerCase()).join(""),
    ).join(""),
  form: (value) => new URLSearchParams({ v: value }).toString().slice(2),
  hex: (value) => Buffer.from(value).toString("hex"),
  hexUpper: (value) => Buffer.from(value).toString("hex").toUpperCase(),
  hexLines: (value) => lines(Buffer.from(value).toString("hex"), 60),
  base64: (value) => Buffer.from(value).toString("base64"),
  base64Url: (value) => Buffer.from(value).toString("base64url"),
  base64Lines: (value) => lines(Buffer.from(value).toString("base64"), 76),
  base64Within: (value, [before = 0, after = 0]) =>
    Buffer.from(`${"x".repeat(before % 5)}${value}${"y".repeat(after % 5)}`).toString("base64"),
  base64UrlWithin: (value, [before = 0, after = 0]) =>
    Buffer.from(`${"?".repeat(before % 5)}${value}${"~".repeat(after % 5)}`).toString("base64url"),
};

function percent(byte: number): string {
  return `%${byte.toString(16).padStart(2, "0").toUpperCase()}`;
}
function lines(text: string, width: number): string {
  return text.replaceAll(new RegExp(`.{${width}}`, "g"), "$&\n");
}

/** Twelve consecutive letters of a form are a leak; the letters that base64 shares with its neighbours are not. */
function leaks(shown: string, form: string): boolean {
  for (let at = 0; at + 12 <= form.length; at += 1) {
    if (shown.includes(form.slice(at, at + 12))) return true;
  }
  return false;
}

const secret = fc.oneof(
  fc.constant(KEY),
  fc.string({ minLength: 8, maxLength: 60, unit: "grapheme" }),
  fc.stringMatching(/^[\w-]{8,60}$/),
  fc.constantFrom("aaaaaaaa", "abababab", "hunter2hunter2", "00000000"),
);
const secrets = fc
  .array(secret, { minLength: 1, maxLength: 4 })
  .map((values) => values.map((value, index) => ({ name: `K${index}`, value })));
const noise = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.stringMatching(/^[\w%\\=+/ \n-]{0,40}$/),
);

type Sliced<Whole> = { length: number; slice(from: number, to: number): Whole };

function pieces<Whole extends Sliced<Whole>>(whole: Whole, cuts: readonly number[]): Whole[] {
  const at = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...at].map((from, index) => whole.slice(from, at[index] ?? whole.length));
}

function streamed(redactor: Redactor, chunks: readonly string[]): string {
  const stream = redactor.stream();
  return chunks.map((chunk) => stream.push(chunk)).join("") + stream.end();
}

function streamedBytes(redactor: Redactor, chunks: readonly Buffer[]): Buffer {
  const stream = redactor.bytes();
  return Buffer.concat([...chunks.map((chunk) => stream.push(chunk)), stream.end()]);
}

const mix = fc.record({
  secrets,
  parts: fc.array(fc.tuple(noise, fc.constantFrom(...Object.keys(FORMS)), fc.nat(3), noise), {
    minLength: 1,
    maxLength: 4,
  }),
  random: fc.array(fc.nat(100), { minLength: 2, maxLength: 20 }),
  cuts: fc.array(fc.nat(2_000), { maxLength: 30 }),
});
type Mix = typeof mix extends fc.Arbitrary<infer Value> ? Value : never;

function write({ secrets: known, parts, random }: Mix) {
  const values = known.map(({ value }) => value.trim()).filter((value) => value.length >= 8);
  const forms: string[] = [];
  const texts = parts.map(([before, form, which, after]) => {
    const value = values[which % values.length];
    if (value === undefined) return before + after;
    const written = FORMS[form]?.(value, random) ?? "";
    if (!form.includes("Within")) forms.push(written);
    else forms.push(written.slice(8, -8)); // its ends are not the secret's
    return before + written + after;
  });
  return { text: texts.join(""), forms };
}

test("[S] a secret never gets through, in any form and cut anywhere", () => {
  fc.assert(
    fc.property(mix, (given) => {
      const redactor = createRedactor(given.secrets);
      if (!redactor) return;
      const { text, forms } = write(given);
      const shown = streamed(redactor, pieces<string>(text, given.cuts));
      const bytes = streamedBytes(redactor, pieces<Buffer>(Buffer.from(text), given.cuts));
      for (const form of forms.filter((each) => each.length >= 12)) {
        assert.ok(!leaks(shown, form), `${JSON.stringify(shown)} shows ${JSON.stringify(form)}`);
        if (text.isWellFormed()) assert.ok(!leaks(bytes.toString(), form));
      }
    }),
    { numRuns: tries(250) },
  );
});

test("[S] what comes out in pieces is what the whole becomes", () => {
  fc.assert(
    fc.property(mix, (given) => {
      const redactor = createRedactor(given.secrets);
      if (!redactor) return;
      const { text } = write(given);
      const whole = redactor.text(text);
      assert.equal(streamed(redactor, pieces<string>(text, given.cuts)), whole);
      assert.equal(streamed(redactor, text.split("")), whole);
      const bytes = Buffer.from(text);
      const inBytes = streamedBytes(redactor, [bytes]);
      assert.deepEqual(
        streamedBytes(
          redactor,
          [...bytes].map((byte) => Buffer.of(byte)),
        ),
        inBytes,
      );
      if (text.isWellFormed()) assert.equal(inBytes.toString(), whole);
      assert.equal(redactor.text(whole), whole);
    }),
    { numRuns: tries(120) },
  );
});

test("[S] text without secrets passes unchanged, and at once", () => {
  const redactor = createRedactor([{ name: "K", value: "QQQQ-QQQQ-QQQQ" }]);
  assert.ok(redactor);
  // No form of the value begins with one of these: Q % \ 5 U F R (raw, escaped, hex, base64).
  const innocent = fc.stringMatching(/^[a-z0-46-9 .,:;!?\n]{0,80}$/);
  fc.assert(
    fc.property(fc.array(innocent, { maxLength: 10 }), (chunks) => {
      const stream = redactor.stream();
      const bytes = redactor.bytes();
      for (const chunk of chunks) {
        assert.equal(stream.push(chunk), chunk);
        const piece = Buffer.from(chunk);
        assert.equal(bytes.push(piece), piece); // the very buffer: nothing was copied
      }
      assert.equal(stream.end(), "");
      assert.equal(bytes.end().length, 0);
    }),
  );
});

test("[S] bytes that are not text pass unchanged", () => {
  const redactor = createRedactor([{ name: "K", value: KEY }]);
  assert.ok(redactor);
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 64 })), (chunks) => {
      const buffers = chunks.map((chunk) => Buffer.from(chunk));
      assert.deepEqual(streamedBytes(redactor, buffers), Buffer.concat(buffers));
    }),
  );
});

test("[S] only what could be the beginning of a secret is held back", () => {
  const value = "sk-0123456789";
  const redactor = createRedactor([{ name: "K", value }]);
  assert.ok(redactor);
  fc.assert(
    fc.property(fc.stringMatching(/^[.,;: ]{0,20}$/), fc.nat(value.length - 1), (text, cut) => {
      const stream = redactor.stream();
      assert.equal(stream.push(text + value.slice(0, cut)), text);
      assert.equal(stream.push("!"), `${value.slice(0, cut)}!`);
    }),
  );
});

test("[S, R17] a line is shown at once, whatever it ends with; what a line break cuts off is still found", () => {
  const value = "sk-0123456789abcdef";
  const redactor = createRedactor([{ name: "K", value }]);
  assert.ok(redactor);
  for (const last of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/-_") {
    const line = `it ends with ${last}\n`;
    assert.equal(redactor.bytes().push(Buffer.from(line)).toString(), line);
  }
  for (const form of [Buffer.from(value).toString("hex"), Buffer.from(value).toString("base64")]) {
    for (let cut = 0; cut < form.length; cut += 1) {
      const broken = `${form.slice(0, cut)}\n${form.slice(cut)}`;
      const stream = redactor.bytes();
      const shown = stream.push(Buffer.from(broken)).toString() + stream.end().toString();
      assert.ok(!leaks(shown.replaceAll("\n", ""), form), `${cut}: ${shown}`);
    }
  }
});
