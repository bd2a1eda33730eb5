// Commands in the background through the native API and the console: listed, read by offset, followed, typed
// into, ended; and what becomes of a wish when the runner that has the process dies.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ProcessesView, ProcessLogView } from "../../../src/kernel/api/records/records.ts";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun, type Server } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { answerQuestion, eventsOf, isRunning, processesWith } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

const KEY = "sk-test-0123456789abcdefghij";

type Data = Record<string, unknown>;
type Page = {
  log_lines: string[];
  output: string;
  next_offset: number;
  total_lines: number;
} & Data;

/** A run that goes on until it is told to, with these commands behind it. */
async function runWith(server: Server, ...commands: string[]) {
  await call(server, "POST", "/api/sessions", { session_id: "s" });
  await call(server, "POST", "/api/sessions/s/settings", { yolo: true });
  const lines = commands.map((command) => `background ${command}`);
  const script = ["pace 0", ...lines, "clarify Go on? | yes", "say done"].join("\n");
  const { run_id } = await startRun(server, script, { session_id: "s", model: "demo/demo" });
  const listed = () => call<ProcessesView>(server, "GET", "/api/processes?session_id=s");
  await until(
    async () => (await listed()).body.data.processes.length === commands.length,
    "the commands to run",
  );
  const asks = () => call<{ status: string }>(server, "GET", `/api/runs/${run_id}`);
  await until(async () => (await asks()).body.data.status === "awaiting_clarify", "the question");
  return { run_id, processes: (await listed()).body.data.processes };
}

const printed = (server: Server, runId: string, words: string) =>
  readEvents(server, `/api/runs/${runId}/events`, {
    until: ({ data }) => data.includes('"process.output"') && data.includes(words),
  });

test("[H13, W6] a command in the background is listed, read by offset, typed into and ended", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const { run_id, processes } = await runWith(program, "cat; echo bye; sleep 300");
  const [process] = processes;
  assert.deepEqual(
    [process?.run_id, process?.session_id, process?.command, process?.status],
    [run_id, "s", "cat; echo bye; sleep 300", "running"],
  );
  const id = process?.process_id ?? "";
  const native = `/api/runs/${run_id}/processes/${id}`;
  const gui = <Reply = Data>(path: string, body?: object) =>
    call<Reply>(program, body ? "POST" : "GET", `/api/gui/processes${path}`, body);
  const [row] = (await gui<{ processes: Data[] }>("")).body.data.processes;
  assert.deepEqual(
    [row?.["process_id"], row?.["command"], row?.["status"], row?.["session_id"]],
    [id, "cat; echo bye; sleep 300", "running", "s"],
  );
  const startedMs = Number(row?.["started_at"]) * 1000; // as the client does it
  assert.equal(new Date(startedMs).getUTCFullYear(), new Date().getUTCFullYear());

  const typed = await call(program, "POST", `${native}/input`, {
    text: "one ⛵\n",
    command_id: "k",
  });
  assert.equal(typed.status, 202);
  await call(program, "POST", `${native}/input`, { text: "one ⛵\n", command_id: "k" });
  await printed(program, run_id, "one ⛵");
  const following = gui<Page>(`/${id}/log?offset=1&follow=1`);
  await gui(`/${id}/input`, { data: "two", submit: true });
  assert.deepEqual((await following).body.data.log_lines, ["two"]);
  const log = (await gui<Page>(`/${id}/log`)).body.data;
  assert.deepEqual(
    [log.log_lines, log.output, log.next_offset, log.total_lines],
    [["one ⛵", "two"], "one ⛵\ntwo", 2, 2],
    "each was typed once",
  );
  const first = (await gui<Page>(`/${id}/log?offset=0&limit=1`)).body.data;
  assert.deepEqual([first.log_lines, first["truncated"]], [["one ⛵"], true]);
  const bytes = (await call<ProcessLogView>(program, "GET", `${native}/log?first_byte=4&bytes=3`))
    .body;
  assert.deepEqual(bytes.data.pieces[0], { offset: 4, end: 8, text: "⛵\n" });
  assert.equal(bytes.data.more, true);

  await gui(`/${id}/input`, { data: "", close: true });
  await printed(program, run_id, "bye");
  const tooLate = await gui(`/${id}/input`, { data: "nobody reads" });
  assert.equal(tooLate.status, 200);
  await readEvents(program, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes("takes no more input"),
  });
  const killed = await gui<{ result: Data }>(`/${id}/kill`, {});
  assert.equal(killed.body.data.result["accepted"], true);
  await readEvents(program, `/api/runs/${run_id}/events`, {
    until: ({ data }) => data.includes('"process.exited"'),
  });
  const again = await gui(`/${id}/kill`, {});
  assert.deepEqual([again.status, again.body.error.code], [409, "process_not_running"]);
  const late = await call<{ status: string }>(program, "POST", `${native}/kill`, {});
  assert.deepEqual([late.status, late.body.data.status], [200, "not_active"]);
  await answerQuestion(program, run_id, "yes");
  const { events } = await followRun(() => program, run_id);
  assert.equal(eventsOf(events, "process.asked").length, 5);
  const over = (await gui<Page>(`/${id}/log?run_id=${run_id}&follow=1&offset=99`)).body.data;
  assert.deepEqual([over.log_lines, over["status"]], [[], "exited"], "nobody waits for more");
});

test("[R12] a command that ends with its run has ended once, also to the browser's channel", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const { run_id, processes } = await runWith(program, "sleep 300", "sleep 301");
  const channel = readEvents(program, "/api/session/stream?session_id=s", {
    until: ({ data }) => data.includes('"terminal":true') || data.includes('"status":"completed"'),
  });
  await answerQuestion(program, run_id, "yes");
  const { events } = await followRun(() => program, run_id);
  const exits = eventsOf(events, "process.exited").map(({ payload }) => payload.process_id);
  assert.deepEqual(exits.toSorted(), processes.map(({ process_id }) => process_id).toSorted());
  const emitted = (await channel).frames.filter(({ event }) => event === "bg_task_complete");
  assert.equal(emitted.length, 2);
});

test("[H13, W6] what is not there, and what is asked wrongly, is refused", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { env: { QUARTERDECK_API_KEY: KEY } });
  const { run_id, processes } = await runWith(program, "sleep 300");
  const id = processes[0]?.process_id ?? "";
  const refusal = async (method: "GET" | "POST", path: string, body?: object) => {
    const answer = await call(program, method, path, body);
    const { code, details } = answer.body.error;
    return [answer.status, code === "not_found" ? details["reason"] : code];
  };
  const gui = "/api/gui/processes";
  for (const name of ["p_00000000", "..%2f..", "%00", "x".repeat(250)]) {
    assert.deepEqual(await refusal("GET", `${gui}/${name}/log`), [404, "process_not_found"]);
    assert.deepEqual(await refusal("POST", `${gui}/${name}/kill`, {}), [404, "process_not_found"]);
    const input = await refusal("POST", `${gui}/${name}/input`, { data: "x" });
    assert.deepEqual(input, [404, "process_not_found"]);
  }
  assert.deepEqual(await refusal("GET", `${gui}?session_id=nobody`), [404, "session_not_found"]);
  assert.deepEqual(await refusal("POST", `${gui}/${id}/input`, {}), [400, "invalid_input"]);
  assert.deepEqual(await refusal("GET", `${gui}/${id}/log?limit=0`), [400, "invalid_pagination"]);
  assert.deepEqual(await refusal("GET", `${gui}/${id}/log?offset=-1`), [400, "invalid_pagination"]);
  const native = `/api/runs/${run_id}/processes`;
  assert.deepEqual(await refusal("GET", `${native}/p_0/log`), [404, "process_not_found"]);
  assert.deepEqual(await refusal("GET", `/api/runs/none/processes/${id}/log`), [
    404,
    "run_not_found",
  ]);
  assert.deepEqual(await refusal("GET", `${native}/${id}/log?wait_s=26`), [400, "invalid_request"]);
  assert.deepEqual(await refusal("GET", `${native}/${id}/log?bytes=0`), [400, "invalid_request"]);
  assert.deepEqual(await refusal("GET", "/api/processes?session_id=nobody"), [
    404,
    "session_not_found",
  ]);
  const long = { text: "x".repeat(70_000) };
  assert.deepEqual(await refusal("POST", `${native}/${id}/input`, long), [400, "invalid_request"]);
  // What is stored is what is done, and a known secret is not stored: only a file's content is kept as it is.
  const secret = { text: `${KEY}\n` };
  assert.deepEqual(await refusal("POST", `${native}/${id}/input`, secret), [
    400,
    "invalid_request",
  ]);
  const typed = await refusal("POST", `${gui}/${id}/input`, { data: KEY });
  assert.deepEqual(typed, [400, "invalid_request"]);
  const exec = await refusal("POST", "/api/gui/workspace/exec", { command: `echo ${KEY}` });
  assert.deepEqual(exec, [400, "invalid_request"]);
  const file = { path: "key.txt", content: `KEY=${KEY}\n` };
  assert.equal((await call(program, "POST", "/api/gui/workspace/file/save", file)).status, 200);
  assert.equal(readFileSync(join(place.workspace, "key.txt"), "utf8"), file.content);
  const anonymous = await fetch(`${program.url}${native}/${id}/kill`, { method: "POST" });
  assert.equal(anonymous.status, 401);
});

test("[H13, X4] a killed runner's processes end with it; a request about one of them has no effect", async () => {
  using place = newTestHome();
  await using program = await openPair(place, { apart: ["work"] });
  const { run_id, processes } = await runWith(program, "sleep 4321");
  const id = processes[0]?.process_id ?? "";
  const native = `/api/runs/${run_id}/processes/${id}`;
  const sleeping = () => processesWith("4321").filter(isRunning);
  assert.ok(sleeping().length > 0);
  await program.kill("work");
  const asked = await call<{ status: string }>(program, "POST", `${native}/kill`, {});
  assert.ok([200, 202].includes(asked.status));
  await until(() => sleeping().length === 0, "no process to be left");
  await answerQuestion(program, run_id, "yes");
  const { events } = await followRun(() => program, run_id);
  assert.equal(events.at(-1)?.type, "done");
  const view = await call<ProcessLogView>(program, "GET", `${native}/log?wait_s=5`);
  assert.equal(view.body.data.process.status, "exited");
});
