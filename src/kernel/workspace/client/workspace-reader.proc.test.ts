import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { startToolHost } from "./tool-host/client.ts";
import {
  descendants,
  sandboxChoices,
  soon,
  temporaryDirectory,
  waitUntil,
} from "../host/test-support.ts";
import { workspaceReader, type WorkspaceReaderOptions } from "./workspace-reader.ts";

const signal = new AbortController().signal;
const whole = { path: ".", depth: 1, hidden: false };

async function places(options: Partial<WorkspaceReaderOptions> = {}) {
  const base = await temporaryDirectory();
  for (const name of ["home", "a", "b", "c"]) {
    mkdirSync(base.at(name));
    writeFileSync(base.at(`${name}/file-${name}.txt`), `of ${name}\n`);
  }
  const reader = workspaceReader({ home: base.at("home"), sandbox: "auto", ...options });
  const names = async (name: string) => {
    const found = await reader.list({ workspace: base.at(name), signal, ...whole });
    return found.ok ? found.data.entries.map(({ path }) => path) : found.code;
  };
  return { base, reader, names };
}

const readers = () => running("--role=reader");

function running(word: string): number {
  const isOne = (pid: number) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
    } catch {
      return false; // it has ended since
    }
  };
  return descendants(process.pid).filter(({ pid }) => isOne(pid)).length;
}

test("[D8] a reader is another process, one per workspace, and gone when nobody looks", async () => {
  const { base, reader, names } = await places({ idleMs: 30 });
  await using _base = base;
  await using _reader = reader;
  assert.deepEqual(await Promise.all([names("a"), names("a")]), [["file-a.txt"], ["file-a.txt"]]);
  assert.ok(readers() > 0);
  await waitUntil("the reader to be gone", () => readers() === 0);
  assert.deepEqual(await names("a"), ["file-a.txt"], "and there is another when it is needed");
});

test("[B4] there are only a few readers; another workspace takes the place of one nobody uses", async () => {
  const { base, reader, names } = await places({ maxReaders: 1, maxCalls: 2 });
  await using _base = base;
  await using _reader = reader;
  assert.deepEqual(await names("a"), ["file-a.txt"]);
  assert.deepEqual(await names("b"), ["file-b.txt"]);
  const answers = await Promise.all([names("b"), names("c"), names("b"), names("b")]);
  assert.deepEqual(answers, [["file-b.txt"], "busy", ["file-b.txt"], "busy"]);
});

test("[D8] the home is no workspace, and a place that is none is said so", async () => {
  const { base, reader, names } = await places();
  await using _base = base;
  await using _reader = reader;
  assert.equal(await names("home"), "protected");
  assert.equal(await names("nowhere"), "not_found");
});

test("[B4] a search nobody waits for any more is stopped", async () => {
  const slow = Promise.withResolvers<string>();
  const { base, reader } = await places({ ripgrep: () => slow.promise });
  await using _base = base;
  await using _reader = reader;
  const waiting = "#!/bin/sh\nsleep 611; true\n";
  writeFileSync(base.at("a/slow-search"), waiting, { mode: 0o755 });
  slow.resolve(base.at("a/slow-search"));
  const gone = new AbortController();
  const workspace = base.at("a");
  const found = reader.find({ workspace, signal: gone.signal, q: "x", regex: false });
  const searching = () => running("slow-search");
  await waitUntil("the search to begin", () => searching() > 0);
  gone.abort();
  const answer = await found;
  assert.equal(answer.ok ? "found" : answer.code, "aborted");
  await waitUntil("nothing of it to be left", () => searching() === 0);
});

for (const sandbox of await sandboxChoices()) {
  test(`[S] a reader looks and does nothing else (sandbox ${sandbox})`, async () => {
    await using base = await temporaryDirectory();
    mkdirSync(base.at("home"));
    const options = { workspace: base.path, protect: [base.at("home")], sandbox };
    await using host = startToolHost({ ...options, role: "reader" });
    const asked: [tool: "write" | "exec" | "read" | "open", input: object][] = [
      ["write", { path: "x", content: "x" }],
      ["exec", { command: "touch x" }],
      ["open", { command: "touch", args: ["x"], pipe_id: "p" }],
      ["read", { path: "x" }],
    ];
    for (const [tool, input] of asked) {
      const answer = await host.call({ tool, input, marker: "m", notAfter: soon(), signal });
      assert.equal(answer.ok ? "done" : answer.error.code, "invalid_request", tool);
    }
  });
}
