// Where parts meet: ends of runs with open calls, settings that change while a call waits, files of a
// profile that go bad in the middle.
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, startRun } from "../../support/http.ts";
import { writeProfile } from "../../support/profiles.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { answerQuestion, approve, eventsOf, runInfo, textOf } from "../../support/runs.ts";
import {
  answer,
  finish,
  startModelServer,
  textChunk,
  toolCallChunk,
} from "../../support/models/model-server.ts";
import { isSideQuestion, startAgent } from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";

const MODEL = "scripted/agent";
const approvalOf = async (server: Parameters<typeof runInfo>[0], runId: string) =>
  until(async () => (await runInfo(server, runId)).pending_approval_id, "an approval request");

test("[T2, X6] a run that is not resumed still says what its command changed, and leaves no call open", async () => {
  using place = newTestHome({ resume: "never" });
  await using program = await openPair(place, { apart: ["work"] });
  const { run_id } = await startRun(program, "pace 0\nexec echo mine > made; sleep 60\nsay after");
  await approve(program, run_id);
  await until(() => textOf(join(place.workspace, "made")) === "mine\n", "the command's file");
  await program.kill("work");
  const { events } = await followRun(() => program, run_id);

  const end = events.at(-1);
  assert.ok(end?.type === "done" && end.payload.status === "failed");
  const changed = eventsOf(events, "files.changed").flatMap(({ payload }) => payload.changes);
  assert.deepEqual(
    changed.map(({ path }) => path),
    ["made"],
  );
  assert.equal(eventsOf(events, "tool.done").length, 1);
});

test("[R15c] a memory file that cannot be read ends the run with a sentence, at once", async () => {
  using place = newTestHome();
  const folder = writeProfile(place, "odd");
  mkdirSync(join(folder, "memory", "MEMORY.md"));
  await using program = await openPair(place);
  const { run_id } = await startRun(program, "say hello", { profile: "odd" });
  const { events } = await followRun(() => program, run_id);

  assert.match(eventsOf(events, "error")[0]?.payload.message ?? "", /MEMORY\.md/);
  assert.equal(eventsOf(events, "recovery").length, 0);
});

test("[P1, X8] a question that itself needs an approval is asked after it, and the answer is the person's", async () => {
  using place = newTestHome();
  writeProfile(place, "default", {
    settings: { permissions: [{ effect: "ask", tool: "clarify" }] },
  });
  await using program = await openPair(place);
  const { run_id } = await startRun(program, "pace 0\nclarify left or right?\nsay after");
  await approve(program, run_id);
  await answerQuestion(program, run_id, "left");
  const { events } = await followRun(() => program, run_id);
  assert.deepEqual(eventsOf(events, "tool.done")[0]?.payload.result, { response: "left" });
});

test("[P6d, C6] what was asked before yolo was switched on waits for its answer; what comes after is not asked", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["work"] });
  const script = "pace 0\nexec echo one > one\nexec echo two > two\nsay after";
  const { run_id, session_id } = await startRun(program, script);
  const asked = await approvalOf(program, run_id);
  await call(program, "POST", `/api/sessions/${session_id}/settings`, { yolo: true });
  await program.kill("work"); // a runner that looks again must not take the switch for an answer
  await until(async () => (await program.status()).runners.length > 0, "a runner");
  await until(async () => (await runInfo(program, run_id)).runner_id, "its claim");
  assert.equal(await approvalOf(program, run_id), asked);
  assert.equal(textOf(join(place.workspace, "one")), "");

  await approve(program, run_id);
  const { events } = await followRun(() => program, run_id);
  assert.equal(eventsOf(events, "approval.requested").length, 1);
  assert.equal(textOf(join(place.workspace, "two")), "two\n");
});

test("[R13] a server of foreign tools that is not there is told in the run, which goes on without it", async () => {
  using place = newTestHome();
  writeProfile(place, "odd", {
    settings: { mcp: { nowhere: { transport: "stdio", command: "no-such-program-at-all" } } },
  });
  await using program = await openPair(place);
  const { run_id } = await startRun(program, "say hello", { profile: "odd" });
  const { events } = await followRun(() => program, run_id);
  const emitted = eventsOf(events, "progress").map(({ payload }) => payload.message);
  assert.equal(emitted.length, 1);
  assert.match(emitted[0] ?? "", /“nowhere”/);
  const end = events.at(-1);
  assert.ok(end?.type === "done" && end.payload.status === "completed");
});

test("[T3e] rolling back a run that is still writing is refused until it has ended", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const script = "pace 0\nwrite a.txt one\nexec echo two > b.txt\nsay after";
  const { run_id, session_id } = await startRun(program, script);
  await approvalOf(program, run_id);
  const rollback = async () => {
    const path = `/api/sessions/${session_id}/rollback`;
    const { body } = await call<{ status: string; run_id: string }>(program, "POST", path, {
      run_id,
    });
    return body.data;
  };
  assert.equal((await rollback()).status, "conflict");
  await approve(program, run_id);
  await followRun(() => program, run_id);
  const { run_id: back } = await rollback();
  await followRun(() => program, back);
  for (const name of ["a.txt", "b.txt"]) assert.equal(textOf(join(place.workspace, name)), "");
});

test("[R7, R10] a summary that cannot be had is tried as often as a turn, and then the run fails", async () => {
  let summaries = 0;
  await using model = await startModelServer((request) => {
    if (isSideQuestion(request)) {
      summaries += 1;
      return answer(429, { error: { message: "slow down" } });
    }
    const usage = { prompt_tokens: 10_000_000, completion_tokens: 1, total_tokens: 10_000_001 };
    const call = toolCallChunk(0, "c", "todo", JSON.stringify({ items: [] }));
    return [textChunk("Working."), call, finish("tool_calls", usage)];
  });
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL, model_attempts: 3 });
  const models = [{ provider: "scripted", id: "agent", context_window: 2_000 }];
  writeFileSync(join(place.home, "models.json"), JSON.stringify({ models }));
  await using program = await openPair(place);
  const { run_id } = await startRun(program, "go", { model: MODEL });
  await until(() => summaries >= 3, "the summaries");
  const { events } = await followRun(() => program, run_id);
  const end = events.at(-1);
  assert.ok(end?.type === "done" && end.payload.status === "failed");
  assert.equal(summaries, 3);
});

test("[S] a subagent never has tools its parent has not, whatever it is given", async () => {
  const give = (tools: string[]) => ({
    name: "delegate",
    args: { title: "t", prompt: "be quick", tools },
  });
  const calls = [give(["exec", "read"]), give(["exec"]), give([])];
  await using model = await startAgent((request) =>
    JSON.stringify(request.body).includes("be careful")
      ? [{ calls }, { say: "done" }]
      : [{ say: "quick" }],
  );
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  await using program = await openPair(place);
  const toolsets = ["delegate", "read"];
  const { run_id } = await startRun(program, "be careful", { model: MODEL, toolsets });
  const { events } = await followRun(() => program, run_id);

  const ended = eventsOf(events, "tool.done").map(({ payload }) => payload);
  const codeOf = (index: number) =>
    ended.find(({ call_id }) => call_id === `t1.1.c${index}`)?.error?.code ?? null;
  assert.deepEqual([0, 1, 2].map(codeOf), [null, "not_allowed", "not_allowed"]);
  const child = await followRun(() => program, `${run_id}.t1.1.c0`);
  assert.deepEqual(eventsOf(child.events, "run.queued")[0]?.payload.toolsets, ["read"]);
});

test("[P1d, S] what a rule forbids is not found by looking through the folder around it", async () => {
  const calls = [
    { name: "search_files", args: { pattern: "needle" } },
    { name: "list_files", args: { depth: 3, hidden: true } },
    { name: "search_files", args: { pattern: "needle", path: "secrets" } },
  ];
  await using model = await startAgent([{ calls }, { say: "done" }]);
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  const deny = ["secrets/**", "**/.env"].map((path) => ({ effect: "deny", tool: "*", path }));
  writeProfile(place, "default", { settings: { permissions: deny } });
  for (const folder of ["secrets", "src"]) mkdirSync(join(place.workspace, folder));
  for (const name of ["secrets/key.txt", "src/.env", "src/open.txt"]) {
    writeFileSync(join(place.workspace, name), `needle in ${name}\n`);
  }
  await using program = await openPair(place);
  const { run_id } = await startRun(program, "look", { model: MODEL });
  const { events } = await followRun(() => program, run_id);

  const shown = eventsOf(events, "tool.done").map(({ payload }) => payload);
  const of = (index: number) => shown.find(({ call_id }) => call_id === `t1.1.c${index}`);
  assert.equal(of(0)?.output.head, "src/open.txt:1: needle in src/open.txt\n");
  const counted = of(0)?.result as { files: number; matches: number };
  assert.deepEqual([counted.files, counted.matches], [1, 1], "a count would tell what is in them");
  assert.equal(of(1)?.output.head, "src/\nsrc/open.txt\t23\n");
  assert.equal(of(2)?.status, "denied");
});

test("[P1e, S] a link in the workspace is no way around a rule, nor into git's own files", async () => {
  using place = newTestHome();
  const deny = { effect: "deny", tool: "*", path: "secrets/**" };
  writeProfile(place, "default", { settings: { permissions: [deny] } });
  for (const folder of ["secrets", ".git"]) mkdirSync(join(place.workspace, folder));
  writeFileSync(join(place.workspace, "secrets/x"), "hidden");
  symlinkSync("secrets", join(place.workspace, "a"));
  symlinkSync(".git", join(place.workspace, "g"));
  await using program = await openPair(place);
  const script =
    "pace 0\nread a/x\nwrite a/y hello\nwrite g/config bad\nwrite b.txt fine\nsay after";
  const { run_id } = await startRun(program, script);
  const { events } = await followRun(() => program, run_id);
  const ended = eventsOf(events, "tool.done").map(({ payload }) => payload.error?.code ?? "done");
  assert.deepEqual(ended, ["protected", "protected", "protected", "done"]);
  for (const name of ["secrets/y", ".git/config"]) {
    assert.equal(textOf(join(place.workspace, name)), "");
  }
});
