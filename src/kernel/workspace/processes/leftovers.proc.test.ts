// A tool host is killed while it replaces a file. The host and its file are real; only the age is made up.
import assert from "node:assert/strict";
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { test } from "node:test";
import { startToolHost, type ToolHost } from "../client/tool-host/client.ts";
import { isTemporary } from "./leftovers.ts";
import { sandboxChoices, soon, temporaryDirectory, waitUntil } from "../host/test-support.ts";

const LONG_AGO = 1_000_000_000;
const OURS = ".quarterdeck-00000000-0000-0000-0000-000000000000.tmp";

function call(host: ToolHost, tool: "write" | "tree", input: unknown) {
  const signal = new AbortController().signal;
  return host.call({ tool, input, marker: "run_a", notAfter: soon(), signal });
}

for (const sandbox of await sandboxChoices()) {
  test(`[T5, T5a] what a killed host left is removed by the next one, old and ours only (sandbox ${sandbox})`, async () => {
    await using ws = await temporaryDirectory();
    const left = (folder: string) => readdirSync(ws.at(folder)).filter(isTemporary);
    for (const folder of ["written", "seen", "fresh"]) await mkdir(ws.at(folder));
    await using host = startToolHost({ workspace: ws.path, protect: [], sandbox });
    const content = "x".repeat(8 << 20);
    while (left("written").length === 0) {
      assert.ok((await call(host, "write", { path: "written/a", content: "a" })).ok);
      let isOver = false;
      const writing = call(host, "write", { path: "written/a", content });
      void writing.finally(() => (isOver = true));
      await waitUntil("it writes, or has written", () => isOver || left("written").length > 0);
      process.kill(host.pid ?? 0, "SIGKILL");
      await writing;
      await waitUntil("the host is noticed to be gone", () => host.pid === undefined);
    }
    for (const folder of ["seen", "fresh"]) writeFileSync(ws.at(`${folder}/${OURS}`), "");
    const strangers = [".quarterdeck-notes.tmp", "a.tmp"];
    for (const name of strangers) writeFileSync(ws.at(`written/${name}`), "");
    const [killed = ""] = left("written");
    for (const name of [killed, ...strangers]) {
      utimesSync(ws.at(`written/${name}`), LONG_AGO, LONG_AGO);
    }
    utimesSync(ws.at(`seen/${OURS}`), LONG_AGO, LONG_AGO);

    assert.ok((await call(host, "write", { path: "written/b", content: "b" })).ok);
    assert.deepEqual(readdirSync(ws.at("written")).toSorted(), [...strangers, "a", "b"].toSorted());
    assert.ok((await call(host, "tree", {})).ok);
    assert.deepEqual([left("seen"), left("fresh")], [[], [OURS]], "a fresh one may have a writer");
  });
}
