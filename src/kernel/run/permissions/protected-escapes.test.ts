// Ways to leave something in a workspace that the person's own git or editor executes, tried in a real sandbox: what a
// command makes is looked at as the runner does it, and then git runs outside as the person would.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { protectedReason } from "./protected-files.ts";
import type { Guarded, TakenBack } from "../../workspace/sandbox/guard.ts";
import { sandboxChoices, soon, temporaryDirectory } from "../../workspace/host/test-support.ts";
import { toolHosts } from "../../workspace/client/tool-hosts.ts";

const ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_COUNT: "2",
  GIT_CONFIG_KEY_0: "user.name",
  GIT_CONFIG_VALUE_0: "me",
  GIT_CONFIG_KEY_1: "user.email",
  GIT_CONFIG_VALUE_1: "me@example.org",
};

async function place() {
  const base = await temporaryDirectory();
  for (const name of ["home", "work"]) mkdirSync(base.at(name));
  const hosts = toolHosts({ home: base.at("home"), sandbox: "required" });
  const workspace = base.at("work");
  const request = { marker: "m", notAfter: soon(), signal: new AbortController().signal };
  async function look(input: object) {
    const answer = await hosts.forWorkspace(workspace).call({ tool: "guard", input, ...request });
    assert.ok(answer.ok, JSON.stringify(answer));
    return answer.result;
  }
  const git = (...args: string[]) =>
    spawnSync("git", args, { cwd: workspace, env: ENV, encoding: "utf8" });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "one");
  return {
    git,
    at: (name: string) => `${workspace}/${name}`,
    /** The next command finds read-only what is protected now. */
    rest: () => hosts.forWorkspace(workspace, { network: false }).rest(),
    /** What was taken back. */
    async run(command: string): Promise<string[]> {
      const before = (await look({}))["found"] as Guarded;
      const grants = { network: false };
      const input = { command, timeout_s: 60 };
      const answer = await hosts
        .forWorkspace(workspace, grants)
        .call({ tool: "exec", input, ...request });
      assert.ok(
        answer.ok && answer.result["exit_code"] === 0,
        `${command}: ${JSON.stringify(answer)}`,
      );
      return ((await look({ before }))["taken"] as TakenBack[]).map(({ path }) => path);
    },
    async [Symbol.asyncDispose]() {
      await hosts[Symbol.asyncDispose]();
      await base[Symbol.asyncDispose]();
    },
  };
}

/** Settings with which `git status` runs a program, for printf. */
const evil = (ran: string, more = "") =>
  `'[core]\\nrepositoryformatversion = 0\\n${more}fsmonitor = "touch ${ran}; false"\\n'`;
const addSubmodule = (path: string) =>
  `git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),${path}`;

if ((await sandboxChoices()).includes("required")) {
  test("[SB3] a folder that cannot be listed hides nothing", async () => {
    await using ws = await place();
    const ran = ws.at("ran");

    const editor = await ws.run(
      "mkdir .vscode && echo evil > .vscode/tasks.json && chmod 311 .vscode",
    );
    const hooks = await ws.run(
      "git init -q --template= a && mkdir a/.git/hooks && echo evil > a/.git/hooks/pre-commit && chmod 100 a/.git/hooks",
    );
    const repository = await ws.run(
      `git init -q sub && printf ${evil(ran)} > sub/.git/config && ${addSubmodule("sub")} && chmod 600 sub/.git && chmod 311 sub`,
    );
    ws.git("status");

    assert.deepEqual(editor, [".vscode"]);
    assert.deepEqual(hooks, ["a/.git/hooks"]);
    assert.deepEqual(repository, ["sub/.git/config"]);
    assert.equal(existsSync(ran), false);
  });

  test("[SB3] a repository is looked at wherever a .git file or an index leads to it", async () => {
    await using ws = await place();
    const ran = ws.at("ran");
    const far = "node_modules/x.git/modules/y";

    const byFile = await ws.run(
      `mkdir -p one ${far} && git init -q t && mv t/.git/* ${far} && printf ${evil(ran, "worktree = ../../../../one\\n")} > ${far}/config` +
        ` && echo "gitdir: ../${far}" > one/.git && ${addSubmodule("one")}`,
    );
    const taken = [byFile];
    for (const [at, version] of [2, 3, 4].entries()) {
      const folder = `node_modules/z${at}`;
      const made = `git init -q ${folder} && printf ${evil(ran)} > ${folder}/.git/config && ${addSubmodule(folder)}`;
      taken.push(await ws.run(`git update-index --index-version ${version} && ${made}`));
    }
    const split = `git init -q .venv/s && printf ${evil(ran)} > .venv/s/.git/config && ${addSubmodule(".venv/s")}`;
    taken.push(await ws.run(`${split} && git update-index --split-index`));
    ws.git("status");

    assert.deepEqual(taken, [
      [`${far}/config`],
      ...[0, 1, 2].map((at) => [`node_modules/z${at}/.git/config`]),
      [".venv/s/.git/config"],
    ]);
    assert.equal(existsSync(ran), false);
  });

  test("[SB3a] a folder in which programs are looked for is read-only, and writing there asks", async () => {
    await using ws = await place();
    const earlier = process.env["PATH"] ?? "";
    process.env["PATH"] = `${ws.at(".venv/bin")}:${ws.at("")}:${earlier}`; // a person has activated it
    mkdirSync(ws.at(".venv/bin"), { recursive: true });
    try {
      await ws.run("echo evil > .venv/bin/bwrap || mv .venv/bin b || mv .venv v || true");

      assert.deepEqual(readdirSync(ws.at(".venv/bin")), []);
      assert.match(protectedReason(".venv/bin/bwrap", ws.at("")) ?? "", /protected file/);
      assert.equal(protectedReason("src/main.py", ws.at("")), undefined);
    } finally {
      process.env["PATH"] = earlier;
    }
  });

  test("[SB3] no protected file is left writable for lack of room", async () => {
    await using ws = await place();
    await ws.run("seq -f f%g/.vscode 505 | xargs mkdir -p");
    await ws.rest();

    const taken = await ws.run(
      "for each in f*/.vscode; do mkdir $each/x 2> /dev/null && touch written; done; true",
    );

    assert.deepEqual([taken, existsSync(ws.at("written"))], [[], false]);
  });
}
