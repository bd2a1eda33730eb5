// Background commands as a run sees them: journal, tool host and processes are real.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { fileAgent } from "../../../../test/support/models/file-agent.ts";
import { RUN_MARK } from "../../workspace/sandbox/environment.ts";
import { findMarked } from "../../workspace/processes/marked-processes.ts";
import { temporaryDirectory, waitUntil } from "../../workspace/host/test-support.ts";
import { execTool } from "./exec.ts";
import { processTool } from "./process.ts";

type Agent = Awaited<ReturnType<typeof fileAgent>>;

async function started(agent: Agent, command: string): Promise<string> {
  const { result } = await agent.call(execTool, { command, background: true });
  assert.ok(result.ok, JSON.stringify(result));
  return (result.result as { process_id: string }).process_id;
}

type Answer = Record<string, unknown> & { error: string | undefined; text: string | undefined };

async function ask(agent: Agent, input: Record<string, unknown>): Promise<Answer> {
  const { result } = await agent.call(processTool, input);
  return {
    ...(result.result as Record<string, unknown>),
    error: result.error?.code,
    text: result.output?.head,
  };
}

test("[R12] a background command is journaled, read, written to and ended", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await fileAgent(ws.path);
  const id = await started(agent, "echo up; while read -r line; do echo got $line; done; exit 3");
  assert.deepEqual(
    agent.log().state.processes.map(({ processId, status }) => [processId, status]),
    [[id, "running"]],
  );

  await ask(agent, { action: "input", process_id: id, data: "one\ntwo\n" });
  await waitUntil("it answered", async () =>
    ((await ask(agent, { action: "log", process_id: id })).text ?? "").endsWith("got two\n"),
  );
  const part = await ask(agent, { action: "log", process_id: id, offset: 3 });
  const tail = await ask(agent, { action: "log", process_id: id, tail: 4 });
  assert.deepEqual([part.text, tail.text], ["got one\ngot two\n", "two\n"]);
  await ask(agent, { action: "input", process_id: id, close: true });
  await waitUntil("it ended", async () => {
    await ask(agent, { action: "list" });
    return agent.log().state.processes[0]?.status === "exited";
  });

  assert.equal(agent.log().state.processes[0]?.exitCode, 3);
  const after = await ask(agent, { action: "log", process_id: id });
  assert.deepEqual([after.text, after["exit_code"]], ["up\ngot one\ngot two\n", 3]);
  const closed = await ask(agent, { action: "input", process_id: id, data: "x" });
  assert.equal(closed.error, "invalid_request");
});

test("[X7] kill ends what ignores TERM, with everything it started, and the end is journaled", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await fileAgent(ws.path);
  const stubborn = 'trap "" TERM; setsid sleep 60 & touch up; while :; do sleep 1; done';
  const id = await started(agent, stubborn);
  await waitUntil("it is up", () => existsSync(ws.at("up")));

  const killed = await ask(agent, { action: "kill", process_id: id });

  assert.deepEqual([killed["running"], killed["signal"]], [false, "SIGKILL"]);
  assert.equal(agent.log().state.processes[0]?.status, "exited");
  assert.deepEqual(await findMarked({ name: RUN_MARK, value: agent.runId }), []);
});

test("[X4] a process whose host died is lost, which is said and journaled", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await fileAgent(ws.path);
  const id = await started(agent, "sleep 60");
  const host = agent.hosts.forWorkspace(ws.path, { network: false });

  process.kill(host.pid ?? 0, "SIGKILL");
  await waitUntil(
    "it is gone",
    async () => (await findMarked({ name: RUN_MARK, value: agent.runId })).length === 0,
  );
  await waitUntil("the host is noticed to be gone", () => host.pid === undefined);

  const log = await ask(agent, { action: "log", process_id: id });
  assert.equal(log.error, "process_lost");
  assert.equal(agent.log().state.processes[0]?.status, "exited");
  const other = await ask(agent, { action: "kill", process_id: "p_other" });
  assert.equal(other.error, "not_found");
});

test("[B1] output without end costs its ring: the last 256 KiB and the count are kept", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await fileAgent(ws.path);
  const id = await started(agent, "head -c 20000000 /dev/zero | tr '\\0' x; echo end; sleep 60");
  const read = (more: object) => ask(agent, { action: "log", process_id: id, ...more });
  await waitUntil("all was printed", async () => (await read({}))["output_bytes"] === 20_000_004);

  const first = await read({ offset: 0 });
  assert.equal(first["offset"], 20_000_004 - 262_144);
  assert.equal(first.text?.length, 65_536);
  assert.equal((await read({ tail: 6 })).text, "xxend\n");
});

test("[R12, B4] at most sixteen at a time, and all of them end when the run's are ended", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await fileAgent(ws.path);
  for (let count = 0; count < 16; count += 1) await started(agent, "sleep 60");

  const { result } = await agent.call(execTool, { command: "sleep 60", background: true });
  assert.match(result.error?.message ?? "", /16 processes run already/);
  const host = agent.hosts.forWorkspace(ws.path, { network: false });
  const notAfter = 0n; // ending is never too late
  await host.call({
    tool: "process",
    input: { action: "kill_all" },
    marker: agent.runId,
    notAfter,
    signal: new AbortController().signal,
  });

  assert.deepEqual(await findMarked({ name: RUN_MARK, value: agent.runId }), []);
});

test("[S] what is typed into a process asks like a command; looking and ending reach for nothing", () => {
  const input = { action: "input", process_id: "pn_1", data: "rm -rf ." };
  assert.deepEqual(processTool.access?.(input), [
    { kind: "execute", command: "rm -rf .", network: true, protected: false },
  ]);
  for (const action of ["list", "log", "kill"]) {
    assert.deepEqual(processTool.access?.({ action, process_id: "p_1" }), []);
  }
});

test("a result names the files of the command line that are there, and nothing outside", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await fileAgent(ws.path);
  await agent.call(execTool, { command: "mkdir sub; touch a.txt 'sub/b c.md'" });

  const { result } = await agent.call(execTool, {
    command: `cat ./a.txt "sub/b c.md" /etc/passwd ../x gone.txt > ${ws.at("a.txt")}.out; true`,
  });

  const { mentioned_paths, truncated } = result.result as Record<string, unknown>;
  assert.deepEqual(mentioned_paths, [
    { path: "./a.txt", viewerPath: "a.txt" },
    { path: "sub/b c.md", viewerPath: "sub/b c.md" },
    { path: ws.at("a.txt.out"), viewerPath: "a.txt.out" },
  ]);
  assert.equal(truncated, false);
});
