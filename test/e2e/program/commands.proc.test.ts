// Every command, run as a person would run it, and what it promises to scripts.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import { usableUrl } from "../../../src/cli/login-link.ts";
import { VERSION } from "../../../src/kernel/events/version.ts";
import { journalsMade, ON_POSTGRES } from "../../support/backend.ts";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import {
  MAIN,
  newTestHome,
  quarterdeck,
  ROOT,
  startProgram,
  type TestHome,
  type Status,
} from "../../support/program.ts";
import { rawSql } from "../../support/journal/raw-journal.ts";
import { answerOf, isRunning } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

const at = (place: TestHome) => ["--home", place.home, "--workspace", place.workspace];

test("run prints the answer, events or nothing, and its exit code tells the outcome", async () => {
  using place = newTestHome({ demo_delay_ms: 0 });
  const run = (...args: string[]) => quarterdeck(["run", ...args, ...at(place)]);
  const text = await run("think quietly\nsay hello there");
  assert.deepEqual([text.code, text.stdout, text.stderr], [0, "hello there\n", ""]);
  const quiet = await run("say hello", "--quiet");
  assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [0, "", ""]);

  const json = await run("say hello", "--json", "--session", "sess_cli");
  const events = json.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RunEvent);
  assert.equal(json.code, 0);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  assert.deepEqual(answerOf(events), ["hello"]);
  assert.equal(events[0]?.session_id, "sess_cli");
  assert.equal(events.at(-1)?.type, "done");

  const failed = await run("say before\nfail it broke");
  assert.equal(failed.code, 1);
  assert.equal(failed.stdout, "before");
  assert.match(failed.stderr, /model_bad_request: it broke\n/);
  const bare = await run();
  assert.deepEqual([bare.code, bare.stdout], [2, ""]);
  assert.match(bare.stderr, /^What should be done\? [^\n]+\n$/);
});

test("[X8] run without a terminal never answers for a person: exit 4, and the run waits", async () => {
  using place = newTestHome({ demo_delay_ms: 0 });
  const parked = await quarterdeck(["run", "exec echo ran > ledger\nsay after", ...at(place)]);
  assert.equal(parked.code, 4);
  assert.match(parked.stderr, /Allow exec\? echo ran > ledger\n.*waits for an answer/s);
  await using program = await openPair(place);
  const { body } = await call<{ pending: { request_id: string; run_id: string }[] }>(
    program,
    "GET",
    "/api/pending",
  );
  const [request] = body.data.pending;
  assert.equal(body.data.pending.length, 1);
  const path = `/api/runs/${request?.run_id}/approvals/${request?.request_id}`;
  await call(program, "POST", path, { choice: "deny" });
  const { events } = await followRun(() => program, request?.run_id as string);
  assert.deepEqual(answerOf(events), ["That did not work (exec); I go on.\nafter"]);
});

test("[C4a] Ctrl+C in run cancels the run and keeps what was said: exit 130", async () => {
  using place = newTestHome();
  await journalsMade();
  const child = spawn(process.execPath, [MAIN, "run", "pace 5\ncount 2000", ...at(place)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await until(() => printed.includes("20 "), "some of the answer");
  child.kill("SIGINT");
  const [code] = (await once(child, "exit")) as [number];
  assert.equal(code, 130);
  assert.match(printed, /^1 2 3 /);
});

test("status --json has exactly the promised shape, also through npm", async () => {
  using place = newTestHome();
  const idle = await quarterdeck(["status", "--json", "--home", place.home]);
  assert.equal(idle.code, 1, "nothing is running");
  const { epoch, ...rest } = JSON.parse(idle.stdout) as Record<string, unknown>;
  assert.match(String(epoch), /^e[0-9a-f]{12}$/);
  const storage = { backend: ON_POSTGRES ? "postgres" : "sqlite", away: null };
  // The tests run in the checkout, which is no workspace: so it is the folder of its own.
  const workspace = join(homedir(), "quarterdeck-workspace");
  const common = { waiting_volumes: [], storage, version: VERSION, workspace };
  assert.deepEqual(rest, { url: null, serve: null, servers: [], runners: [], ...common });

  await using program = await openPair(place, { apart: ["serve", "work"] });
  const { run_id } = await startRun(program, "pace 20\ncount 500");
  await readEvents(program, `/api/runs/${run_id}/events`, { take: 6 });
  const npm = spawn(
    "npm",
    ["run", "-s", "quarterdeck", "--", "status", "--json", "--home", place.home],
    {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const out = (await npm.stdout.toArray()).join("");
  const status = JSON.parse(out) as Status;
  const runner = status.runners[0];
  assert.deepEqual(JSON.parse(out), {
    url: program.url,
    epoch,
    serve: { pid: status.serve?.pid },
    servers: [{ host: hostname(), url: program.url }],
    runners: [{ pid: runner?.pid, id: runner?.id, runs: [run_id], volumes: [] }],
    ...common,
  });
  for (const pid of [status.serve?.pid, runner?.pid]) assert.ok(isRunning(pid as number));
  const text = await quarterdeck(["status", "--home", place.home]);
  assert.equal(text.code, 0);
  assert.ok(text.stdout.startsWith(`serving ${program.url} (pid ${status.serve?.pid})\n`));
});

test("[A3] token prints the token, and --link a link that works once and only while serving", async () => {
  using place = newTestHome();
  const nowhere = await quarterdeck(["token", "--link", "--home", place.home]);
  assert.equal(nowhere.code, 3);
  assert.match(nowhere.stderr, /^Nothing is serving this home\. [^\n]+\n$/);
  await using program = await openPair(place);
  const token = await quarterdeck(["token", "--home", place.home]);
  assert.equal(token.stdout, `${program.token}\n`);
  assert.match(program.token, /^[\w-]{43}$/, "256 bits");
  const link = await quarterdeck(["token", "--link", "--home", place.home]);
  const url = new URL(link.stdout.trim());
  assert.equal(url.origin, program.url);
  const login = () =>
    call(program, "POST", "/api/auth/login", { code: url.hash.slice("#login=".length) });
  assert.equal((await login()).status, 200);
  assert.equal((await login()).status, 401);
});

test("[D7] doctor finds a changed event, and everything else goes on", async () => {
  using place = newTestHome({ demo_delay_ms: 0 });
  const doctor = () => quarterdeck(["doctor", "--home", place.home, "--port", "0"]);
  const ids: string[] = [];
  {
    await using program = await openPair(place);
    for (const text of ["say first", "say second"]) {
      const { run_id } = await startRun(program, text);
      await followRun(() => program, run_id);
      ids.push(run_id);
    }
    const fine = await doctor();
    const sound = ON_POSTGRES ? 1 : 0; // the Postgres of tests does not sync, and that is a problem
    assert.equal(fine.code, sound, fine.stdout + fine.stderr);
    assert.match(fine.stdout, /^ok {7}journal: every chain verifies$/m);
    assert.match(fine.stdout, /^ok {7}processes: running at /m);
  }
  await rawSql(
    place,
    `UPDATE events SET body = replace(body, '"delta":"first"', '"delta":"worst"')`,
  );
  const found = await doctor();
  assert.equal(found.code, 1);
  assert.match(found.stdout, new RegExp(`^PROBLEM  journal: ${ids[0]}: .*Quarantined`, "m"));
  assert.ok(!found.stdout.includes(ids[1] as string));

  await using program = await openPair(place);
  const damaged = await call(program, "GET", `/api/runs/${ids[0]}/events`);
  assert.equal(damaged.status, 409);
  assert.equal(damaged.body.error.code, "run_quarantined");
  const { events } = await followRun(() => program, ids[1] as string);
  assert.deepEqual(answerOf(events), ["second"]);
});

test("--help explains every command", async () => {
  for (const args of [["--help"], ["-h"], ["help"]]) {
    const { code, stdout, stderr } = await quarterdeck(args);
    assert.deepEqual([code, stderr], [0, ""]);
    for (const name of [
      "up",
      "serve",
      "work",
      "run",
      "status",
      "token",
      "doctor",
      "backup",
      "restore",
    ]) {
      assert.match(stdout, new RegExp(`^ {2}${name} {2,}`, "m"));
    }
  }
});

test("each command's --help is about that command", async () => {
  for (const args of [
    ["restore", "--help"],
    ["restore", "-h"],
    ["help", "restore"],
    ["restore", "FILE", "--home", "/nowhere", "--help"],
  ]) {
    const { code, stdout, stderr } = await quarterdeck(args);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^quarterdeck restore FILE\nPuts a backup in place of the journal/);
  }
});

test("finding D6: the README's alias works outside the checkout", async () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const alias = /^alias qd=.*$/m.exec(readme)?.[0] ?? "";
  const script = `shopt -s expand_aliases\n${alias}\ncd /\nqd --version`;
  const shell = spawn("bash", ["-c", script], { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  assert.equal((await shell.stdout.toArray()).join(""), `Quarterdeck ${VERSION}\n`);
});

test("finding D5: who listens on every address prints a link that a browser here can open", async () => {
  for (const [url, shown] of [
    ["http://0.0.0.0:8730", "http://127.0.0.1:8730"],
    ["https://[::]:8730", "https://127.0.0.1:8730"],
    ["http://10.0.0.1:8730", "http://10.0.0.1:8730"],
  ] as const)
    assert.equal(usableUrl(url), shown);
});

test("up brings back what is killed, and takes its children with it when it ends", async () => {
  using place = newTestHome();
  await using program = await startProgram(place);
  for (const what of ["serve", "work"] as const) {
    const [old] = await program.kill(what);
    await until(async () => {
      const { serve, runners } = await program.status();
      const pids = what === "serve" ? [serve?.pid] : runners.map(({ pid }) => pid);
      return pids.some((pid) => pid !== undefined && pid !== old);
    }, `${what} to be back`);
  }
  const { stdout } = await quarterdeck(["status", "--json", ...at(place)]);
  assert.equal((JSON.parse(stdout) as { url: string }).url, program.url, "at the same address");
  const { serve, runners } = await program.status();
  const children = [serve?.pid as number, ...runners.map(({ pid }) => pid)];
  await program.kill("up");
  await until(() => !children.some(isRunning), "the children to end with it");
});

test("up ends in order on SIGTERM: exit 0, no process left, the port free again", async () => {
  using place = newTestHome();
  await using program = await startProgram(place);
  const { serve, runners } = await program.status();
  const open = readEvents(
    program,
    `/api/sessions/${(await startRun(program, "clarify x")).session_id}/events`,
  );
  program.child.kill("SIGTERM");
  const [code] = (await once(program.child, "exit")) as [number];
  assert.equal(code, 0, program.output());
  await open; // nobody is left waiting
  for (const pid of [serve?.pid as number, ...runners.map((runner) => runner.pid)]) {
    assert.ok(!isRunning(pid));
  }
  const port = new URL(program.url).port;
  await using again = await startProgram(place, { args: ["--port", port] });
  assert.equal(again.url, program.url);
});

test("whoever reads the output may go: a run goes on to its end, a replay ends, and neither is a crash", async () => {
  using place = newTestHome({ demo_delay_ms: 0 });
  const run = await readOnce([
    "run",
    "--json",
    "--session",
    "sess_unread",
    "count 300",
    ...at(place),
  ]);
  assert.deepEqual(run, { code: 0, stderr: "" });
  const exported = join(place.workspace, "recording.jsonl");
  const args = ["export", "sess_unread", "--format", "json", "--policy", "full", "-o", exported];
  assert.equal((await quarterdeck([...args, ...at(place)])).code, 0);
  const events = readFileSync(exported, "utf8").split("\n");
  assert.ok(
    events.some((line) => line.includes('"type":"done"')),
    "nobody read it, and it was done",
  );
  const replay = await readOnce(["replay", "sess_unread", "--json", "--speed", "1", ...at(place)]);
  assert.deepEqual(replay, { code: 141, stderr: "" });
});

/** As `| head -1`: closes the pipe at the first bytes. */
async function readOnce(args: string[]): Promise<{ code: number | null; stderr: string }> {
  await journalsMade();
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout.once("data", () => child.stdout.destroy());
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stderr };
}

test("--version says which Quarterdeck this is", async () => {
  for (const asked of ["--version", "version"]) {
    assert.equal((await quarterdeck([asked])).stdout, `Quarterdeck ${VERSION}\n`);
  }
});
