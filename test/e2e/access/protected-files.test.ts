// Files of a workspace that git, editors and shells of the person execute: a command in the sandbox changes none
// of them without being allowed to (A3, A4, A13), and everything else of git works in there.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findSandbox } from "../../../src/kernel/workspace/sandbox/find/sandbox.ts";
import { followRun } from "../../support/follow.ts";
import { call, startRun } from "../../support/http.ts";
import { openPair } from "../../support/pair.ts";
import { newTestHome, type TestHome } from "../../support/program.ts";
import { answerQuestion, eventsOf } from "../../support/runs.ts";
import { startAgent } from "../../support/models/scripted-agent.ts";
import { until } from "../../support/until.ts";

const MODEL = "scripted/agent";
const ME = "-c user.name=me -c user.email=me@example.org";
type Command = { command: string; protected?: boolean; background?: boolean; after?: string };

/**
 * One after another, with every question answered before it is asked. `after`: once there is this file. `dies`: one
 * ends its own tool host.
 */
async function runAll(place: TestHome, commands: readonly Command[], { dies = false } = {}) {
  await using model = await startAgent([
    ...commands.map(({ after, ...args }) => ({
      calls: [{ name: "exec", args }],
      ...(after !== undefined && {
        after: () => until(() => existsSync(join(place.workspace, after)), after),
      }),
    })),
    { say: "Done." },
  ]);
  const file = join(place.home, "config.json");
  const settings = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...settings, base_url: model.baseUrl, model: MODEL }));
  await using program = await openPair(place);
  const session_id = "sess_1";
  await call(program, "POST", "/api/sessions", { session_id });
  await call(program, "POST", `/api/sessions/${session_id}/settings`, { yolo: true });
  const { run_id } = await startRun(program, "go", { session_id, model: MODEL });
  const answered = dies ? answerQuestion(program, run_id, "skip") : undefined;
  const { events } = await followRun(() => program, run_id);
  await answered;
  const done = eventsOf(events, "tool.done").map(({ payload }) => payload);
  assert.equal(done.length, commands.length, JSON.stringify(events.at(-1)?.payload));
  return { done, events };
}

function repository(path: string): void {
  mkdirSync(path, { recursive: true });
  const git = (...args: string[]) => execFileSync("git", args, { cwd: path, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git(
    "-c",
    "user.name=me",
    "-c",
    "user.email=me@example.org",
    "commit",
    "--allow-empty",
    "-m",
    "a",
  );
}

const { kind } = await findSandbox();
if (kind === "bubblewrap") {
  test("[SB3a] no command changes what git executes, by writing, renaming or replacing", async () => {
    using place = newTestHome();
    const { workspace } = place;
    repository(workspace);
    mkdirSync(join(workspace, ".vscode"));
    writeFileSync(join(workspace, ".vscode/tasks.json"), "{}");
    const at = (name: string) => readFileSync(join(workspace, name), "utf8");
    const [config, tasks] = [at(".git/config"), at(".vscode/tasks.json")];

    const { done } = await runAll(place, [
      { command: `git log -1 --format='[core]%nfsmonitor = "touch x"' --output=.git/config` },
      { command: "echo '#!/bin/sh' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit" },
      { command: "mv .git g && cp -r g .git && echo '[a]' >> .git/config" },
      {
        command:
          "mv .git/hooks .git/h; rm -rf .git/hooks .git/config; echo '{ }' > .vscode/tasks.json",
      },
      {
        command: `echo hi > a.txt && git add -A && git ${ME} commit -qm two && git checkout -qb topic`,
      },
    ]);

    assert.equal(at(".git/config"), config);
    assert.equal(at(".vscode/tasks.json"), tasks);
    assert.equal(existsSync(join(workspace, ".git/hooks/post-commit")), false);
    assert.equal(done[4]?.exit_code, 0, JSON.stringify(done[4]));
    const log = execFileSync("git", ["log", "--format=%s", "topic"], { cwd: workspace });
    assert.equal(log.toString(), "two\na\n");
  });

  test("[SB3b, SB3c] protected files that a command makes are taken back, told and kept", async () => {
    using place = newTestHome();
    const { workspace } = place;
    const at = (name: string) => join(workspace, name);
    const bare = "mkdir -p b/objects b/refs; echo 'ref: refs/heads/main' > b/HEAD";
    const commands = [
      { command: "mkdir .vscode && echo '{\"tasks\":1}' > .vscode/tasks.json" },
      { command: "echo 'touch x' > .envrc; echo 'touch x' > .bashrc; ln -s /etc .husky" },
      { command: `${bare}; printf '[core]\\nfsmonitor = touch x\\n' > b/config` },
      { command: `git init -q sub && git -C sub ${ME} commit -q --allow-empty -m one` },
      { command: "git -C sub config core.fsmonitor 'touch x'" },
      { command: "mkdir .claude; echo 1 > .claude/x; kill -9 $PPID" },
      { command: "echo fine > plain.txt" },
    ];
    const { done, events } = await runAll(place, commands, { dies: true });

    for (const name of [
      ".vscode/tasks.json",
      ".envrc",
      ".bashrc",
      ".husky",
      "b/config",
      ".claude",
    ]) {
      assert.equal(existsSync(at(name)), false, name);
    }
    assert.doesNotMatch(readFileSync(at("sub/.git/config"), "utf8"), /fsmonitor/);
    assert.deepEqual(
      done.map(({ error }) => error?.code ?? null),
      ["protected", "protected", "protected", null, "protected", "skipped", null],
    );
    assert.match(String(done[0]?.error?.message), /\.vscode .*taken back|taken back: \.vscode/);
    const emitted = eventsOf(events, "progress").map(({ payload }) => payload.message);
    assert.ok(emitted.some((message) => /\.envrc is kept as [0-9a-f]{64}/.test(message)));
    assert.equal(readFileSync(at("plain.txt"), "utf8"), "fine\n");
  });

  test("[SB3] what a person allowed for protected files is done and stays", async () => {
    using place = newTestHome();
    repository(place.workspace);
    await runAll(place, [
      { command: "git config user.name agent && echo x > .envrc", protected: true },
      { command: "cat .envrc" },
    ]);
    assert.match(readFileSync(join(place.workspace, ".git/config"), "utf8"), /name = agent/);
    assert.equal(readFileSync(join(place.workspace, ".envrc"), "utf8"), "x\n");
  });

  test("[SB3b] what one in the background changes between commands is taken back, what was allowed stays", async () => {
    using place = newTestHome();
    const at = (name: string) => join(place.workspace, name);
    const { done } = await runAll(place, [
      { command: "git init -q sub" }, // harmless, so it stays; its host has begun before it was there
      {
        command: "git -C sub config core.fsmonitor 'touch x'; touch ready; sleep 600",
        background: true,
      },
      { command: "true", after: "ready" },
      { command: "echo x > .envrc", protected: true },
      { command: "true" },
    ]);
    const errors = done.map(({ error }) => error?.code ?? null);
    assert.deepEqual(errors, [null, null, "protected", null, null]);
    assert.doesNotMatch(readFileSync(at("sub/.git/config"), "utf8"), /fsmonitor/);
    assert.equal(readFileSync(at(".envrc"), "utf8"), "x\n");
  });
}
