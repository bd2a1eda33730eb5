// What a yes must not cover, through the whole program: another directory, another option, another content
// of a script, and a path that a rule denies.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Rule } from "../../../src/kernel/events/catalogue/permissions.ts";
import { followRun } from "../../support/follow.ts";
import { call, startRun, type Server } from "../../support/http.ts";
import { writeProfile } from "../../support/profiles.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome, type TestHome } from "../../support/program.ts";
import { eventsOf, textOf } from "../../support/runs.ts";
import { startAgent } from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";

const MODEL = "scripted/agent";
type Pending = { request_id: string; choices: string[]; prompt: string };
type Step = { name: string; args: Record<string, unknown> };

/** Answers each request of the run in turn; every one of them must come. */
async function answer(server: Server, runId: string, bodies: readonly object[]): Promise<string[]> {
  const prompts: string[] = [];
  const answered = new Set<string>();
  for (const body of bodies) {
    const { request_id, prompt } = await until(
      async () => {
        const { body: reply } = await call<{ pending: Pending[] }>(
          server,
          "GET",
          `/api/runs/${runId}`,
        );
        return reply.data.pending.find((it) => !answered.has(it.request_id));
      },
      `request ${prompts.length + 1}`,
    );
    answered.add(request_id);
    prompts.push(prompt);
    const path = `/api/runs/${runId}/approvals/${request_id}`;
    const { status } = await call(server, "POST", path, body);
    assert.equal(status, 202, JSON.stringify(body));
  }
  return prompts;
}

type Scene = { steps: readonly Step[]; rules?: readonly Rule[]; answers: readonly object[] };

/** One run of these calls in a git repository; its events, and what was asked. */
async function played(place: TestHome, model: { baseUrl: string }, { answers, rules = [] }: Scene) {
  writeProfile(place, "default", { settings: { permissions: [...rules] } });
  await using program = await openPair(place);
  const { run_id } = await startRun(program, "go", { model: MODEL });
  const prompts = await answer(program, run_id, answers);
  const { events } = await followRun(() => program, run_id);
  const done = eventsOf(events, "tool.done").map(({ payload }) => payload);
  return { prompts, done, asked: eventsOf(events, "approval.requested").length };
}

async function scene(given: Scene, prepare: (place: TestHome) => void = () => undefined) {
  await using model = await startAgent([
    ...given.steps.map((step) => ({ calls: [step] })),
    { say: "Done." },
  ]);
  const place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  prepare(place);
  return { place, ...(await played(place, model, given)) };
}

const exec = (command: string, more: object = {}): Step => ({
  name: "exec",
  args: { command, ...more },
});
const write = (path: string, content: string): Step => ({ name: "write", args: { path, content } });
const allow = (...argv: string[]): Rule => ({ effect: "allow", tool: "exec", argv });

test("[P2d] an allowed git status is asked about in a directory that the rule does not name", async () => {
  const config = '[core]\nbare = false\nworktree = .\nfsmonitor = "id >> ../ran; false"\n';
  const steps = [
    write("sub/HEAD", "ref: refs/heads/main\n"),
    write("sub/config", config),
    write("sub/objects/keep", ""),
    write("sub/refs/keep", ""),
    exec("git status", { cwd: "sub" }),
    exec("cd sub && git status"),
  ];
  const [once, deny] = [{ choice: "once" }, { choice: "deny" }];
  const rules = [allow("git", "status")];
  // The last file makes the folder a repository, which is asked about by itself (P1).
  const { place, asked } = await scene({ steps, rules, answers: [once, deny, deny] });
  using _ = place;
  assert.equal(asked, 3);
  assert.equal(existsSync(join(place.workspace, "sub/refs/keep")), true);
  assert.equal(existsSync(join(place.workspace, "ran")), false);
});

test("[P3] “always” for git log covers neither another command nor an option that writes", async () => {
  const evil = "git log -1 --format=evil --output=.git/config";
  const steps = [exec("git log"), exec(evil), exec("git log --oneline"), exec(evil)];
  const pattern = { choice: "always", pattern: 0 };
  const answers = [{ choice: "always" }, { choice: "deny" }, pattern, { choice: "deny" }];
  const { place, asked, prompts } = await scene({ steps, answers });
  using _ = place;
  assert.equal(asked, 4);
  assert.deepEqual(prompts, ["git log", evil, "git log --oneline", evil]);
  assert.equal(existsSync(join(place.workspace, ".git/config")), false);
});

test("[P3c, P3d] a yes for a script is for its content: a changed one is asked about again", async () => {
  const steps = [
    exec("./x.sh"),
    exec("./x.sh"),
    write("x.sh", "#!/bin/sh\necho evil > ran\n"),
    exec("./x.sh"),
  ];
  for (const choice of ["session", "always"]) {
    const answers = [{ choice }, { choice: "deny" }];
    const { place, asked } = await scene({ steps, answers }, withScript);
    using _ = place;
    assert.equal(asked, 2, "not for the second call, and for the changed script");
    assert.equal(textOf(join(place.workspace, "ran")), "good\n");
  }
});

function withScript({ workspace }: TestHome): void {
  writeFileSync(join(workspace, "x.sh"), "#!/bin/sh\necho good > ran\n");
  chmodSync(join(workspace, "x.sh"), 0o755);
}

test("[P3d, P4] a script that changes while its approval waits does not run: plan_changed", async () => {
  await using model = await startAgent([
    { calls: [exec("./x.sh")] },
    { calls: [exec("sh x.sh")] },
    { say: "Done." },
  ]);
  using place = newTestHome({ base_url: model.baseUrl, model: MODEL });
  withScript(place);
  await using program = await openPair(place);
  const { run_id } = await startRun(program, "go", { model: MODEL });
  for (const index of [1, 2]) {
    const request = await until(async () => {
      const { body } = await call<{ pending: Pending[] }>(program, "GET", `/api/runs/${run_id}`);
      return body.data.pending[0];
    }, "a request");
    const changed = `#!/bin/sh\necho evil${index} > ran\n`;
    writeFileSync(join(place.workspace, "x.sh"), changed);
    const path = `/api/runs/${run_id}/approvals/${request.request_id}`;
    await call(program, "POST", path, { choice: "once" });
    await until(async () => {
      const { body } = await call<{ pending: Pending[] }>(program, "GET", `/api/runs/${run_id}`);
      return body.data.pending[0]?.request_id !== request.request_id;
    }, "it is settled");
  }
  const { events } = await followRun(() => program, run_id);
  const errors = eventsOf(events, "tool.done").map(({ payload }) => payload.error?.code);
  assert.deepEqual(errors, ["plan_changed", "plan_changed"]);
  assert.equal(existsSync(join(place.workspace, "ran")), false);
});

test("[P2h] a rule that denies a path holds for commands that name it", async () => {
  const rules: Rule[] = [{ effect: "deny", tool: "*", path: "secrets/**" }, allow("cat")];
  const steps = [
    exec("cat notes.txt"),
    exec("cat secrets/key"),
    exec("cat ./src/../secrets/key"),
    exec("cat < secrets/key", {}),
  ];
  const { place, done, asked } = await scene({ steps, rules, answers: [] }, ({ workspace }) => {
    mkdirSync(join(workspace, "secrets"));
    writeFileSync(join(workspace, "secrets/key"), "TOP-SECRET");
    writeFileSync(join(workspace, "notes.txt"), "notes");
  });
  using _ = place;
  assert.equal(asked, 0);
  assert.deepEqual(
    done.map(({ status }) => status),
    ["completed", "denied", "denied", "denied"],
  );
  assert.doesNotMatch(JSON.stringify(done), /TOP-SECRET/);
});
