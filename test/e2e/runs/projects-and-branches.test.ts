// Projects give sessions their defaults and tell every run about themselves; a branch with files takes
// back what the agent wrote after its point, and nothing else.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, startRun } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome } from "../../support/program.ts";
import { eventsOf, textOf } from "../../support/runs.ts";
import { messagesIn, startAgent } from "../../support/models/scripted-agent.ts";

const MODEL = "scripted/agent";
type Outcome = { status: string; session_id: string; run_id: string };

test("[C15a] a project's workspace, model and words reach its runs, and old runs keep what they were told", async () => {
  await using model = await startAgent([
    { calls: [{ name: "write", args: { path: "made", content: "here" } }] },
    { say: "Done." },
  ]);
  using place = newTestHome({ base_url: model.baseUrl });
  const workspace = join(place.workspace, "ship");
  mkdirSync(workspace);
  await using program = await openPair(place);
  const project = {
    project_id: "ship",
    name: "The ship",
    workspace,
    model: MODEL,
    instructions: "Mind the rigging.",
    metadata: { masts: 3 },
  };
  await call(program, "POST", "/api/projects", project);
  const first = await startRun(program, "go", { project_id: "ship" });
  const { events } = await followRun(() => program, first.run_id);
  const emitted = JSON.stringify(messagesIn(model.requests[0] as never)[0]);
  assert.match(emitted, /The ship.*masts: 3.*Mind the rigging/s);
  assert.equal(textOf(join(workspace, "made")), "here");

  await call(program, "POST", "/api/projects/ship", { metadata: { masts: 2 } });
  const second = await startRun(program, "go", { session_id: first.session_id });
  await followRun(() => program, second.run_id);
  assert.match(JSON.stringify(messagesIn(model.requests.at(-1) as never)[0]), /masts: 2/);
  const replay = await followRun(() => program, first.run_id);
  assert.deepEqual(replay.events, events);
  const [queued] = eventsOf(replay.events, "run.queued");
  assert.deepEqual(queued?.payload.project?.metadata, { masts: 3 });
});

test("[C13a, T3] a branch with files has the files of its point; a person's own stay", async () => {
  using place = newTestHome();
  await using program = await openPair(place);
  const file = (name: string) => join(place.workspace, name);
  const first = await startRun(program, "pace 0\nwrite a one\nsay done");
  await followRun(() => program, first.run_id);
  const { session_id } = first;
  const second = await startRun(program, "pace 0\nwrite a two\nwrite b new\nsay done", {
    session_id,
  });
  await followRun(() => program, second.run_id);
  writeFileSync(file("mine"), "mine");

  const { body } = await call<Outcome>(program, "POST", `/api/sessions/${session_id}/branch`, {
    run_id: first.run_id,
    files: true,
  });
  const { events } = await followRun(() => program, body.data.run_id);
  const done = eventsOf(events, "tool.done")[0]?.payload;
  assert.ok(done?.ok, JSON.stringify(done));
  assert.notEqual(body.data.session_id, session_id);
  assert.deepEqual(
    [textOf(file("a")), textOf(file("b")), textOf(file("mine"))],
    ["one", "", "mine"],
  );
});
