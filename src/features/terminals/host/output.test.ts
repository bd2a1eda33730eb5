import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createByteRing } from "../../../kernel/workspace/processes/byte-ring.ts";
import { createTerminalOutput } from "./output.ts";
import type { TerminalPart } from "../records.ts";
import { waitUntil } from "../../../kernel/workspace/host/test-support.ts";

const bytesOf = (part: TerminalPart | undefined) => Buffer.from(part?.data ?? "", "base64");

test("[PT2a] a ring has the newest bytes at their places, whatever came in which pieces", () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 32 }), (chunks, capacity) => {
      const ring = createByteRing(capacity);
      for (const chunk of chunks) ring.add(Buffer.from(chunk));
      const all = Buffer.concat(chunks);
      assert.equal(ring.total, all.length);
      assert.equal(ring.start, Math.max(0, all.length - capacity));
      for (let from = ring.start; from <= ring.total; from += 1) {
        assert.deepEqual(ring.slice(from, 7), all.subarray(from, from + 7));
      }
    }),
  );
  assert.throws(() => createByteRing(4).slice(1, 1), RangeError);
});

function printing(options: { ringBytes?: number; patienceMs?: number } = {}) {
  const emitted = new Map<string, TerminalPart>();
  const flow: string[] = [];
  const output = createTerminalOutput({
    answer: (reader, part) => void emitted.set(reader, part),
    flow: (go) => void flow.push(go),
    ...options,
  });
  const take = (reader: string) => {
    const part = emitted.get(reader);
    emitted.delete(reader);
    return part;
  };
  return { output, flow, take };
}

test("[PT2] a reader gets what follows its place, waits for more, and is told of a gap and of the end", () => {
  const { output, take } = printing({ ringBytes: 16 });
  output.read("a", { offset: 0, now: true });
  assert.deepEqual(take("a"), { offset: 0, bytes: 0, data: "", total: 0, over: false });
  output.read("a", { offset: 0, now: false });
  assert.equal(take("a"), undefined);
  output.add(Buffer.from("one\n"));
  assert.equal(bytesOf(take("a")).toString(), "one\n");
  output.add(Buffer.from("0123456\n89abcdefgh"));
  output.read("a", { offset: 4, now: false });
  const part = take("a");
  assert.equal(bytesOf(part).toString(), "89abcdefgh", "from the next line on");
  assert.equal(part?.offset, 12);
  output.read("a", { offset: 22, now: false });
  output.end();
  assert.deepEqual(take("a"), { offset: 22, bytes: 0, data: "", total: 22, over: true });
});

test("[PT4a] the program waits for the window that is furthest ahead, and for no other", () => {
  const { output, flow, take } = printing({ ringBytes: 800 });
  output.add(Buffer.alloc(700));
  assert.deepEqual(flow, [], "nobody looks: it goes on");
  output.read("slow", { offset: 0, now: false });
  assert.deepEqual(flow, ["wait"]);
  output.read("quick", { offset: 700, now: false });
  assert.deepEqual(flow, ["wait", "on"]);
  output.add(Buffer.alloc(250));
  assert.equal(take("quick")?.bytes, 250);
  assert.deepEqual(flow, ["wait", "on", "wait"]);
  output.leave("quick");
  output.leave("slow");
  assert.deepEqual(flow.at(-1), "on");
});

test("[PT4a] it waits only so long: a window that stands still stops no program", async () => {
  const { output, flow, take } = printing({ ringBytes: 800, patienceMs: 5 });
  output.read("still", { offset: 0, now: false });
  output.add(Buffer.alloc(300));
  assert.deepEqual(flow, ["wait"]);
  await waitUntil("it to go on", () => flow.length === 2);
  output.add(Buffer.alloc(900));
  assert.deepEqual(flow, ["wait", "on"]);
  take("still");
  output.read("still", { offset: 300, now: false });
  assert.equal(take("still")?.offset, 400, "and finds a gap");
  assert.deepEqual(flow, ["wait", "on", "wait"], "it is waited for again");
});
