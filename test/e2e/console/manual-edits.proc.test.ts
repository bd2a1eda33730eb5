// What a person does in the workspace through the console, with real processes: saving, commands, checkpoints and
// rollbacks, and that all of it is the same after everything was killed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, startRun } from "../../support/http.ts";
import { eventsOf } from "../../support/runs.ts";
import {
  at,
  content,
  get,
  place,
  post,
  program,
  refusal,
  type Data,
} from "../../support/console/workspace.ts";
import { until } from "../../support/until.ts";

type Saved = {
  saved: boolean;
  sha256: string;
  session_id: string;
  run_id: string;
  checkpoint_id: string;
};
test("[W6, H12, T2] a save is a run with a checkpoint; it can be looked at and taken back", async () => {
  execFileSync("chmod", ["750", at("poem.txt")]);
  const before = content("poem.txt");
  const saved = await post<Saved>("file/save", { path: "poem.txt", content: "ONE\r\ntwo\n" });
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  const { session_id, run_id, checkpoint_id } = saved.body.data;
  assert.equal(content("poem.txt"), "ONE\r\ntwo\n");
  assert.equal(statSync(at("poem.txt")).mode & 0o777, 0o750);
  const { events } = await followRun(() => program, run_id);
  assert.equal(eventsOf(events, "checkpoint.created").length, 1);
  assert.equal(eventsOf(events, "files.changed")[0]?.payload.changes[0]?.path, "poem.txt");
  assert.ok(!JSON.stringify(events).includes("ONE"), "the content is in the blob store");

  type Listed = { working_dir: string; checkpoints: Data[] };
  for (const query of [{}, { session_id }, { workspace: place.workspace }]) {
    const { checkpoints, working_dir } = (
      await get<Listed>("checkpoints", query as Record<string, string>)
    ).body.data;
    assert.equal(working_dir, place.workspace);
    assert.deepEqual(
      [
        checkpoints[0]?.["checkpoint_id"],
        checkpoints[0]?.["label"],
        checkpoints[0]?.["file_count"],
      ],
      [checkpoint_id, "Before: Save poem.txt", 1],
    );
    assert.match(String(checkpoints[0]?.["created_at"]), /^\d{4}-.*Z$/);
  }
  const shown = (await get<{ diff: string; stat: string }>("diff", { checkpoint_id })).body.data;
  assert.match(shown.diff, /^--- a\/poem\.txt\n\+\+\+ b\/poem\.txt\n@@/);
  assert.match(shown.stat, /poem\.txt \| \+2 -3/);
  const part = await get<{ diff: string }>("diff", { run_id, path: "other.txt" });
  assert.equal(part.body.data.diff, "");
  assert.ok((await get<{ diff: string }>("diff", { session_id })).body.data.diff.includes("+ONE"));
  assert.deepEqual(refusal(await get("diff")), [400, "missing_checkpoint_id"]);
  for (const id of ["ck_run_none_t0.c0_1", "../x", "ck_"]) {
    assert.deepEqual(refusal(await get("diff", { checkpoint_id: id })), [
      404,
      "checkpoint_not_found",
    ]);
    const asked = await post("rollback", { checkpoint_id: id });
    assert.deepEqual(refusal(asked), [404, "checkpoint_not_found"]);
  }
  assert.deepEqual(refusal(await get("diff", { run_id: "run_none" })), [404, "run_not_found"]);
  assert.deepEqual(refusal(await post("rollback", {})), [400, "missing_checkpoint_id"]);
  const wrong = await post("rollback", { checkpoint_id, path: "other.txt" });
  assert.deepEqual(refusal(wrong), [400, "invalid_rollback"]);
  const escaping = await post("rollback", { checkpoint_id, path: "/etc/passwd" });
  assert.deepEqual(refusal(escaping), [400, "invalid_path"]);

  writeFileSync(at("poem.txt"), "by somebody else\n");
  const refused = await post("rollback", { checkpoint_id });
  assert.deepEqual(refusal(refused), [409, "rollback_failed"]);
  assert.equal(content("poem.txt"), "by somebody else\n");
  writeFileSync(at("poem.txt"), "ONE\r\ntwo\n");
  const back = await post<{ result: Data }>("rollback", { checkpoint_id, file_path: "poem.txt" });
  assert.deepEqual(
    [back.status, back.body.data.result["success"], back.body.data.result["restored"]],
    [200, true, ["poem.txt"]],
  );
  assert.equal(content("poem.txt"), before);
});

test("[W6, H12] a save with an expectation is refused when the file is another, and nothing is lost", async () => {
  const first = await post<Saved>("file/save", { path: "new/made.txt", content: "a" });
  assert.equal(content("new/made.txt"), "a");
  writeFileSync(at("new/made.txt"), "meanwhile");
  const late = await post("file/save", {
    path: "new/made.txt",
    content: "b",
    expected_sha256: first.body.data.sha256,
  });
  assert.deepEqual(refusal(late), [409, "save_conflict"]);
  assert.equal(content("new/made.txt"), "meanwhile");
  assert.deepEqual(refusal(await post("file/save", { content: "x" })), [400, "missing_path"]);
  assert.deepEqual(refusal(await post("file/save", { path: "x" })), [400, "invalid_content"]);
  assert.deepEqual(refusal(await post("file/save", { path: "src", content: "" })), [
    400,
    "invalid_path",
  ]);
  const large = { path: "large.txt", content: "€".repeat(500_000) };
  assert.deepEqual(refusal(await post("file/save", large)), [413, "too_large"]);
  const most = { path: "large.txt", content: "\n".repeat(1_048_576) };
  assert.equal((await post("file/save", most)).status, 200);
  assert.equal(statSync(at("large.txt")).size, 1_048_576);
});

type Ran = { cwd: string; stdout: string; stderr: string; returncode: number | null } & Data;
test("[W6, H12] exec: both streams and the code, in the sandbox, told to the journal", async () => {
  const ran = await post<Ran>("exec", { command: "echo out; echo err >&2; pwd; exit 3" });
  const { cwd, stdout, stderr, returncode, run_id } = ran.body.data;
  assert.deepEqual(
    { cwd, stdout, stderr, returncode },
    { cwd: place.workspace, stdout: `out\n${place.workspace}\n`, stderr: "err\n", returncode: 3 },
  );
  assert.deepEqual(ran.body.data["output"], ["out", place.workspace, "err"], "for the client");
  const { events } = await followRun(() => program, String(run_id));
  assert.equal(eventsOf(events, "tool.started").length, 1);
  assert.equal(eventsOf(events, "approval.requested").length, 0, "the person asked for it");
  const inside = await post<Ran>("exec", { command: "pwd", cwd: "src" });
  assert.equal(inside.body.data.stdout, `${at("src")}\n`);
  assert.deepEqual(refusal(await post("exec", {})), [400, "invalid_command"]);
  assert.deepEqual(refusal(await post("exec", { command: "a\0b" })), [400, "invalid_command"]);
  assert.deepEqual(refusal(await post("exec", { command: "ls", cwd: "/etc" })), [
    400,
    "invalid_path",
  ]);
  const key = { command: "echo x >> once.txt", command_id: "k1" };
  const twice = await Promise.all([post<Ran>("exec", key), post<Ran>("exec", key)]);
  assert.equal(twice[0].body.data["run_id"], twice[1].body.data["run_id"]);
  assert.equal(content("once.txt"), "x\n");
});

test("[W6, P1] a rule that forbids a command forbids it to the console too", async () => {
  await call(program, "POST", "/api/sessions", { session_id: "ruled" });
  const permissions = [
    { effect: "deny", tool: "exec", argv: ["touch"] },
    { effect: "deny", tool: "save", path: "src/**" },
  ];
  await call(program, "POST", "/api/sessions/ruled/settings", { permissions });
  const denied = await post("exec", { session_id: "ruled", command: "touch forbidden" });
  assert.deepEqual(refusal(denied), [403, "command_denied"]);
  const save = await post("file/save", { session_id: "ruled", path: "src/no.txt", content: "" });
  assert.deepEqual(refusal(save), [403, "command_denied"]);
  assert.equal((await get("file", { path: "forbidden" })).status, 404);
});

test("[W6] a command that goes on, or waits behind a run, is answered honestly", async () => {
  await call(program, "POST", "/api/sessions", { session_id: "busy" });
  const { run_id } = await startRun(program, "clarify Go on? | yes", { session_id: "busy" });
  const waiting = () => call<{ status: string }>(program, "GET", `/api/runs/${run_id}`);
  await until(async () => (await waiting()).body.data.status === "awaiting_clarify", "a question");
  const asked = { session_id: "busy", command: "echo later", wait_s: 0 };
  const behind = await post<Ran>("exec", asked);
  assert.deepEqual(
    [behind.body.data["running"], behind.body.data["status"], behind.body.data.returncode],
    [true, "queued", null],
  );
  await call(program, "POST", `/api/runs/${run_id}/cancel`, {});
  const later = String(behind.body.data["run_id"]);
  const { events } = await followRun(() => program, later);
  assert.equal(eventsOf(events, "tool.done")[0]?.payload.exit_code, 0);
});

test("[W6, H12] what was saved, run and rolled back is the same after everything was killed", async () => {
  const checkpoints = async () =>
    (await get<{ checkpoints: Data[] }>("checkpoints")).body.data.checkpoints;
  const before = await checkpoints();
  await program.kill("serve");
  await program.kill("work");
  await until(async () => (await get("tree").catch(() => null))?.status === 200, "another server");
  assert.deepEqual(await checkpoints(), before);
  assert.equal((await post<Ran>("exec", { command: "echo again" })).body.data.stdout, "again\n");
});
