// What commands of a workspace find around them, with and without a sandbox: their environment, what rules
// hide, what outlives their call, and that a background process is found in the host that has it.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { sandboxChoices, soon, temporaryDirectory, waitUntil } from "../host/test-support.ts";
import { toolHosts } from "./tool-hosts.ts";
import { grantsOfProcess, newProcessId } from "../../run/tools/process-ids.ts";
import type { HostGrants } from "../../run/tools/tool.ts";

const MARKED = "/tmp/node_modules/.bin:/usr/local/lib/node_modules/npm/node-gyp-bin";
process.env["PATH"] = `${MARKED}:/usr/local/bin:/usr/bin:/bin`;

async function place(sandbox: "off" | "required") {
  const base = await temporaryDirectory();
  for (const name of ["home", "work"]) mkdirSync(base.at(name));
  const hosts = toolHosts({ home: base.at("home"), sandbox });
  const workspace = base.at("work");

  async function call(tool: "exec" | "process", input: object, grants: HostGrants) {
    let text = "";
    const answer = await hosts.forWorkspace(workspace, grants).call({
      tool,
      input,
      marker: "m",
      notAfter: soon(),
      signal: new AbortController().signal,
      onOutput: ({ data }) => void (text += data.toString()),
    });
    return { answer, text: text.trim() };
  }
  return {
    hosts,
    home: base.at("home"),
    at: (name: string) => `${workspace}/${name}`,
    call,
    run: (command: string, grants: HostGrants = {}, cwd = ".") =>
      call("exec", { command, cwd, timeout_s: 20 }, { network: false, ...grants }),
    async [Symbol.asyncDispose]() {
      await hosts[Symbol.asyncDispose]();
      await base[Symbol.asyncDispose]();
    },
  };
}

for (const sandbox of await sandboxChoices()) {
  test(`[SB5] a folder that looks like a repository runs nothing (sandbox ${sandbox})`, async () => {
    await using ws = await place(sandbox);
    for (const name of ["sub", "sub/objects", "sub/refs"]) mkdirSync(ws.at(name));
    writeFileSync(ws.at("sub/HEAD"), "ref: refs/heads/main\n");
    const settings = `bare = false\n\tworktree = .\n\tfsmonitor = "touch ${ws.at("ran")}; false"\n`;
    writeFileSync(ws.at("sub/config"), `[core]\n\trepositoryformatversion = 0\n\t${settings}`);

    for (const command of ["git status", "git diff", "git log -1", "git -C . status"]) {
      await ws.run(command, {}, "sub");
    }
    await ws.run("git --git-dir=sub --work-tree=sub status"); // named: then it counts, without its monitor

    assert.equal(existsSync(ws.at("ran")), false);
  });

  test(`[SB5a] npm's folders are not on the search path (sandbox ${sandbox})`, async () => {
    await using ws = await place(sandbox);
    const { text } = await ws.run("echo $PATH");
    assert.equal(text, "/usr/local/bin:/usr/bin:/bin");
  });

  test(`[SB5b] package managers have a cache of the workspace that is nobody else's (sandbox ${sandbox})`, async () => {
    await using ws = await place(sandbox);
    const names = "npm_config_cache PIP_CACHE_DIR CARGO_HOME GOMODCACHE GOCACHE UV_CACHE_DIR";
    const { text } = await ws.run(
      `for name in ${names}; do eval place=\\$$name; mkdir -p "$place" && echo 1 > "$place/kept" && echo "$place"; done`,
    );
    assert.equal(text.split("\n").length, 6, text);
    const again = await ws.run("cat $npm_config_cache/kept", { network: true });
    assert.equal(again.text, "1", "the same for every host of the workspace");
    assert.equal(readdirSync(`${ws.home}/caches`).length, 1);
  });

  test(`[SB5b] nothing that a command leaves in the cache keeps the next host from starting (sandbox ${sandbox})`, async () => {
    await using ws = await place(sandbox);
    const left = 'cd "$npm_config_cache/.." && rm -rf home && ln -s /nonexistent/there home';
    assert.equal((await ws.run(left)).answer.ok, true);
    const next = await ws.run("echo started", { tag: "another" }); // a host of its own
    assert.equal(next.text, "started", JSON.stringify(next.answer));
  });

  test(`[SB9, SB9b] a server of foreign tools has a folder that survives and that no command reaches (sandbox ${sandbox})`, async () => {
    await using ws = await place(sandbox);
    const mine = { keeper: "coder\0files" };
    const wrote = 'mkdir -p "$npm_config_cache" && echo 1 > "$npm_config_cache/kept" && echo 2';
    assert.equal(
      (await ws.run(`${wrote} > "$npm_config_cache/../home/kept" && echo $HOME`, mine)).answer.ok,
      true,
    );
    await ws.hosts.forWorkspace(ws.at("."), { network: false, ...mine }).rest();
    const read = "cat $npm_config_cache/kept $npm_config_cache/../home/kept 2>&-";
    assert.equal((await ws.run(read, mine)).text, "1\n2");
    assert.equal((await ws.run(read, { ...mine, network: true })).text, "1\n2");
    assert.equal((await ws.run(read)).text, "", "commands have another");
    assert.equal((await ws.run(read, { keeper: "coder\0other" })).text, "");
    if (sandbox === "off") return; // there programs have the person's own home
    await ws.run("echo 3 > ~/kept", mine);
    await ws.hosts.forWorkspace(ws.at("."), { network: false, ...mine }).rest();
    assert.equal((await ws.run("cat ~/kept", mine)).text, "3");
  });

  test(`[SB6] a child that left its group ends with its call (sandbox ${sandbox})`, async () => {
    await using ws = await place(sandbox);
    const late = "setsid sh -c 'echo > began; sleep 60; echo > late' >/dev/null 2>&1 &";
    const { answer } = await ws.run(`(${late}); while [ ! -e began ]; do :; done`);
    assert.ok(answer.ok && answer.result["ok"] === true, JSON.stringify(answer));
    const { text } = await ws.run("ps ax -o args | grep -c '[s]leep 60'");
    assert.equal(text, "0");
  });

  test(`[SB3] no command runs in the host for files (sandbox ${sandbox})`, async () => {
    await using ws = await place(sandbox);
    const input = { command: "touch ran" };
    const { answer } = await ws.call("exec", input, {});
    assert.equal(answer.ok ? "done" : answer.error.code, "invalid_request");
    assert.equal(existsSync(ws.at("ran")), false);
  });

  test(`a background process is found by its id, whatever is hidden later (sandbox ${sandbox})`, async () => {
    await using ws = await place(sandbox);
    writeFileSync(ws.at("secret"), "x");
    const grants = { network: false, protected: false, hidden: [ws.at("secret")] };
    const process_id = newProcessId(grants);
    const input = { command: "echo hello; sleep 60", background: true, process_id };
    assert.ok((await ws.call("exec", input, grants)).answer.ok);
    const later = grantsOfProcess(process_id);
    const log = { action: "log", process_id };
    await waitUntil("it printed", async () => {
      const { answer } = await ws.call("process", log, later);
      return answer.ok && String(answer.result["text"]).includes("hello");
    });
    const { answer } = await ws.call("process", log, { network: false });
    assert.ok(!answer.ok, "another host has no such process");
  });
}

if ((await sandboxChoices()).includes("required")) {
  test("[SB4] what a rule denies is not there for a command", async () => {
    await using ws = await place("required");
    mkdirSync(ws.at("secrets"));
    writeFileSync(ws.at("secrets/key"), "hidden words");
    writeFileSync(ws.at(".env"), "hidden words");
    const hidden = [ws.at("secrets"), ws.at(".env"), ws.at("not-there")];
    const { text } = await ws.run(
      "cat secrets/key .env; cp .env x; mv secrets s; cat s/key; cat /proc/self/mountinfo | wc -l; ls",
      { hidden },
    );
    assert.doesNotMatch(text, /hidden words/);
    assert.equal((await ws.run("cat .env")).text, "hidden words", "without the rule it is there");

    mkdirSync(ws.at("not-there"));
    writeFileSync(ws.at("not-there/key"), "hidden words");
    writeFileSync(ws.at(".env.new"), "hidden words");
    renameSync(ws.at(".env.new"), ws.at(".env")); // as editors save
    const later = await ws.run("cat .env not-there/key", { hidden });
    assert.doesNotMatch(later.text, /hidden words/, "also what was made or replaced since");
  });
}
