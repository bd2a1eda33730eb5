// Workspaces on volumes that every machine mounts where it likes: here the server has it at one path and the
// runner at another, as two machines would.
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, startRun, type Server } from "../../support/http.ts";
import { openServer } from "../../support/pair.ts";
import { startWork } from "../../support/processes.ts";
import { newTestHome, quarterdeck } from "../../support/program.ts";
import { answerOf, eventsOf, runInfo, textOf } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

type Session = { session: { workspace: string; activity: { text: string } | null } };
type Files = { files: { path: string }[] };

function volumePlace() {
  const place = newTestHome();
  const [atServer, atRunner] = [`${place.workspace}-server`, `${place.workspace}-runner`];
  mkdirSync(join(atServer, "project"), { recursive: true });
  symlinkSync(atServer, atRunner);
  return { ...place, atServer, atRunner };
}

const volume = (path: string) => ({ args: ["--volume", `big=${path}`] });

async function sessionOf(server: Server, id: string) {
  return (await call<Session>(server, "GET", `/api/sessions/${id}`)).body.data.session;
}

test("[J13a, J13f] a run waits visibly for a runner that has its volume, which works at its own place for it", async () => {
  using place = volumePlace();
  await using server = await openServer(place, volume(place.atServer));
  await using without = await startWork(place);
  const workspace = join(place.atServer, "project"); // as somebody on the server's machine knows it
  const prompt = "pace 0\nwrite made.txt by the runner\nread made.txt\nsay done";
  const { run_id, session_id } = await startRun(server, prompt, { workspace });

  const waits = "waiting for a runner that reaches volume big";
  const waiting = await sessionOf(server, session_id);
  assert.deepEqual([waiting.workspace, waiting.activity?.text], ["big:/project", waits]);
  const other = await startRun(server, "say other"); // not that nobody works
  assert.deepEqual(answerOf((await followRun(() => server, other.run_id)).events), ["other"]);
  assert.equal((await runInfo(server, run_id)).status, "queued");
  const { stdout } = await quarterdeck(["status", "--home", place.home]);
  assert.match(stdout, new RegExp(`${waits}: ${run_id}`));

  await using has = await startWork(place, volume(place.atRunner));
  const { events } = await followRun(() => server, run_id);
  assert.equal(eventsOf(events, "done")[0]?.payload.status, "completed");
  assert.equal(textOf(join(workspace, "made.txt")).trim(), "by the runner");
  const [queued] = eventsOf(events, "run.queued");
  const [intent] = eventsOf(events, "tool.intent");
  const [changed] = eventsOf(events, "files.changed");
  assert.deepEqual(
    [queued?.payload.workspace, intent?.payload.plan.workspace, changed?.payload.changes[0]?.path],
    ["big:/project", "big:/project", "made.txt"],
  );
  assert.ok(without.pid !== has.pid);

  const seen = await call<Files>(server, "GET", `/api/sessions/${session_id}/files`);
  assert.equal(seen.status, 200, JSON.stringify(seen.body));
  assert.match(JSON.stringify(seen.body.data), /made\.txt/);
  const diff = await call(server, "GET", `/api/runs/${run_id}/diff`);
  assert.match(JSON.stringify(diff.body.data), /by the runner/);
  const back = await call<{ run_id: string }>(
    server,
    "POST",
    `/api/sessions/${session_id}/rollback`,
    {
      run_id,
    },
  );
  await followRun(() => server, back.body.data.run_id);
  await until(() => textOf(join(workspace, "made.txt")) === "", "the file to be taken back");
});

test("[J13e, H7] a server without the volume says so, and no place leads out of a volume", async () => {
  using place = volumePlace();
  await using server = await openServer(place);
  const { session_id } = await startRun(server, "say x", { workspace: "big:/project" });
  const files = await call(server, "GET", `/api/sessions/${session_id}/files`);
  const { error } = files.body as unknown as { error: { code: string; message: string } };
  assert.deepEqual(
    [files.status, error.code, error.message],
    [409, "volume_unreachable", "This server does not reach the volume big."],
  );
  const leaving = { message: "say x", workspace: "big:/project/../../etc" };
  const refused = await call(server, "POST", "/api/runs", leaving);
  assert.equal(refused.status, 400, JSON.stringify(refused.body));
  const doctor = await quarterdeck(["doctor", "--home", place.home]);
  assert.match(doctor.stdout, /volumes: runs wait for a runner that reaches big \(1\)/);
});
