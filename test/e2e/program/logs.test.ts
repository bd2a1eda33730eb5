// Logs of real processes over both APIs: what a runner and a server said, without the secret they were given.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openLog } from "../../../src/kernel/home/log.ts";
import type { LogsView } from "../../../src/features/logs/records.ts";
import { call } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { until } from "../../support/until.ts";

test("[O1, O2, H1] tool calls are logged without what they said, and followed; bad questions are refused", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const logs = async (query: string) => {
    const { body } = await call(program, "GET", `/api/logs?${query}`);
    return body.data as unknown as LogsView;
  };
  const empty = await logs("kind=tool_debug");
  assert.deepEqual(empty.lines, []);
  const waiting = logs(`kind=tool_debug&follow=1&after=${empty.next}`);
  await call(program, "POST", "/api/runs", { message: "write secret.txt the words of the file" });
  const { lines, next, lost } = await waiting;
  assert.equal(lost, false);
  assert.equal(lines[0]?.message, "started");
  const done = await until(async () => {
    const page = await logs(`kind=tool_debug&level=info&after=${empty.next}`);
    return page.lines.find(({ message }) => message === "completed");
  }, "the call's end");
  assert.equal(done.fields?.["name"], "write");
  assert.ok(!JSON.stringify(done).includes("the words"), "what was said is not in a log");
  assert.equal((await logs(`kind=tool_debug&level=error&after=${next}`)).lines.length, 0);

  openLog({ home: place.home, kind: "serve" }).write("error", "planted", { error: new Error("x") });
  assert.equal((await logs("")).lines.at(-1)?.message, "planted");
  assert.equal((await logs("kind=serve&limit=1")).lines.at(-1)?.message, "planted");
  for (const wrong of ["kind=../token", "kind=x", "level=x", "limit=0", "limit=1001", "after=x"]) {
    const refused = await call(program, "GET", `/api/logs?${wrong}`);
    assert.equal(refused.body.error.code, "invalid_request", wrong);
  }

  const gui = async (query: string) =>
    (await call(program, "GET", `/api/gui/logs?${query}`)).body as unknown as {
      ok: boolean;
      logs: { file: string; lines: string[]; line_count: number; available_files: string[] };
    };
  const emitted = await gui("kind=errors&limit=5");
  assert.equal(emitted.logs.line_count, 1);
  assert.match(emitted.logs.lines[0] ?? "", /ERROR serve: planted\nError: x/);
  assert.deepEqual((await gui("file=errors.log&offset=1")).logs.lines, []);
  assert.ok(emitted.logs.available_files.includes("gateway.log"));
  const wrong = await call(program, "GET", "/api/gui/logs?kind=../token");
  assert.equal(wrong.status, 400);
  const audit = await call(program, "GET", "/api/gui/audit?types=login");
  assert.equal(audit.status, 200);
});

test("[U3] exports, imports and terminals are in the audit, whoever made them", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const started = await call(program, "POST", "/api/runs", { message: "say hello" });
  const sessionId = String(started.body.data["session_id"]);
  const runId = String(started.body.data["run_id"]);
  await until(async () => {
    const run = await call(program, "GET", `/api/runs/${runId}`);
    return run.body.data["status"] === "completed";
  }, "the run to end");
  const headers = { authorization: `Bearer ${program.token}` };
  const ask = (path: string) => fetch(`${program.url}${path}`, { headers });
  const exported = await ask(`/api/sessions/${sessionId}/export?format=json`);
  const file = await exported.arrayBuffer();
  await (await ask(`/api/gui/sessions/${sessionId}/export?format=md`)).text();
  const binary = { ...headers, "content-type": "application/octet-stream" };
  await fetch(`${program.url}/api/import`, { method: "POST", headers: binary, body: file });
  await call(program, "POST", `/api/sessions/${sessionId}/terminals`, { cols: 80, rows: 24 });
  const { body } = await call(program, "GET", "/api/audit?types=export,import,terminal");
  const { entries } = body.data as unknown as { entries: { type: string }[] };
  assert.deepEqual(entries.map(({ type }) => type).toReversed(), [
    "export.made",
    "export.made",
    "import.made",
    "terminal.opened",
  ]);
});
