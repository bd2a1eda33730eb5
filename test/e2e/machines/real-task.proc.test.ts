// An agent's day in small: find a failing test in a real directory, fix it, prove it, and take it
// back. Then the same with the runner killed at random points: same files, no command run twice.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { followRun } from "../../support/follow.ts";
import { call, startRun, type Server } from "../../support/http.ts";
import { openPair, type Pair } from "../../support/pair.ts";
import { kill, newTestHome } from "../../support/program.ts";
import { seeded } from "../../support/random.ts";
import { eventsOf, textOf } from "../../support/runs.ts";
import { startAgent } from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";

const KILLS = Number(process.env["QUARTERDECK_TEST_KILLS"] ?? 10); // CONTRIBUTING.md: more of them
const BROKEN = "echo $(($1 - $2))\n";
const FIXED = "echo $(($1 + $2))\n";
const TEST = `test "$(sh add.sh 2 3)" = 5 && echo PASS || { echo FAIL; exit 1; }\n`;

/** Each command leaves its own word in the ledger, so that a second run of it would be seen. */
const STEPS = [
  { say: "I look around.", calls: [{ name: "list_files", args: { path: "." } }] },
  {
    say: "I run the test.",
    calls: [{ name: "exec", args: { command: "echo first >> ledger; sh test.sh" } }],
  },
  {
    say: "It fails. I read what it tests, and look for its callers.",
    calls: [
      { name: "read", args: { path: "add.sh" } },
      { name: "search_files", args: { pattern: "add.sh" } },
    ],
  },
  {
    say: "A minus should be a plus.",
    calls: [{ name: "edit", args: { path: "add.sh", old_text: "$1 - $2", new_text: "$1 + $2" } }],
  },
  {
    say: "Again.",
    calls: [{ name: "exec", args: { command: "echo second >> ledger; sh test.sh" } }],
  },
  { say: "The test passes now: add.sh subtracted instead of adding." },
];

function newRepository(parent: string, name: string): string {
  const workspace = join(parent, name);
  mkdirSync(workspace);
  writeFileSync(join(workspace, "add.sh"), BROKEN);
  writeFileSync(join(workspace, "test.sh"), TEST);
  return workspace;
}

type Pending = { request_id: string; kind: string; prompt: string };

/** A person at the inbox: allows commands, and looks into the ledger before saying what happened. */
async function answerAll(server: Server, runId: string, workspace: string): Promise<void> {
  const path = `/api/runs/${runId}`;
  const { body } = await call<{ pending: Pending[] }>(server, "GET", path);
  for (const { request_id, kind, prompt } of body.data.pending) {
    if (kind === "approval") {
      await call(server, "POST", `${path}/approvals/${request_id}`, { choice: "once" });
    } else {
      const word = /echo (\w+) >>/.exec(prompt)?.[1] ?? "";
      const ran = textOf(join(workspace, "ledger")).includes(word);
      const response = ran ? "mark_done" : "retry";
      await call(server, "POST", `${path}/clarifications/${request_id}`, { response });
    }
  }
}

async function doTask(program: Pair, workspace: string, killAt: number) {
  const victim = await until(async () => {
    const { runners } = await program.status();
    return runners.find(({ pid }) => killAt === NEVER || pid === program.pid("work"))?.pid;
  }, "a runner");
  const { run_id } = await startRun(program, "The test fails. Fix it.", {
    workspace,
    model: "scripted/agent",
  });
  let answering = Promise.resolve();
  const followed = await followRun(() => program, run_id, {
    onFrame: ({ type }, seq) => {
      if (seq >= killAt) kill(victim, "SIGKILL");
      if (type === "approval.requested" || type === "tool.outcome_unknown")
        answering = answering.then(() => answerAll(program, run_id, workspace));
    },
  });
  await answering;
  return { run_id, events: followed.events };
}

const NEVER = Number.POSITIVE_INFINITY;
const ledger = (workspace: string) => textOf(join(workspace, "ledger"));

test("[X3, R3] a task with approval, checkpoint, diff and rollback, and the rollback rolled back", async () => {
  await using model = await startAgent(STEPS);
  using place = newTestHome({ base_url: model.baseUrl, model: "scripted/agent" });
  await using program = await openPair(place);
  const workspace = newRepository(place.workspace, "repo");

  const { run_id, events } = await doTask(program, workspace, NEVER);

  const results = eventsOf(events, "tool.done").map(({ payload }) => [payload.name, payload.ok]);
  assert.deepEqual(results, [
    ["list_files", true],
    ["exec", false],
    ["read", true],
    ["search_files", true],
    ["edit", true],
    ["exec", true],
  ]);
  assert.equal(eventsOf(events, "approval.requested").length, 2, "each command was asked for");
  assert.equal(
    eventsOf(events, "checkpoint.created").length,
    3,
    "before the edit and each command",
  );
  assert.equal(readFileSync(join(workspace, "add.sh"), "utf8"), FIXED);

  const diff = await call<{ files: { path: string; text: string }[] }>(
    program,
    "GET",
    `/api/runs/${run_id}/diff`,
  );
  const added = diff.body.data.files.find(({ path }) => path === "add.sh");
  assert.match(added?.text ?? "", /-echo \$\(\(\$1 - \$2\)\)\n\+echo \$\(\(\$1 \+ \$2\)\)/);

  const session = eventsOf(events, "run.queued")[0]?.session_id ?? "";
  const roll = async (body: object) => {
    const path = `/api/sessions/${session}/rollback`;
    const outcome = await call<{ run_id: string; status: string }>(program, "POST", path, body);
    assert.equal(outcome.status, 202, JSON.stringify(outcome.body));
    const rolled = await followRun(() => program, outcome.body.data.run_id);
    return { id: outcome.body.data.run_id, done: eventsOf(rolled.events, "tool.done")[0]?.payload };
  };
  const preview = await roll({ run_id, preview: true });
  assert.ok(preview.done?.ok, JSON.stringify(preview.done));
  assert.equal(readFileSync(join(workspace, "add.sh"), "utf8"), FIXED, "a preview changes nothing");
  const rolled = await roll({ run_id });
  assert.ok(rolled.done?.ok, JSON.stringify(rolled.done));
  assert.equal(readFileSync(join(workspace, "add.sh"), "utf8"), BROKEN);
  assert.equal(ledger(workspace), "", "what commands wrote is taken back as well");
  await roll({ run_id: rolled.id });
  assert.equal(readFileSync(join(workspace, "add.sh"), "utf8"), FIXED, "a rollback can be undone");

  writeFileSync(join(workspace, "add.sh"), "echo mine\n");
  const refused = await roll({ run_id: rolled.id });
  assert.equal(refused.done?.ok, false);
  assert.equal(
    readFileSync(join(workspace, "add.sh"), "utf8"),
    "echo mine\n",
    "a person's edit stays",
  );
});

test(`[X3, R1, R4, D1] the same task with the runner killed at ${KILLS} random points`, async (t) => {
  await using model = await startAgent(STEPS);
  using place = newTestHome({ base_url: model.baseUrl, model: "scripted/agent" });
  await using program = await openPair(place, { apart: ["work"] });
  const whole = await doTask(program, newRepository(place.workspace, "whole"), NEVER);
  const last = whole.events.length;
  const random = seeded();
  t.diagnostic(`seed ${random.seed}, ${last} events`);

  let fired = 0;
  for (let trial = 0; fired < KILLS; trial += 1) {
    assert.ok(trial < 3 * KILLS, "the kills hit nothing");
    const workspace = newRepository(place.workspace, `trial-${trial}`);
    const killAt = 3 + random.below(last - 6);
    const { events } = await doTask(program, workspace, killAt);
    const where = `trial ${trial}, killed at seq ${killAt} of seed ${random.seed}`;
    const done = events.at(-1);
    assert.ok(done?.type === "done" && done.payload.status === "completed", where);
    assert.equal(readFileSync(join(workspace, "add.sh"), "utf8"), FIXED, where);
    assert.equal(ledger(workspace), "first\nsecond\n", where);
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, at) => at + 1),
      where,
    );
    if (eventsOf(events, "recovery").length > 0) fired += 1; // else the run was over before
  }
});
