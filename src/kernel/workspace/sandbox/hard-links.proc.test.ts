// Second names of files in the home, and user files that only look like one.
import assert from "node:assert/strict";
import { linkSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { toolHosts } from "../client/tool-hosts.ts";
import type { ToolName } from "../host/tools.ts";
import { sandboxChoices, soon, temporaryDirectory } from "../host/test-support.ts";

async function place(sandbox: "off" | "required") {
  const base = await temporaryDirectory();
  for (const name of ["home", "home/blobs", "home/blobs/ab", "work"]) mkdirSync(base.at(name));
  for (const name of ["token", "push-keys.json", "config.json", "blobs/ab/abcd"]) {
    writeFileSync(base.at(`home/${name}`), "of the home");
  }
  const hosts = toolHosts({ home: base.at("home"), sandbox });
  async function call(
    tool: ToolName,
    input: object,
    network?: boolean,
  ): Promise<Record<string, unknown>> {
    let text = "";
    const grants = network === undefined ? {} : { network };
    const answer = await hosts.forWorkspace(base.at("work"), grants).call({
      tool,
      input,
      marker: "m",
      notAfter: soon(),
      signal: new AbortController().signal,
      onOutput: ({ data }) => void (text += data.toString()),
    });
    return { text, ...(answer.ok ? { code: "ok", ...answer.result } : answer.error) };
  }
  return {
    at: base.at,
    call,
    async [Symbol.asyncDispose]() {
      await hosts[Symbol.asyncDispose]();
      await base[Symbol.asyncDispose]();
    },
  };
}

for (const sandbox of await sandboxChoices()) {
  test(`[SB8] a file of the person is theirs, although its inode was one of the home's (sandbox ${sandbox})`, async () => {
    await using ws = await place(sandbox);
    assert.equal((await ws.call("list_files", { path: "." }))["code"], "ok"); // the host has started
    // What ext4 does with a freed inode, without waiting for it: the same number, another file's.
    renameSync(ws.at("home/token"), ws.at("work/report.txt"));

    const { versions } = await ws.call("version", { paths: ["report.txt"] });
    const [found] = versions as { version: object | null }[];
    assert.ok(found?.version, "it has a version, so its changes are journaled");
    assert.equal((await ws.call("read", { path: "report.txt" }))["code"], "ok");
    const edit = { path: "report.txt", old_text: "home", new_text: "person" };
    assert.equal((await ws.call("edit", edit))["code"], "ok");
  });

  test(`[SB8] a second name of any file of the home is refused (sandbox ${sandbox})`, async () => {
    await using ws = await place(sandbox);
    const names = ["token", "push-keys.json", "blobs/ab/abcd"];
    names.forEach((name, at) => linkSync(ws.at(`home/${name}`), ws.at(`work/second-${at}`)));
    for (const at of names.keys()) {
      assert.equal((await ws.call("read", { path: `second-${at}` }))["code"], "protected");
      const write = { path: `second-${at}`, content: "x" };
      assert.equal((await ws.call("write", write))["code"], "protected");
    }
    linkSync(ws.at("home/config.json"), ws.at("work/later")); // made while the host runs
    assert.equal((await ws.call("read", { path: "later" }))["code"], "protected");
    if (sandbox === "off") return; // there a command has the rights of the person anyway
    const { text } = await ws.call("exec", { command: "cat second-*; echo y >> second-1" }, false);
    assert.doesNotMatch(String(text), /of the home/);
  });
}
