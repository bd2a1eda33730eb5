// Git through the reading tool host, with and without a sandbox: what it tells, and what a repository cannot
// make it do.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type {
  GitDiffView,
  GitLogView,
  GitStatusView,
  GitView,
  GitWorktreesView,
} from "../../api/records/records.ts";
import { sandboxChoices, temporaryDirectory } from "../host/test-support.ts";
import { workspaceReader } from "./workspace-reader.ts";

const signal = new AbortController().signal;
type Some<View> = Extract<View, { repository: true }>;

const IDENTITY = {
  GIT_AUTHOR_NAME: "A Person",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A Person",
  GIT_COMMITTER_EMAIL: "a@example.org",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

async function place(sandbox: Awaited<ReturnType<typeof sandboxChoices>>[number]) {
  const base = await temporaryDirectory();
  mkdirSync(base.at("home"));
  mkdirSync(base.at("repo"));
  const reader = workspaceReader({ home: base.at("home"), sandbox });
  const git = (where: string, ...args: string[]) =>
    execFileSync("git", args, {
      cwd: base.at(where),
      env: { ...process.env, ...IDENTITY },
      stdio: ["ignore", "pipe", "ignore"],
    })
      .toString()
      .trim();
  const read = async <View extends GitView>(
    where: string,
    request: { action: View["action"] } & object,
  ) => {
    const found = await reader.git({ workspace: base.at(where), signal, ...request });
    assert.ok(found.ok, JSON.stringify(found));
    return found.data as View;
  };
  return {
    base,
    git,
    read,
    reader,
    status: async (where: string) => {
      const view = await read<GitStatusView>(where, { action: "status" });
      assert.ok(view.repository, JSON.stringify(view));
      return view;
    },
    diff: async (where: string, request: object = { of: "worktree" }) => {
      const view = await read<GitDiffView>(where, { action: "diff", ...request });
      assert.ok(view.repository, JSON.stringify(view));
      return view;
    },
    async [Symbol.asyncDispose]() {
      await reader[Symbol.asyncDispose]();
      await base[Symbol.asyncDispose]();
    },
  };
}

const letters = ({ entries }: Some<GitStatusView>) =>
  entries.map(
    ({ path, index, worktree, from }) => `${index}${worktree} ${path}${from ? ` < ${from}` : ""}`,
  );

function leftBehind(base: string): string[] {
  return readdirSync(tmpdir()).filter((name) => {
    if (!name.startsWith("quarterdeck-git-")) return false;
    try {
      return readlinkSync(join(tmpdir(), name, "objects")).startsWith(base);
    } catch {
      return false; // somebody else's
    }
  });
}

for (const sandbox of await sandboxChoices()) {
  test(`[H11] status, diff, log and worktrees of a repository (sandbox ${sandbox})`, async () => {
    await using here = await place(sandbox);
    const { base, git } = here;
    git("repo", "init", "-q", "-b", "main");
    assert.deepEqual(letters(await here.status("repo")), []);
    assert.equal((await here.status("repo")).head, null, "nothing was committed yet");
    const none = (await here.read<GitLogView>("repo", { action: "log" })) as Some<GitLogView>;
    assert.deepEqual([none.commits, none.next_offset], [[], null]);

    writeFileSync(base.at("repo/a.txt"), "one\ntwo\n");
    writeFileSync(base.at("repo/old name.txt"), "a file that is renamed, of some length\n");
    writeFileSync(base.at("repo/.gitignore"), "ignored/\n");
    git("repo", "add", ".");
    git("repo", "commit", "-qm", "First");
    writeFileSync(base.at("repo/a.txt"), "one\nTWO\n");
    git("repo", "mv", "old name.txt", 'näme "2".txt');
    writeFileSync(base.at("repo/new.txt"), "new\n");
    mkdirSync(base.at("repo/ignored"));
    writeFileSync(base.at("repo/ignored/x"), "");
    writeFileSync(base.at("repo/two\nlines"), "");
    const status = await here.status("repo");
    assert.deepEqual(letters(status).toSorted(), [
      ".M a.txt",
      "?? new.txt",
      "?? two\nlines",
      'R. näme "2".txt < old name.txt',
    ]);
    assert.deepEqual([status.branch, status.prefix], ["main", ""]);

    const [changed] = (await here.diff("repo")).files;
    assert.deepEqual(
      [changed?.path, changed?.text, changed?.added, changed?.removed],
      ["a.txt", "@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n", 1, 1],
    );
    const [renamed] = (await here.diff("repo", { of: "index" })).files;
    assert.deepEqual(
      [renamed?.path, renamed?.from, renamed?.what],
      ['näme "2".txt', "old name.txt", "renamed"],
    );
    assert.deepEqual((await here.diff("repo", { of: "worktree", path: "new.txt" })).files, []);

    git("repo", "add", "a.txt");
    git("repo", "commit", "-qm", "Second: two\n\nMore.");
    const log = (await here.read<GitLogView>("repo", {
      action: "log",
      limit: 1,
    } as never)) as Some<GitLogView>;
    assert.deepEqual(
      log.commits.map(({ subject, author, refs }) => [subject, author, refs]),
      [["Second: two", "A Person", ["HEAD -> main"]]],
    );
    assert.equal(log.next_offset, 1);
    const head = git("repo", "rev-parse", "HEAD");
    const commit = await here.diff("repo", { of: "commit", commit: head.slice(0, 10) });
    assert.deepEqual(commit.files.map(({ path }) => path).toSorted(), ["a.txt", 'näme "2".txt']);
    const first = git("repo", "rev-parse", "HEAD~1");
    const begun = await here.diff("repo", { of: "commit", commit: first, path: "a.txt" });
    assert.deepEqual(
      begun.files.map(({ path, what, added }) => [path, what, added]),
      [["a.txt", "added", 2]],
    );
    const unknown = await here.reader.git({
      workspace: base.at("repo"),
      signal,
      action: "diff",
      of: "commit",
      commit: "0123abcd",
    });
    assert.equal(unknown.ok ? "found" : unknown.code, "not_found");
  });

  test(`[H11b] a workspace below a bigger repository shows its own part (sandbox ${sandbox})`, async () => {
    await using here = await place(sandbox);
    const { base, git } = here;
    git("repo", "init", "-q", "-b", "main");
    mkdirSync(base.at("repo/inner/deep"), { recursive: true });
    writeFileSync(base.at("repo/outer.txt"), "secret of the rest\n");
    writeFileSync(base.at("repo/.gitignore"), "*.log\n");
    writeFileSync(base.at("repo/inner/mine.txt"), "mine\n");
    git("repo", "add", ".");
    git("repo", "commit", "-qm", "Both");
    writeFileSync(base.at("repo/outer.txt"), "changed\n");
    git("repo", "commit", "-qam", "Only the rest");
    writeFileSync(base.at("repo/outer.txt"), "changed again\n");
    writeFileSync(base.at("repo/inner/mine.txt"), "MINE\n");
    writeFileSync(base.at("repo/inner/x.log"), "");
    const status = await here.status("repo/inner");
    assert.deepEqual([letters(status), status.prefix], [[".M mine.txt"], "inner"]);
    const { files } = await here.diff("repo/inner");
    assert.deepEqual(
      files.map(({ path, text }) => [path, text]),
      [["mine.txt", "@@ -1 +1 @@\n-mine\n+MINE\n"]],
    );
    const log = (await here.read<GitLogView>("repo/inner", { action: "log" })) as Some<GitLogView>;
    assert.deepEqual(
      log.commits.map(({ subject }) => subject),
      ["Both"],
    );
    const rest = git("repo", "rev-parse", "HEAD");
    assert.deepEqual((await here.diff("repo/inner", { of: "commit", commit: rest })).files, []);
    for (const path of ["../outer.txt", "..", "/etc/passwd", "deep/../../outer.txt"]) {
      const asked = { workspace: base.at("repo/inner"), signal, of: "worktree", path };
      const answer = await here.reader.git({ action: "diff", ...asked });
      assert.equal(answer.ok ? "told" : answer.code, "outside_workspace", path);
    }
  });

  test(`[H11c] a linked worktree is one; a pointer to somebody else's repository is not (sandbox ${sandbox})`, async () => {
    await using here = await place(sandbox);
    const { base, git } = here;
    git("repo", "init", "-q", "-b", "main");
    writeFileSync(base.at("repo/a.txt"), "one\n");
    git("repo", "add", ".");
    git("repo", "commit", "-qm", "First");
    git("repo", "worktree", "add", "-q", "-b", "side", base.at("linked"));
    writeFileSync(base.at("linked/a.txt"), "two\n");
    const status = await here.status("linked");
    assert.deepEqual([letters(status), status.branch], [[".M a.txt"], "side"]);
    assert.deepEqual(letters(await here.status("repo")), []);
    const { worktrees } = (await here.read<GitWorktreesView>("linked", {
      action: "worktrees",
    })) as Some<GitWorktreesView>;
    assert.deepEqual(
      worktrees.map(({ path, branch, current }) => [path, branch, current]),
      [
        [base.at("repo"), null, false],
        [base.at("linked"), "side", true],
      ],
    );
    mkdirSync(base.at("thief"));
    for (const pointed of [base.at("repo/.git"), base.at("repo/.git/worktrees/linked"), "/"]) {
      writeFileSync(base.at("thief/.git"), `gitdir: ${pointed}\n`);
      const view = await here.read<GitStatusView>("thief", { action: "status" });
      assert.deepEqual([view.repository, !view.repository && view.reason], [false, "not_readable"]);
    }
    rmSync(base.at("thief/.git"));
    symlinkSync(base.at("repo/.git"), base.at("thief/.git"));
    assert.equal((await here.read<GitStatusView>("thief", { action: "status" })).repository, false);
  });

  test(`[S, H11] no program that a repository names is run (sandbox ${sandbox})`, async () => {
    await using here = await place(sandbox);
    const { base, git } = here;
    git("repo", "init", "-q", "-b", "main");
    writeFileSync(base.at("repo/a.txt"), "one\n");
    git("repo", "add", ".");
    git("repo", "commit", "-qm", "First");
    const mark = base.at("repo/ran");
    const program = base.at("repo/evil");
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${mark}\ncat\n`);
    chmodSync(program, 0o755);
    writeFileSync(base.at("repo/more.conf"), `[core]\n\taskPass = ${program}\n`);
    for (const [key, value] of [
      ["core.fsmonitor", program],
      ["core.pager", program],
      ["core.editor", program],
      ["core.sshCommand", program],
      ["core.hooksPath", base.at("repo")],
      ["core.alternateRefsCommand", program],
      ["diff.external", program],
      ["diff.evil.textconv", program],
      ["diff.evil.command", program],
      ["filter.evil.clean", program],
      ["filter.evil.smudge", program],
      ["filter.evil.process", program],
      ["filter.evil.required", "true"],
      ["gpg.program", program],
      ["log.showSignature", "true"],
      ["credential.helper", program],
      ["alias.status", `!${program}`],
      ["pager.log", program],
      ["core.worktree", base.at("home")],
      ["remote.evil.url", `ext::${program}`],
      ["remote.evil.promisor", "true"],
      ["extensions.partialClone", "evil"],
      ["include.path", base.at("repo/more.conf")],
    ] as const) {
      git("repo", "config", key, value);
    }
    for (const hook of ["post-index-change", "fsmonitor-watchman", "pre-commit"]) {
      writeFileSync(base.at(`repo/${hook}`), `#!/bin/sh\necho hook >> ${mark}\n`, { mode: 0o755 });
    }
    writeFileSync(base.at("repo/.gitattributes"), "* filter=evil diff=evil\n");
    writeFileSync(base.at("repo/.git/info/attributes"), "* filter=evil diff=evil\n");
    writeFileSync(base.at("repo/a.txt"), "two\n");
    const status = await here.status("repo");
    assert.ok(letters(status).includes(".M a.txt"));
    assert.equal((await here.diff("repo")).files[0]?.text, "@@ -1 +1 @@\n-one\n+two\n");
    await here.diff("repo", { of: "index" });
    const log = (await here.read<GitLogView>("repo", { action: "log" })) as Some<GitLogView>;
    const commit = log.commits[0]?.commit;
    assert.equal((await here.diff("repo", { of: "commit", commit })).files.length, 1);
    await here.read<GitWorktreesView>("repo", { action: "worktrees" });
    assert.equal(existsSync(mark), false, "something of the repository's ran");
    assert.ok(!existsSync(base.at("repo/.git/index.lock")));
    assert.deepEqual(leftBehind(base.path), [], "what git was shown is gone");
    // The proof that the traps are set: git itself steps into them.
    git("repo", "config", "--unset", "core.worktree");
    try {
      git("repo", "status");
    } catch {
      // it may well fail on them
    }
    assert.equal(existsSync(mark), true, "the traps are real");
  });

  test(`[S, H11] pipes, links and damage in a repository answer and do not hang (sandbox ${sandbox})`, async () => {
    await using here = await place(sandbox);
    const { base, git } = here;
    mkdirSync(base.at("plain"));
    const plain = await here.read<GitStatusView>("plain", { action: "status" });
    assert.deepEqual(
      [plain.repository, !plain.repository && plain.reason],
      [false, "not_a_repository"],
    );
    const broken = async (where: string) => {
      const view = await here.read<GitStatusView>(where, { action: "status" });
      return view.repository ? "told" : view.reason;
    };
    mkdirSync(base.at("empty/.git"), { recursive: true });
    assert.equal(await broken("empty"), "not_readable");
    for (const part of ["HEAD", "config"]) {
      mkdirSync(base.at(part));
      git(part, "init", "-q", ".");
      rmSync(base.at(`${part}/.git/${part}`));
      execFileSync("mkfifo", [base.at(`${part}/.git/${part}`)]);
      assert.equal(await broken(part), "not_readable", part);
    }
    git("repo", "init", "-q", "-b", "main");
    for (const part of ["index", "packed-refs"])
      execFileSync("mkfifo", [base.at(`repo/.git/${part}`)]);
    execFileSync("mkfifo", [base.at("repo/pipe")]);
    assert.equal(await broken("repo"), "told");
    writeFileSync(base.at("repo/.git/config"), "[broken");
    assert.equal(await broken("repo"), "not_readable");
    writeFileSync(base.at("plain/.git"), "nothing");
    assert.equal(await broken("plain"), "not_readable");
    rmSync(base.at("repo/.git/objects"), { recursive: true });
    symlinkSync(base.at("home"), base.at("repo/.git/objects"));
    writeFileSync(base.at("repo/.git/config"), "");
    assert.equal(await broken("repo"), "not_readable");
  });
}

test("[S, H11] the journal's home is never a repository, and what is in it never shows", async () => {
  await using here = await place("off");
  const { base, git } = here;
  git("home", "init", "-q", "-b", "main");
  const inside = await here.reader.git({ workspace: base.at("home"), signal, action: "status" });
  assert.equal(inside.ok ? "told" : inside.code, "protected");
  mkdirSync(base.at("home/below"));
  const below = await here.reader.git({ workspace: base.at("home/below"), signal, action: "log" });
  assert.equal(below.ok ? "told" : below.code, "protected");
  rmSync(base.at("home/.git"), { recursive: true });
  execFileSync("git", ["init", "-q", "-b", "main", base.path]);
  writeFileSync(base.at("home/token"), "abc\n");
  git(".", "add", "home/token");
  writeFileSync(base.at("home/token"), "SECRET\n");
  const status = await here.status(".");
  assert.ok(!JSON.stringify(status).includes("token"));
  assert.deepEqual((await here.diff(".")).files, []);
  assert.deepEqual((await here.diff(".", { of: "index" })).files, []);
});
