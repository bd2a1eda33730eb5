// A command that takes too much is stopped, alone and as a whole, with and without a sandbox.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { LONG } from "../../../../test/support/tries.ts";
import { startToolHost, type ToolHost } from "../client/tool-host/client.ts";
import { RUN_MARK } from "./environment.ts";
import { findMarked } from "../processes/marked-processes.ts";
import { processTable } from "../processes/table.ts";
import {
  descendants,
  sandboxChoices,
  soon,
  temporaryDirectory,
  waitUntil,
} from "../host/test-support.ts";

const never = new AbortController().signal;
const HOG = `${process.execPath} -e 'const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1))'`;

async function run(host: ToolHost, command: string, marker: string = crypto.randomUUID()) {
  const input = { command, timeout_s: 30 };
  const answer = await host.call({ tool: "exec", input, marker, notAfter: soon(), signal: never });
  assert.ok(answer.ok, JSON.stringify(answer));
  assert.deepEqual(await findMarked({ name: RUN_MARK, value: marker }), []);
  return answer.result;
}

/** The last one is the hardest to find all of. */
const BOMBS = {
  ...(LONG && {
    "doubling, in one group": "b() { b | b & }; b; sleep 20",
    "a loop of shells": `while :; do sh -c "sleep 100" & done`,
  }),
  "in sessions of their own": `while :; do setsid sh -c "sleep 100" > /dev/null 2>&1 & done`,
};

for (const sandbox of await sandboxChoices()) {
  for (const [kind, bomb] of Object.entries(BOMBS)) {
    test(`[R9c, S] a fork bomb (${kind}) is stopped; host and other calls go on (sandbox ${sandbox})`, async () => {
      await using ws = await temporaryDirectory();
      await using host = startToolHost({ workspace: ws.path, protect: [], sandbox });
      await run(host, "true");
      const before = processTable().length;
      const other = run(host, "sleep 2 & echo > started; wait; echo done");
      await waitUntil("the other one runs", () => existsSync(ws.at("started")));

      const result = await run(host, bomb);

      // Where the kernel's cap on tasks comes before our look, the shell gives up by itself: "Cannot fork".
      const gaveUp = result["limit"] === undefined && result["exit_code"] !== 0;
      assert.equal(result["ok"], false);
      assert.ok(result["limit"] === "processes" || gaveUp, JSON.stringify(result));
      const bystander = await other;
      assert.equal(bystander["ok"], true, JSON.stringify(bystander));
      assert.equal((await run(host, "true"))["ok"], true);
      const running = () => processTable().filter(({ state }) => !"ZX".includes(state)).length;
      await waitUntil("the machine is as before", () => running() < before + 50);
    });
  }

  test(`[S] a command that eats memory is stopped, and says so (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    const limits = { memoryMb: 300, processes: 512 };
    await using host = startToolHost({ workspace: ws.path, protect: [], sandbox, limits });
    const other = run(host, "sleep 1");

    const hog = await run(host, HOG);
    const several = await run(host, `${HOG} & ${HOG} & wait`);
    const small = await run(host, `${process.execPath} -e 'Buffer.alloc(100 << 20, 1)'`);

    assert.deepEqual(
      [hog["limit"], several["limit"], small["limit"]],
      ["memory", "memory", undefined],
    );
    assert.equal((await other)["ok"], true);
    assert.equal(small["ok"], true);
    assert.ok(descendants(host.pid ?? 0).length < 6);
  });
}

if ((await sandboxChoices()).includes("required")) {
  test("[S] what one command leaves behind is not counted against another", async () => {
    await using ws = await temporaryDirectory();
    const limits = { memoryMb: 4_096, processes: 20 };
    await using host = startToolHost({
      workspace: ws.path,
      protect: [],
      sandbox: "required",
      limits,
    });
    const other = run(host, "echo > started; while ! test -e go; do sleep 0.02; done; sleep 0.5");
    await waitUntil("the other one runs", () => existsSync(ws.at("started")));

    // Without mark, group and parent nobody can tell whose they are.
    const stray = "env -i setsid sleep 60 > /dev/null 2>&1 &";
    const left = await run(host, `for i in $(seq 30); do ${stray} done; exit 3`);

    // On a busy machine it is seen with too many before it ends: also then they are its own.
    assert.ok(left["exit_code"] === 3 || left["limit"] === "processes", JSON.stringify(left));
    writeFileSync(ws.at("go"), "");
    const bystander = await other;
    assert.equal(bystander["ok"], true, JSON.stringify(bystander));
  });

  test("[S] memory cannot be had as files either: what is writable inside is bounded", async () => {
    await using ws = await temporaryDirectory();
    const limits = { memoryMb: 64, processes: 512 };
    await using host = startToolHost({
      workspace: ws.path,
      protect: [],
      sandbox: "required",
      limits,
    });

    const places = ["/tmp", "/dev/shm", "~"].map((path) => `head -c 100M /dev/zero > ${path}/x`);
    const result = await run(
      host,
      `${places.join("; ")}; du -smx /tmp /dev/shm ~ | awk '{s+=$1} END {exit s < 62 ? 0 : 1}'`,
    );

    assert.equal(result["exit_code"], 0);
  });
}
