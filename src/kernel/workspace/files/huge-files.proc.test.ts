// One line of 600 MB under every operation on files, in a real tool host: memory does not follow.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { rgPath } from "@vscode/ripgrep";
import { startToolHost, type ToolCallRequest } from "../client/tool-host/client.ts";
import { soon, temporaryDirectory } from "../host/test-support.ts";

function kilobytes(pid: number, field: "VmHWM" | "VmRSS"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
}

test("[B1] a line of 600 MB costs the host a few chunks, whatever is done with it", async () => {
  await using ws = await temporaryDirectory();
  const make = (name: string, bytes: number) =>
    execFileSync("sh", ["-c", `head -c ${bytes} /dev/zero | tr '\\0' a > "$1"`, "sh", ws.at(name)]);
  make("huge", 600_000_000);
  make("long", 60_000_000);
  await writeFile(ws.at("needle"), "aaab\n");
  await using host = startToolHost({ workspace: ws.path, protect: [], sandbox: "off" });
  const call = async (tool: ToolCallRequest["tool"], input: unknown) => {
    const signal = AbortSignal.timeout(60_000);
    const answer = await host.call({ tool, input, marker: "m", notAfter: soon(), signal });
    return answer.ok ? answer.result : answer.error.code;
  };
  await call("read", { path: "needle" });
  const before = kilobytes(host.pid ?? 0, "VmRSS");

  const page = await call("read", { path: "huge" });
  const deep = await call("read", { path: "huge", offset: 2 });
  const hashed = await call("version", { paths: ["huge"] });
  const scanned = await call("tree", {});
  const listed = await call("list_files", {});
  const found = await call("search_files", { pattern: "aab", ripgrep: rgPath });
  const builtIn = await call("search_files", { pattern: "aab" });
  const edited = await call("edit", { path: "huge", old_text: "b", new_text: "c" });
  const added = await call("append", { path: "huge", content: "x" });

  const grown = kilobytes(host.pid ?? 0, "VmHWM") - before;
  assert.ok(typeof page === "object" && page["bytes"] === 65_536);
  assert.ok(typeof deep === "object" && deep["text"] === "");
  assert.ok(
    typeof hashed === "object" && typeof scanned === "object" && typeof listed === "object",
  );
  assert.ok(typeof found === "object" && found["text"] === "needle:1: aaab\n");
  assert.ok(typeof builtIn === "object" && builtIn["text"] === "needle:1: aaab\n");
  assert.deepEqual([edited, added], ["too_large", "too_large"]);
  assert.ok(grown < 64 * 1024, `the host grew by ${grown} kB`);
});
