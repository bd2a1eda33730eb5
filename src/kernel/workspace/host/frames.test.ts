import assert from "node:assert/strict";
import { test } from "node:test";
import { createLineSplitter } from "./frame-lines.ts";
import { parseHostLine, parseRunnerLine } from "./frames.ts";
import { createHostReader, type HostMessage } from "./host-reader.ts";
import { isToolName } from "./tools.ts";

const call = { kind: "call", id: "1", tool: "read", input: {}, not_after: "5", marker: "run-1" };

test("a line is put together whatever the chunks it came in", () => {
  const bytes = Buffer.from('{"a":"€"}\n\n{"b":2}\nrest');
  for (let size = 1; size <= bytes.length; size += 1) {
    const split = createLineSplitter(100);
    const lines: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      lines.push(...split(bytes.subarray(at, at + size)).map(({ text }) => text));
    }
    assert.deepEqual(lines, ['{"a":"€"}', '{"b":2}']);
  }
});

test("[B4] of a line that is too long only the beginning is kept, and the next one is whole", () => {
  const split = createLineSplitter(2_000);
  const first = split(Buffer.from(`{"kind":"call","id":"7","input":"${"x".repeat(3_000)}`));

  const lines = split(Buffer.from('more"}\n{"ok":1}\n'));

  assert.deepEqual(first, []);
  assert.equal(lines[0]?.overlong, true);
  assert.equal(lines[0]?.text.length, 1_000);
  assert.deepEqual(lines[1], { text: '{"ok":1}', overlong: false });
});

test("a frame with fields of tomorrow is read; they are ignored", () => {
  assert.deepEqual(parseRunnerLine(JSON.stringify({ ...call, later: true }), isToolName), {
    ok: true,
    frame: call,
  });
  assert.equal(parseHostLine('{"kind":"later","id":"1"}'), undefined);
});

test("a frame that cannot be used names its id whenever one can be read", () => {
  const idOf = (line: string) => {
    const parsed = parseRunnerLine(line, isToolName);
    assert.equal(parsed.ok, false, line);
    return parsed.ok ? undefined : parsed.id;
  };
  for (const wrong of [
    { tool: "rm" },
    { tool: "constructor" },
    { not_after: 5 },
    { not_after: "-1" },
    { marker: "" },
    { marker: "a\0QUARTERDECK_X=1" },
    { kind: "later" },
  ]) {
    assert.equal(idOf(JSON.stringify({ ...call, ...wrong })), "1");
  }
  assert.equal(idOf('{"kind":"call","id":"cut","input":{"pa'), "cut");
  for (const line of ["", "null", "[]", '"x"', "{}", '{"id":5}', "\u0000"]) {
    assert.equal(idOf(line), undefined);
  }
});

test("[B1] output follows its frame as it is, whatever the chunks it came in", () => {
  const bytes = Buffer.from([0xff, 0x0a, 0x7b, 0x0a, 0x00]); // among them newlines and a brace
  const head = '{"kind":"output","id":"1","stream":"stdout","bytes":5}\n';
  const done = '{"kind":"done","id":"1","ok":true,"result":{}}\n';
  const all = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`${done}{"kind":"out`)]);
  for (let size = 1; size <= all.length; size += 1) {
    const read = createHostReader();
    const messages: HostMessage[] = [];
    for (let at = 0; at < all.length; at += size) {
      messages.push(...read(all.subarray(at, at + size)));
    }
    const parts = messages.flatMap((one) => (one.kind === "output" ? [one.data] : []));
    assert.deepEqual(Buffer.concat(parts), bytes);
    assert.deepEqual(messages.at(-1)?.kind, "done");
    assert.equal(messages.length, parts.length + 1);
  }
});
