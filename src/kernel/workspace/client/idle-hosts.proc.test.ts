// Tool hosts that nobody uses are let go. The hosts, their processes and their commands are real.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { until } from "../../../../test/support/until.ts";
import type { IdleHostsOptions } from "./idle-hosts.ts";
import { isAlive, soon, temporaryDirectory } from "../host/test-support.ts";
import type { ToolCallRequest, ToolHost } from "./tool-host/client.ts";
import { toolHosts } from "./tool-hosts.ts";

const NEVER_MS = 3_600_000;
const SOON_MS = 40;

async function places(names: readonly string[], idle: IdleHostsOptions) {
  const ws = await temporaryDirectory();
  for (const name of ["home", ...names]) await mkdir(ws.at(name));
  const hosts = toolHosts({ home: ws.at("home"), sandbox: "off", idle });
  return {
    at: ws.at,
    host: (name: string) => hosts.forWorkspace(ws.at(name), { network: false }),
    async [Symbol.asyncDispose]() {
      await hosts[Symbol.asyncDispose]();
      await ws[Symbol.asyncDispose]();
    },
  };
}

function request(tool: ToolCallRequest["tool"], input: unknown, marker = "run_a"): ToolCallRequest {
  return { tool, input, marker, notAfter: soon(), signal: new AbortController().signal };
}

/** The host's process, after a call that was answered. */
async function used(host: ToolHost, marker?: string): Promise<number> {
  const answer = await host.call(request("write", { path: "f", content: "" }, marker));
  assert.ok(answer.ok, JSON.stringify(answer));
  return host.pid ?? assert.fail("it has no process");
}

const gone = (host: ToolHost, pid: number) =>
  until(() => host.pid === undefined && !isAlive(pid), "the host to be let go");

test("[R12a, R12c] a host that nobody uses is let go, and starts again with its next call", async () => {
  await using place = await places(["a"], { idleMs: SOON_MS });
  const host = place.host("a");
  const first = await used(host);
  await gone(host, first);
  assert.notEqual(await used(host), first);
  assert.equal(place.host("a"), host, "there is one host for a workspace");
});

test("[R12a] a host is kept while a run that used it goes on", async () => {
  const held = new Set(["run_b"]);
  await using place = await places(["a", "b"], {
    idleMs: SOON_MS,
    isHeld: (runId) => held.has(runId),
  });
  const [a, b] = [place.host("a"), place.host("b")];
  const [first, second] = [await used(a, "run_a"), await used(b, "run_b")];
  await gone(a, first);
  assert.equal(b.pid, second);
  held.clear();
  await gone(b, second);
});

test("[R12a] a host with a call, a command in the background or a pipe is never let go", async () => {
  await using place = await places(["call", "background", "pipe", "other"], { idleMs: SOON_MS });
  const [call, background, pipe] = [
    place.host("call"),
    place.host("background"),
    place.host("pipe"),
  ];
  const waits = "touch began; until [ -e end ]; do sleep 0.05; done";
  const calling = call.call(request("exec", { command: waits }));
  await background.call(request("exec", { command: waits, background: true }));
  const opened = await pipe.open({
    command: "cat",
    args: [],
    env: {},
    marker: "run_a",
    notAfter: soon(),
  });
  await until(() => existsSync(place.at("call/began")), "the call to begin");
  const pids = [call, background, pipe].map(({ pid }) => pid);
  for (let round = 0; round < 2; round += 1) {
    const other = place.host("other");
    await gone(other, await used(other)); // there was time enough for the three, too
  }
  assert.deepEqual(
    [call, background, pipe].map(({ pid }) => pid),
    pids,
  );

  for (const name of ["call", "background"]) await writeFile(place.at(`${name}/end`), "");
  assert.equal((await calling).ok, true);
  await opened.kill();
  for (const [at, host] of [call, background, pipe].entries()) await gone(host, pids[at] ?? 0);
});

test("[R12b] of more hosts than there may be, the one that was used longest ago goes first", async () => {
  await using place = await places(["a", "b", "c", "d"], { idleMs: NEVER_MS, most: 2 });
  const [a, b, c, d] = ["a", "b", "c", "d"].map(place.host) as [
    ToolHost,
    ToolHost,
    ToolHost,
    ToolHost,
  ];
  const waits = "touch began; until [ -e end ]; do sleep 0.05; done";
  const calling = a.call(request("exec", { command: waits })); // used longest ago, and it works
  await until(() => existsSync(place.at("a/began")), "the call to begin");
  const working = a.pid;
  const second = await used(b);
  const third = await used(c);
  await gone(b, second);
  await used(d);
  await gone(c, third);
  assert.deepEqual([a.pid, b.pid, c.pid], [working, undefined, undefined]);
  assert.ok(d.pid);
  await writeFile(place.at("a/end"), "");
  assert.equal((await calling).ok, true);
});
