// The program as the runner sees it: a process, lines in, lines out.
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { reapMarked } from "../client/reap.ts";
import { parseHostLine, type DoneFrame } from "./frames.ts";
import { spawnHost } from "./spawn-host.ts";
import {
  isAlive,
  pidIn,
  sandboxChoices,
  soon,
  temporaryDirectory,
  waitUntil,
} from "./test-support.ts";

const TREE = `
  sh -c 'trap "" TERM; echo $$ > child; while :; do sleep 1; done' &
  setsid sh -c 'trap "" TERM; echo $$ > escaped; while :; do sleep 1; done' > /dev/null 2>&1 &
  wait`;

async function startHost(workspace: string, sandbox: "off" | "required") {
  const marker = crypto.randomUUID();
  const child = await spawnHost({ workspace, protect: [], mark: crypto.randomUUID(), sandbox });
  const answers = new Map<string, DoneFrame>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const frame = parseHostLine(line);
    if (frame?.kind === "done") answers.set(frame.id, frame);
  });
  const exited = once(child, "exit");
  const sendLine = (line: string) => void child.stdin.write(`${line}\n`);
  return {
    marker,
    child,
    exited,
    sendLine,
    send: (frame: Record<string, unknown>) =>
      sendLine(JSON.stringify({ kind: "call", not_after: String(soon()), marker, ...frame })),
    async answer(id: string): Promise<DoneFrame> {
      await waitUntil(`answer to ${id}`, () => answers.has(id));
      const frame = answers.get(id);
      assert.ok(frame);
      return frame;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
      await reapMarked(marker);
    },
  };
}

function codeOf(frame: DoneFrame): string {
  return frame.ok ? "ok" : frame.error.code;
}

async function runTree(host: Awaited<ReturnType<typeof startHost>>, at: (name: string) => string) {
  host.send({ id: "tree", tool: "exec", input: { command: TREE } });
  return {
    child: await pidIn(at("child"), host.child),
    escaped: await pidIn(at("escaped"), host.child),
  };
}

for (const sandbox of await sandboxChoices()) {
  test(`malformed frames are answered or ignored, and the host goes on (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await writeFile(ws.at("f"), "text");
    await using host = await startHost(ws.path, sandbox);

    for (const line of [
      "",
      "garbage",
      "\u0000\u0001",
      "[]",
      "{}",
      '{"kind":"abort","id":"none"}',
    ]) {
      host.sendLine(line);
    }
    host.sendLine('{"kind":"call","id":"cut","tool":"re');
    host.send({ id: "tool", tool: "format_disk", input: {} });
    host.send({ id: "input", tool: "read", input: 5 });
    host.send({ id: "good", tool: "read", input: { path: "f" } });

    assert.equal(codeOf(await host.answer("cut")), "invalid_request");
    assert.equal(codeOf(await host.answer("tool")), "invalid_request");
    assert.equal(codeOf(await host.answer("input")), "invalid_request");
    assert.equal(codeOf(await host.answer("good")), "ok");
  });

  test(`[X5] a call after its claim ended is refused and has no effect (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = await startHost(ws.path, sandbox);
    const not_after = String(process.hrtime.bigint() - 1n);

    host.send({ id: "w", tool: "write", input: { path: "a/f", content: "x" }, not_after });
    host.send({ id: "e", tool: "exec", input: { command: "touch g" }, not_after });
    host.send({ id: "r", tool: "read", input: { path: "f" }, not_after });

    for (const id of ["w", "e", "r"]) {
      assert.equal(codeOf(await host.answer(id)), "claim_expired");
    }
    assert.deepEqual(await readdir(ws.path), []);
  });

  test(`calls run side by side (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = await startHost(ws.path, sandbox);
    const input = { command: "while [ ! -e go ]; do sleep 0.01; done" };
    host.send({ id: "waits", tool: "exec", input });

    host.send({ id: "goes", tool: "write", input: { path: "go", content: "" } });

    assert.equal(codeOf(await host.answer("goes")), "ok");
    assert.equal(codeOf(await host.answer("waits")), "ok");
  });

  test(`[X4] the end of standard input ends the host and everything it started (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = await startHost(ws.path, sandbox);
    const pids = await runTree(host, ws.at);

    host.child.stdin.end();
    await host.exited;

    assert.deepEqual([isAlive(pids.child), isAlive(pids.escaped)], [false, false]);
  });

  test(`[X7] an abort is confirmed, and one that comes late changes nothing (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    await using host = await startHost(ws.path, sandbox);
    host.send({ id: "long", tool: "exec", input: { command: "touch began; sleep 60" } });
    await waitUntil("the command began", () => existsSync(ws.at("began")));

    host.sendLine('{"kind":"abort","id":"long"}');
    assert.equal(codeOf(await host.answer("long")), "aborted");
    host.sendLine('{"kind":"abort","id":"long"}');
    host.send({ id: "next", tool: "exec", input: { command: "true" } });

    assert.equal(codeOf(await host.answer("next")), "ok");
  });
}

test("[X4] SIGTERM does the same; SIGINT and SIGHUP are for the runner to decide", async () => {
  await using ws = await temporaryDirectory();
  await using host = await startHost(ws.path, "off");
  const pids = await runTree(host, ws.at);

  host.child.kill("SIGINT");
  host.child.kill("SIGHUP");
  host.send({ id: "still", tool: "exec", input: { command: "true" } });
  assert.equal(codeOf(await host.answer("still")), "ok");
  host.child.kill("SIGTERM");
  await host.exited;

  assert.deepEqual([isAlive(pids.child), isAlive(pids.escaped)], [false, false]);
});

test("[X4] when the host is killed its leash ends the command, and the marker finds the rest", async () => {
  await using ws = await temporaryDirectory();
  await using host = await startHost(ws.path, "off");
  const pids = await runTree(host, ws.at);

  host.child.kill("SIGKILL");
  await host.exited;

  await waitUntil("the command's group is dead", () => !isAlive(pids.child));
  assert.equal(isAlive(pids.escaped), true);
  assert.ok((await reapMarked(host.marker)) >= 1);
  assert.equal(isAlive(pids.escaped), false);
  assert.equal(await reapMarked(host.marker), 0);
});
