import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { kill } from "../../../../../test/support/kill.ts";
import { startToolHost, type ToolCallRequest, type ToolHostResult } from "./client.ts";
import { RUN_MARK } from "../../sandbox/environment.ts";
import { findMarked } from "../../processes/marked-processes.ts";
import {
  descendants,
  isAlive,
  pidIn,
  programPid,
  sandboxChoices,
  soon,
  temporaryDirectory,
  waitUntil,
} from "../../host/test-support.ts";

const never = new AbortController().signal;
const FOREVER = `sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 1; done'`;

function request(
  tool: ToolCallRequest["tool"],
  input: unknown,
  extra: Partial<ToolCallRequest> = {},
): ToolCallRequest {
  return { tool, input, marker: crypto.randomUUID(), notAfter: soon(), signal: never, ...extra };
}

function codeOf(result: ToolHostResult): string {
  return result.ok ? "ok" : result.error.code;
}

function kilobytes(pid: number, field: "VmHWM" | "VmRSS"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
}

for (const sandbox of await sandboxChoices()) {
  test(`files and commands go through one host, started by the first call (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = startToolHost({ workspace: ws.path, protect: [], sandbox });
    assert.equal(host.pid, undefined);
    let printed = "";
    const onOutput = ({ data }: { data: Buffer }) => void (printed += data.toString());

    await host.call(request("write", { path: "f", content: "hello" }));
    const ran = await host.call(request("exec", { command: "cat f" }, { onOutput }));
    const read = await host.call(request("read", { path: "../f" }));

    assert.equal(printed, "hello");
    assert.equal(ran.ok && ran.result["exit_code"], 0);
    assert.equal(codeOf(read), "outside_workspace");
    assert.ok(host.pid);
  });

  test(`[D8] the directories to protect reach the host; one that is missing fails closed (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await mkdir(ws.at("home"));
    await writeFile(ws.at("home/journal.db"), "");
    await using host = startToolHost({ workspace: ws.path, protect: [ws.at("home")], sandbox });
    await using open = startToolHost({ workspace: ws.path, protect: [ws.at("gone")], sandbox });

    assert.equal(
      codeOf(await host.call(request("read", { path: "home/journal.db" }))),
      "protected",
    );
    assert.equal(codeOf(await open.call(request("read", { path: "f" }))), "spawn_failed");
  });

  test(`[B1] [B4] 200 MB of output pass in bounded memory, and wait for whoever takes them (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = startToolHost({ workspace: ws.path, protect: [], sandbox });
    await host.call(request("exec", { command: "true" }));
    const before = kilobytes(programPid(host), "VmRSS");
    const released = Promise.withResolvers<void>();
    let taken = 0;
    const onOutput = async ({ data }: { data: Buffer }) => {
      await released.promise;
      taken += data.length;
    };
    const command = "echo $$ > pid; exec head -c 200000000 /dev/zero";

    const running = host.call(request("exec", { command }, { onOutput }));
    const pid = await pidIn(ws.at("pid"), host);
    const written = () => Number(/wchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
    let last = -1;
    let same = 0;
    await waitUntil("the command stands still", () => {
      same = written() === last && last > 65_536 ? same + 1 : 0;
      last = written();
      return same > 2_000;
    });
    assert.ok(last < 8_000_000, `wrote ${last} bytes to a runner that takes none`);
    released.resolve();

    const result = await running;
    assert.equal(result.ok && result.result["stdout_bytes"], 200_000_000);
    assert.equal(taken, 200_000_000);
    const grown = kilobytes(programPid(host), "VmHWM") - before;
    assert.ok(grown < 64 * 1024, `the host grew by ${grown} kB`);
  });

  test(`[X7] an abort ends the command and is confirmed (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = startToolHost({ workspace: ws.path, protect: [], sandbox });
    const abort = new AbortController();
    const running = host.call(request("exec", { command: FOREVER }, { signal: abort.signal }));
    const pid = await pidIn(ws.at("pid"), host);

    abort.abort();

    assert.equal(codeOf(await running), "aborted");
    assert.equal(isAlive(pid), false);
    const late = await host.call(
      request("exec", { command: "touch late" }, { signal: abort.signal }),
    );
    assert.deepEqual([codeOf(late), existsSync(ws.at("late"))], ["aborted", false]);
  });

  test(`[X3] a host that dies leaves its calls unknown, none of its processes, and a fresh host (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = startToolHost({ workspace: ws.path, protect: [], sandbox });
    const running = host.call(request("exec", { command: `setsid ${FOREVER}` }));
    const pid = await pidIn(ws.at("pid"), host);
    const first = host.pid ?? 0;

    process.kill(first, "SIGKILL");
    const next = host.call(request("exec", { command: "true" }));

    assert.equal(codeOf(await running), "host_died");
    assert.equal(isAlive(pid), false);
    await next; // may have met the dying host: then it is unknown too
    assert.equal(codeOf(await host.call(request("exec", { command: "true" }))), "ok");
    assert.notEqual(host.pid, first);
  });

  test(`[X7] a host that does not confirm an abort is killed (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = startToolHost({ workspace: ws.path, protect: [], sandbox });
    const abort = new AbortController();
    const running = host.call(request("exec", { command: FOREVER }, { signal: abort.signal }));
    const pid = await pidIn(ws.at("pid"), host);

    for (const { pid: below } of descendants(host.pid ?? 0)) kill(below, "SIGSTOP"); // a sleep may just have ended
    process.kill(host.pid ?? 0, "SIGSTOP");
    abort.abort();

    assert.equal(codeOf(await running), "host_died");
    assert.equal(isAlive(pid), false);
  });

  test(`output nobody could take aborts the command, and the call fails with the reason (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = startToolHost({ workspace: ws.path, protect: [], sandbox });
    const marker = crypto.randomUUID();
    const onOutput = () => Promise.reject(new Error("fenced"));

    const running = host.call(
      request("exec", { command: `echo x; ${FOREVER}` }, { onOutput, marker }),
    );

    await assert.rejects(running, /fenced/);
    assert.deepEqual(await findMarked({ name: RUN_MARK, value: marker }), []);
  });

  test(`[X4] closing the host ends its commands, even while output waits (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    const host = startToolHost({ workspace: ws.path, protect: [], sandbox });
    const onOutput = () => Promise.withResolvers<void>().promise;
    const running = host.call(request("exec", { command: `echo x; ${FOREVER}` }, { onOutput }));
    const pid = await pidIn(ws.at("pid"), host);

    await host[Symbol.asyncDispose]();

    assert.equal(codeOf(await running), "host_died");
    assert.equal(isAlive(pid), false);
    assert.equal(codeOf(await host.call(request("exec", { command: "true" }))), "spawn_failed");
  });

  test(`[X4] no tool process outlives its runner (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    const runner = `
    const { startToolHost } = await import(${JSON.stringify(import.meta.resolve("./tool-host-client.ts"))});
    const host = startToolHost({ workspace: ${JSON.stringify(ws.path)}, protect: [], sandbox: "${sandbox}" });
    const command = ${JSON.stringify(FOREVER)};
    const notAfter = process.hrtime.bigint() + 60_000_000_000n;
    const call = host.call({ tool: "exec", input: { command }, marker: "m", notAfter, signal: new AbortController().signal });
    setInterval(() => host.pid && console.log(host.pid), 10);
    await call;`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", runner], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const pid = Number.parseInt(line.toString(), 10);
    const pids = [pid, await pidIn(ws.at("pid"), { pid })];
    assert.deepEqual(pids.map(isAlive), [true, true]);

    child.kill("SIGKILL");
    await exited;

    await waitUntil("host and command are dead", () => !pids.some(isAlive));
  });
}
