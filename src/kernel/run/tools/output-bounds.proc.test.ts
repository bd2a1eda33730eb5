// Output without end, through the tool host and into a blob, measured in the process that takes it.
import assert from "node:assert/strict";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { blobStore } from "../../blobs/blobs.ts";
import { startToolHost } from "../../workspace/client/tool-host/client.ts";
import { sandboxChoices, soon, temporaryDirectory } from "../../workspace/host/test-support.ts";
import { LONG } from "../../../../test/support/tries.ts";
import { boundedOutput } from "./bounded-output.ts";

const MB = 1_000_000;
const LIMIT = 64 << 20;
const sandbox = (await sandboxChoices()).at(-1) ?? "off";

const size = LONG ? 1_000 : 120; // MB
const OUTPUTS = {
  [`${size} MB in lines`]: `yes 0123456789abcdef | head -c ${size * MB}`,
  [`one line of ${size} MB`]: `head -c ${size * MB} /dev/zero | tr '\\0' x`,
};
const bytes = size * MB;

const WARM_UP = "head -c 50000000 /dev/zero";

for (const [what, command] of Object.entries(OUTPUTS)) {
  test(`[B1, B4] ${what}: the runner and the disk grow by 64 MB at most (A10)`, async (t) => {
    await using ws = await temporaryDirectory();
    await mkdir(ws.at("blobs"));
    await using host = startToolHost({ workspace: ws.path, protect: [], sandbox });
    const call = { marker: "m", notAfter: soon(), signal: new AbortController().signal };
    let most = 0;
    const taken = async (shell: string) => {
      const output = boundedOutput({ blobs: blobStore(ws.at("blobs")), redactor: undefined });
      const answer = await host.call({
        tool: "exec",
        input: { command: shell, timeout_s: 120 },
        ...call,
        onOutput: async ({ data }) => {
          await output.add(data);
          most = Math.max(most, process.memoryUsage.rss());
        },
      });
      const kept = await output.finish();
      return { answer, kept, leftOut: output.leftOut() };
    };
    await taken(WARM_UP); // what Node itself grows by when it first works
    const before = process.memoryUsage.rss();

    const began = performance.now();
    const { answer, kept, leftOut } = await taken(command);

    assert.ok(answer.ok && answer.result["stdout_bytes"] === bytes);
    assert.deepEqual([kept.bytes, kept.truncated], [bytes, true]);
    const blob = join(ws.at("blobs"), (kept.sha256 ?? "").slice(0, 2), kept.sha256 ?? "");
    const flat = ws.at(join("blobs", kept.sha256 ?? ""));
    const { size } = await stat(blob).catch(() => stat(flat));
    assert.ok(size <= LIMIT + 100 && size > LIMIT - 100, `${size} bytes on disk`);
    assert.equal(leftOut, bytes - LIMIT);
    const grown = (most - before) / MB;
    t.diagnostic(`grew by ${grown.toFixed(1)} MB in ${Math.round(performance.now() - began)} ms`);
    assert.ok(grown <= 64, `grew by ${grown} MB`);
  });
}
