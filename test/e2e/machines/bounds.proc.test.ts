// Output without end in bounded memory: the journal gets head, tail, count and hash, the rest is a
// blob that can be read in part.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { startRun, type Server } from "../../support/http.ts";
import { newTestHome, startProgram } from "../../support/program.ts";
import { approve, eventsOf } from "../../support/runs.ts";

const MB = 1_000_000;

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

function readBlob({ url, token }: Server, sha256: string, range?: string) {
  const headers = { authorization: `Bearer ${token}`, ...(range && { range }) };
  return fetch(`${url}/api/blobs/${sha256}`, { headers });
}

async function execute(program: Server, command: string, watch: () => void = () => {}) {
  const { run_id } = await startRun(program, `pace 0\nexec ${command}`);
  await approve(program, run_id);
  const { events } = await followRun(() => program, run_id, { onFrame: watch });
  const [done] = eventsOf(events, "tool.done");
  assert.ok(done);
  return { done: done.payload, events };
}

test("[B1, E9] a command that prints 300 MB: bounded memory, head, tail, count, hash, and a blob", async () => {
  using place = newTestHome();
  await using program = await startProgram(place);
  const { pid } = (await program.status()).runners[0] ?? { pid: 0 };
  const line = `${"0123456789".repeat(10)}\n`;
  const lines = 3 * MB;
  await execute(program, "echo warm"); // the tool host and everything it loads are there now
  const before = residentMb(pid);
  let most = 0;
  const sample = setInterval(() => (most = Math.max(most, residentMb(pid))), 20);
  const { done, events } = await execute(program, `yes ${line.trim()} | head -n ${lines}`);
  clearInterval(sample);

  assert.ok(most > 0 && most - before < 100, `the runner grew from ${before} to ${most} MB`);
  const { head, tail, bytes, sha256, truncated } = done.output;
  assert.equal(bytes, line.length * lines);
  assert.equal(truncated, true);
  const text = line.repeat(200);
  assert.equal(head, text.repeat(2).slice(0, head.length));
  assert.ok(head.length >= 8_192 && head.length <= 65_536);
  assert.ok(tail.length >= 8_192 && text.repeat(2).endsWith(tail));
  const shown = eventsOf(events, "tool.updated").reduce(
    (sum, { payload }) => sum + payload.delta.length,
    0,
  );
  assert.ok(shown > 0 && shown < MB, `windows saw ${shown} characters live`);

  const whole = await readBlob(program, sha256 as string);
  const hash = createHash("sha256");
  let total = 0;
  for await (const chunk of whole.body ?? []) {
    hash.update(chunk as Uint8Array);
    total += (chunk as Uint8Array).byteLength;
  }
  assert.ok(total >= 64 * MB && total < 68 * MB, `${total} bytes of it are kept (SB7)`);
  assert.equal(hash.digest("hex"), sha256);
  assert.match(whole.headers.get("content-disposition") ?? "", /^attachment/);

  const part = await readBlob(program, sha256 as string, `bytes=${total - 101}-`);
  assert.equal(part.status, 206);
  assert.equal(await part.text(), line);
  const middle = await readBlob(program, sha256 as string, "bytes=101-201");
  assert.equal(await middle.text(), line);
  const beyond = await readBlob(program, sha256 as string, `bytes=${bytes}-`);
  assert.equal(beyond.status, 416);
});

test("[B1] one line of 50 MB without an end, and output that is no text", async () => {
  using place = newTestHome();
  await using program = await startProgram(place);
  const { done } = await execute(program, "head -c 50000000 /dev/zero | tr '\\0' x");
  assert.equal(done.output.bytes, 50_000_000);
  assert.match(done.output.head, /^x+$/);
  assert.match(done.output.tail, /^x+$/);

  const noise = await execute(program, "head -c 3000000 /dev/urandom");
  assert.equal(noise.done.output.bytes, 3_000_000);
  assert.equal(noise.done.status, "completed");
  for (const { payload } of noise.events) assert.ok(JSON.stringify(payload).isWellFormed());
});

test("[E9] what fits is in the event, whole, without a blob", async () => {
  using place = newTestHome();
  await using program = await startProgram(place);
  const { done } = await execute(program, "seq 1 1000");
  const text = Array.from({ length: 1000 }, (_, index) => `${index + 1}\n`).join("");
  const { head, tail, bytes, truncated } = done.output;
  assert.deepEqual(
    { head, tail, bytes, truncated },
    {
      head: text,
      tail: "",
      bytes: text.length,
      truncated: false,
    },
  );
});
