import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { link, mkdir, symlink, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { searchFiles } from "./search.ts";
import {
  refusedWith,
  temporaryDirectory,
  testCall,
  type TestDirectory,
} from "../host/test-support.ts";
import { formatProtected, parseProtected } from "../host/workspace.ts";

const ENGINES = [
  ["ripgrep", { ripgrep: rgPath }],
  ["built in", {}],
] as const;

async function project(): Promise<TestDirectory> {
  const ws = await temporaryDirectory();
  for (const directory of ["src/deep", ".git", "node_modules/x", ".github"]) {
    await mkdir(ws.at(directory), { recursive: true });
  }
  await writeFile(ws.at("src/a.ts"), "const needle = 1;\nother\nuse(needle);\n");
  await writeFile(ws.at("src/deep/b.md"), "A Needle\r\nneedle (x)\r\n");
  await writeFile(ws.at(".github/ci.yml"), "run: needle");
  await writeFile(ws.at(".git/config"), "needle");
  await writeFile(ws.at("node_modules/x/i.js"), "needle");
  await writeFile(ws.at("binary"), Buffer.concat([Buffer.from("needle"), Buffer.alloc(10)]));
  return ws;
}

for (const [name, engine] of ENGINES) {
  test(`${name}: lines are found with their numbers, in order, without .git and node_modules`, async () => {
    await using ws = await project();
    const result = await searchFiles({ pattern: "needle", ...engine }, testCall(ws.path));

    assert.deepEqual(result, {
      ok: true,
      file: { path: "." },
      text:
        ".github/ci.yml:1: run: needle\n" +
        "src/a.ts:1: const needle = 1;\nsrc/a.ts:3: use(needle);\n" +
        "src/deep/b.md:2: needle (x)\n",
      files: 3,
      matches: 4,
      truncated: false,
    });
  });

  test(`${name}: patterns, plain text, case, glob, directory and bound`, async () => {
    await using ws = await project();
    const call = testCall(ws.path);
    const search = async (input: object) => searchFiles({ ...input, ...engine }, call);

    assert.equal(
      (await search({ pattern: "^use\\(n.*e\\);$" }))["text"],
      "src/a.ts:3: use(needle);\n",
    );
    assert.equal((await search({ pattern: "needle (x", literal: true }))["matches"], 1);
    assert.equal(
      (await search({ pattern: "NEEDLE", ignore_case: true, glob: "*.md" }))["matches"],
      2,
    );
    assert.equal((await search({ pattern: "needle", glob: "src/**/*.md" }))["matches"], 1);
    const below = await search({ pattern: "needle", path: "src/deep" });
    assert.deepEqual([below["text"], below["files"]], ["src/deep/b.md:2: needle (x)\n", 1]);
    const bounded = await search({ pattern: "needle", max_results: 2 });
    assert.deepEqual([bounded["matches"], bounded["truncated"]], [2, true]);
    assert.deepEqual((await search({ pattern: "nothing like it" }))["text"], "");
    await assert.rejects(search({ pattern: "(" }), refusedWith("invalid_request"));
    await assert.rejects(search({ pattern: "x", path: "../" }), refusedWith("outside_workspace"));
    await assert.rejects(search({ pattern: "x", path: "gone" }), refusedWith("not_found"));
  });

  test(`${name}: [S, D8] links, FIFOs, protected directories and second names of their files never show`, async () => {
    await using outer = await temporaryDirectory();
    await mkdir(outer.at("ws/h*me"), { recursive: true });
    await mkdir(outer.at("other"));
    await writeFile(outer.at("ws/h*me/journal.db"), "needle");
    await link(outer.at("ws/h*me/journal.db"), outer.at("ws/hard"));
    await writeFile(outer.at("other/secret"), "needle");
    await symlink(outer.at("other"), outer.at("ws/dir"));
    await symlink(outer.at("other/secret"), outer.at("ws/file"));
    await symlink("/proc/self/root", outer.at("ws/root"));
    execFileSync("mkfifo", [outer.at("ws/fifo")]);
    await writeFile(outer.at("ws/mine"), "needle");
    const protect = [parseProtected(await formatProtected(outer.at("ws/h*me")))];
    const call = testCall("", { workspace: { directory: outer.at("ws"), protect } });

    const result = await searchFiles({ pattern: "needle", ...engine }, call);

    assert.equal(result["text"], "mine:1: needle\n");
    for (const path of ["dir", "root/etc", "h*me"]) {
      await assert.rejects(searchFiles({ pattern: "x", path, ...engine }, call), path);
    }
  });

  test(`${name}: [B1] long lines and many matches stay within the bound`, async () => {
    await using ws = await temporaryDirectory();
    await writeFile(
      ws.at("wide"),
      `${"€".repeat(4_000)} needle ${"y".repeat(5_000)}\n`.repeat(900),
    );
    const input = { pattern: "needle", max_results: 1_000, ...engine };

    const result = await searchFiles(input, testCall(ws.path));

    const text = result["text"] as string;
    assert.ok(Buffer.byteLength(text) <= 65_536 && result["truncated"] === true);
    assert.match(text, /^wide:1: €{133}…\n/);
  });

  test(`${name}: [X7] an abort ends the search`, async () => {
    await using ws = await project();
    const call = testCall(ws.path);
    const searching = searchFiles({ pattern: "needle", ...engine }, call);
    call.abort.abort();
    await assert.rejects(searching, refusedWith("aborted"));
  });
}

test("what .gitignore names is left out by ripgrep", async () => {
  await using ws = await project();
  await writeFile(ws.at(".gitignore"), "*.md\n");
  const input = { pattern: "needle", path: "src", ripgrep: rgPath };
  const result = await searchFiles(input, testCall(ws.path));
  assert.equal(result["files"], 1);
});

test("a binary that is not there falls back to our own search", async () => {
  await using ws = await project();
  const input = { pattern: "needle", ripgrep: "/no/such/rg" };
  const result = await searchFiles(input, testCall(ws.path));
  assert.equal(result["matches"], 4);
});

test("[B4] a pattern that takes for ever is stopped", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "a".repeat(60));
  const searching = searchFiles({ pattern: "^(a+)+$b" }, testCall(ws.path));
  await assert.rejects(searching, /too long/);
});
