import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { test } from "node:test";
import { exec } from "./exec.ts";
import { isAlive, pidIn, refusedWith, temporaryDirectory, testCall } from "../host/test-support.ts";

test("a command's output, exit code and byte counts are reported", async () => {
  await using ws = await temporaryDirectory();
  const call = testCall(ws.path);

  const result = await exec({ command: "echo out; echo err >&2; exit 3" }, call);

  const { duration_ms, ...rest } = result;
  assert.ok(typeof duration_ms === "number");
  assert.deepEqual(rest, {
    ok: false,
    exit_code: 3,
    signal: null,
    timed_out: false,
    stdout_bytes: 4,
    stderr_bytes: 4,
  });
  assert.deepEqual(call.printed, { stdout: "out\n", stderr: "err\n" });
});

test("a command runs in the workspace, or in a directory of it", async () => {
  await using ws = await temporaryDirectory();
  await mkdir(ws.at("sub"));
  const call = testCall(ws.path);

  await exec({ command: "pwd; cat" }, call); // standard input is empty, not a terminal
  await exec({ command: "pwd", cwd: "sub" }, call);

  assert.equal(call.printed.stdout, `${ws.path}\n${ws.path}/sub\n`);
  for (const cwd of ["..", "/", "/etc"]) {
    await assert.rejects(exec({ command: "pwd", cwd }, call), refusedWith("outside_workspace"));
  }
  await assert.rejects(exec({ command: "pwd", cwd: "gone" }, call), refusedWith("not_found"));
});

test("[S] a command sees an allow-listed environment only", async () => {
  await using ws = await temporaryDirectory();
  process.env["QUARTERDECK_API_KEY"] = "hunter2";
  process.env["LC_TEST"] = "C";
  const call = testCall(ws.path);

  await exec({ command: "env" }, call);

  delete process.env["QUARTERDECK_API_KEY"];
  delete process.env["LC_TEST"];
  assert.match(call.printed.stdout, /^QUARTERDECK_RUN=/m);
  assert.match(call.printed.stdout, /^LC_TEST=C$/m);
  assert.doesNotMatch(call.printed.stdout, /hunter2|NODE_/);
});

test("a command over its time is stopped and says so", async () => {
  await using ws = await temporaryDirectory();
  const call = testCall(ws.path);

  const result = await exec({ command: "echo before; sleep 60", timeout_s: 0.3 }, call);

  assert.deepEqual(
    [result["ok"], result["timed_out"], result["signal"], call.printed.stdout],
    [false, true, "SIGTERM", "before\n"],
  );
});

test("[X7] an abort ends the whole tree, also a grandchild that ignores TERM or left the group", async () => {
  await using ws = await temporaryDirectory();
  const call = testCall(ws.path);
  const command = `
    sh -c 'trap "" TERM; echo $$ > stubborn; while :; do sleep 1; done' &
    setsid sh -c 'trap "" TERM; echo $$ > escaped; while :; do sleep 1; done' &
    wait`;
  const running = exec({ command }, call);
  const pids = [await pidIn(ws.at("stubborn")), await pidIn(ws.at("escaped"))];

  call.abort.abort();

  await assert.rejects(running, refusedWith("aborted"));
  assert.deepEqual(pids.filter(isAlive), []);
});

test("[X4] what a finished command left running is ended with it", async () => {
  await using ws = await temporaryDirectory();
  const call = testCall(ws.path);
  const command = `
    sh -c 'echo $$ > holds-pipe; exec sleep 60' &
    sh -c 'echo $$ > silent; exec sleep 60' > /dev/null 2>&1 &
    while [ ! -s silent ] || [ ! -s holds-pipe ]; do :; done`;

  const result = await exec({ command }, call);

  assert.equal(result["ok"], true);
  const pids = [await pidIn(ws.at("holds-pipe")), await pidIn(ws.at("silent"))];
  assert.deepEqual(pids.filter(isAlive), []);
});

test("a shell that cannot be started is spawn_failed", async () => {
  await using ws = await temporaryDirectory();
  const command = `: ${"x".repeat(4_000_000)}`; // longer than the kernel takes as one argument

  await assert.rejects(exec({ command }, testCall(ws.path)), refusedWith("spawn_failed"));
});

test("a timeout out of range and a command with NUL are refused", async () => {
  await using ws = await temporaryDirectory();
  for (const input of [
    { command: "true", timeout_s: 3_601 },
    { command: "true", timeout_s: "5" },
    { command: "true\0; rm -rf ." },
    { command: "" },
  ]) {
    await assert.rejects(exec(input, testCall(ws.path)), refusedWith("invalid_request"));
  }
});
