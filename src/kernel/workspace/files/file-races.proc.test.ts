// Somebody swaps a directory for a link to another place, over and over, while every operation on
// files goes through it: nothing outside is ever changed, and nothing of it is ever shown.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, readFile, readdir, rename, symlink, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { until } from "../../../../test/support/until.ts";
import { append } from "./append.ts";
import { edit } from "./edit.ts";
import { listFiles } from "../listing/list.ts";
import { openFolder } from "./paths.ts";
import { read } from "./read.ts";
import { restore } from "./restore.ts";
import { searchFiles } from "../listing/search.ts";
import { temporaryDirectory, testCall } from "../host/test-support.ts";
import type { Tool, ToolCall } from "../host/tool-call.ts";
import { toToolError } from "../host/tool-error.ts";
import { tree } from "../listing/tree.ts";
import { version } from "../host/version.ts";
import { walk } from "../listing/walk.ts";
import { write } from "./write.ts";

// A write may make the directory anew while it is away; then it has to go.
const SWAP = `
  const { renameSync, symlinkSync, rmSync, writeSync } = require("node:fs");
  const [directory, parked, outside] = process.argv.slice(1);
  const insist = (act) => {
    for (let tries = 0; tries < 1000; tries += 1) {
      try {
        return act();
      } catch (error) {
        if (!["EEXIST", "ENOTEMPTY", "ENOTDIR", "ERR_FS_EISDIR"].includes(error.code)) throw error;
        try {
          rmSync(directory, { recursive: true, force: true });
        } catch {} // written into meanwhile
      }
    }
  };
  const stay = () => {
    for (let turns = Math.random() < 0.2 ? 100_000 : 0; turns > 0; turns -= 1);
  };
  process.stdin.resume().on("end", () => process.exit());
  setInterval(() => {
    for (let round = 0; round < 50; round += 1) {
      renameSync(directory, parked);
      insist(() => symlinkSync(outside, directory));
      stay();
      insist(() => rmSync(directory));
      insist(() => renameSync(parked, directory));
      stay();
    }
    writeSync(1, ".");
  }, 0);
`;
const OUTSIDE = "OUTSIDE needle";
const sha256 = createHash("sha256").update(OUTSIDE).digest("hex");

const OPERATIONS: readonly (readonly [Tool, object])[] = [
  [read, { path: "dir/f" }],
  [write, { path: "dir/new", content: "x" }],
  [write, { path: "dir/f", content: "inside needle" }],
  [edit, { path: "dir/f", old_text: "needle", new_text: "needle ", replace_all: true }],
  [append, { path: "dir/f", content: "+" }],
  [restore, { files: [{ path: "dir/f", expect: sha256, to: null }] }],
  [restore, { files: [{ path: "dir/f", expect: sha256, to: "eA==", mode: 0o600 }] }],
  [restore, { files: [{ path: "dir/made/g", expect: null, to: "eA==", mode: 0o600 }] }],
  [version, { paths: ["dir/f"], content: true }],
  [tree, {}],
  [listFiles, { path: "dir" }],
  [listFiles, { depth: 3 }],
  [searchFiles, { pattern: "needle" }],
  [searchFiles, { pattern: "needle", ripgrep: rgPath }],
];

async function outcomeOf(tool: Tool, input: object, call: ToolCall): Promise<string> {
  try {
    const result = JSON.stringify(await tool(input, call));
    assert.doesNotMatch(result, /OUTSIDE|only-outside/, tool.name);
    assert.ok(!result.includes(sha256), tool.name);
    return "done";
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return toToolError(error).code;
  }
}

test("[S] no swap of a directory for a link leads any operation outside", async () => {
  await using outer = await temporaryDirectory();
  await mkdir(outer.at("ws/dir"), { recursive: true });
  await mkdir(outer.at("outside"));
  await writeFile(outer.at("outside/f"), OUTSIDE);
  await writeFile(outer.at("outside/only-outside"), OUTSIDE);
  await writeFile(outer.at("ws/dir/f"), "inside needle");
  const paths = [outer.at("ws/dir"), outer.at("ws/parked"), outer.at("outside")];
  const swapper = spawn(process.execPath, ["-e", SWAP, ...paths], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(swapper, "exit");
  let rounds = 0;
  swapper.stdout.on("data", (dots: Buffer) => void (rounds += dots.length));
  const seen = new Set<string>();
  const call = testCall(outer.at("ws"));

  try {
    await until(() => rounds > 0, "the swapping to begin");
    const began = performance.now();
    // Until the race was really met: every kind of ending has been seen, and long enough.
    await until(async () => {
      for (const [tool, input] of OPERATIONS) seen.add(await outcomeOf(tool, input, call));
      const met = ["done", "outside_workspace"].every((ending) => seen.has(ending));
      return met && performance.now() - began > 2_500;
    }, "operations to meet both the link and the directory");
  } finally {
    swapper.stdin.end();
    await exited;
  }

  assert.equal(swapper.exitCode, 0);
  assert.doesNotMatch(call.printed.stdout, /OUTSIDE|only-outside/);
  assert.ok(!call.printed.stdout.includes(sha256));
  assert.deepEqual((await readdir(outer.at("outside"))).toSorted(), ["f", "only-outside"]);
  for (const name of ["f", "only-outside"]) {
    assert.equal(await readFile(outer.at(`outside/${name}`), "utf8"), OUTSIDE);
  }
});

test("[S] a directory swapped for a link after it was seen is not entered", async () => {
  await using outer = await temporaryDirectory();
  await mkdir(outer.at("ws/dir"), { recursive: true });
  await mkdir(outer.at("outside"));
  await writeFile(outer.at("outside/only-outside"), OUTSIDE);
  const { workspace, signal } = testCall(outer.at("ws"));
  await using folder = await openFolder(workspace, ".");
  const visited: string[] = [];

  const options = { workspace, signal, skip: () => false, onCut: () => undefined };
  for await (const { path } of walk(folder, options)) {
    visited.push(path);
    if (path !== "dir") continue;
    await rename(outer.at("ws/dir"), outer.at("ws/moved"));
    await symlink(outer.at("outside"), outer.at("ws/dir"));
  }

  assert.deepEqual(visited, ["dir"]);
});
