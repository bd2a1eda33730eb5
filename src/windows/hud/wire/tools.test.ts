// Arguments and results per tool, against the table of the document.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { tries } from "../../../../test/support/tries.ts";
import * as d from "../../../../test/support/drafts.ts";
import { seal } from "../../../../test/support/events.ts";
import type { EventOf, PayloadOf } from "../../../kernel/events/events.ts";
import type { HudRecord } from "./events.ts";
import { hudArgs as argsOf, mentionedIn, outlineOf, withoutWorkspace } from "./args.ts";
import { hudResult } from "./tools.ts";

type Done = PayloadOf<"tool.done">;
const OUTPUT = { head: "", tail: "", bytes: 0, sha256: null, truncated: false };

function resultOf(
  tool: string,
  args: HudRecord,
  { output = {}, ...done }: Partial<Omit<Done, "output">> & { output?: Partial<Done["output"]> },
) {
  const [event] = seal("r1", [d.toolDone("c1")]);
  const { payload } = event as EventOf<"tool.done">;
  const plan = { tool, arguments: args as never, workspace: "/home/me/work" };
  return hudResult(tool, outlineOf(plan), {
    done: {
      ...payload,
      result: null,
      exit_code: null,
      ...done,
      output: { ...OUTPUT, ...output },
    },
    event: event as EventOf<"tool.done">,
  });
}

const hudArgs = (tool: string, given: unknown) => {
  const [event] = seal("r1", [d.intent("c1")]);
  return argsOf(tool, given, event as EventOf<"tool.intent">);
};

const area = { startLine: 22, endLine: 28 };
const file = { path: "/home/me/work/a.txt", viewerPath: "a.txt", area };
const failed = {
  ok: false,
  status: "failed",
  error: { code: "not_found", message: "No such file" },
} as const;

test("[W6] read: file, lines, text, bytes, and whether there is more", () => {
  const result = { ok: true, file, area, bytes: 5, truncated: false };
  assert.deepEqual(resultOf("read", { path: file.path }, { result, output: { head: "hello" } }), {
    ok: true,
    file,
    area,
    text: "hello",
    bytes: 5,
    truncated: false,
  });
  assert.deepEqual(resultOf("read", { path: file.path, offset: 10, limit: 41 }, failed), {
    ok: false,
    file: { ...file, area: { startLine: 10, endLine: 50 } },
    area: { startLine: 10, endLine: 50 },
    text: "",
    bytes: 0,
    truncated: false,
    error: "No such file",
  });
  const nowhere = { startLine: 0, endLine: 0 };
  assert.deepEqual(resultOf("read", { path: "b" }, failed)["area"], nowhere);
});

test("[W6] write, edit and append: the lines of the file as it is now", () => {
  const result = { ok: true, file, area, bytes: 7 };
  assert.deepEqual(resultOf("write", { path: "a.txt" }, { result }), {
    ok: true,
    file,
    area,
    bytes: 7,
  });
  assert.deepEqual(resultOf("append", { path: "a.txt" }, { result }), {
    ok: true,
    file,
    area,
    bytes: 7,
  });
  assert.deepEqual(resultOf("edit", { path: "a.txt" }, { result }), { ok: true, file, area });
  const nowhere = { startLine: 0, endLine: 0 };
  for (const tool of ["write", "edit", "append"]) {
    const shape = resultOf(tool, { path: "./x/../a", content: "1\n2" }, failed);
    assert.deepEqual(shape["area"], nowhere, tool);
    assert.deepEqual(shape["file"], { path: "./x/../a", viewerPath: "x/../a", area: nowhere });
  }
  const vouched = { ok: true, status: "marked_done", result: { marked_done: true } } as const;
  const lines = { path: "a", content: "1\n2\n3" };
  assert.deepEqual(resultOf("write", lines, vouched)["area"], { startLine: 1, endLine: 3 });
  assert.deepEqual(resultOf("append", lines, vouched)["area"], nowhere, "nobody knows where");
  assert.equal(resultOf("append", lines, vouched)["status"], "marked_done");
});

test("[W6] exec: the code, what it printed, the files it names; -1 where there is no code", () => {
  const mentioned = [{ path: "./a.txt", viewerPath: "a.txt" }];
  const result = { ok: false, exit_code: 3, mentioned_paths: mentioned, truncated: false };
  const ran = { ok: false, status: "failed", exit_code: 3, result } as const;
  const args = { command: "cat ./a.txt" };
  assert.deepEqual(resultOf("exec", args, { ...ran, output: { head: "out", bytes: 3 } }), {
    ok: false,
    exitCode: 3,
    stdout: "out",
    truncated: false,
    mentionedPaths: mentioned,
  });
  const denied = {
    ok: false,
    status: "denied",
    error: { code: "denied", message: "No." },
  } as const;
  assert.deepEqual(resultOf("exec", args, denied), {
    ok: false,
    exitCode: -1,
    stdout: "",
    truncated: false,
    mentionedPaths: [{ path: "./a.txt", viewerPath: "a.txt" }],
    status: "denied",
    error: "No.",
  });
  const behind = resultOf("exec", args, { result: { ok: true, process_id: "p1" } });
  assert.deepEqual([behind["exitCode"], behind["processId"]], [-1, "p1"]);
  const late = resultOf("exec", args, { ok: false, result: { timed_out: true } });
  assert.match(String(late["error"]), /too long/);
});

test("[W6] web tools: text and address", () => {
  const args = { url: "https://a.example/x" };
  const result = { url: "https://b.example/", truncated: true };
  const output = { head: "page" };
  assert.deepEqual(resultOf("web_fetch", args, { result, output }), {
    ok: true,
    text: "page",
    url: "https://b.example/",
    truncated: true,
  });
  assert.equal(resultOf("web_fetch", args, failed)["url"], "https://a.example/x");
  const found = resultOf("web_search", { query: "q" }, { output });
  assert.deepEqual(found, { ok: true, text: "page", truncated: false });
});

test("[W6] action tools have a summary, and what nobody knows is passed on as it is", () => {
  for (const tool of ["browser", "canvas", "nodes", "message", "sessions_list"]) {
    const output = { head: "opened\nthe page" };
    assert.deepEqual(resultOf(tool, { action: "open" }, { result: { tab: 1 }, output }), {
      ok: true,
      summary: "opened the page",
      raw: { tab: 1, text: "opened\nthe page" },
    });
    assert.deepEqual(resultOf(tool, { action: "open" }, {}), { ok: true, summary: "open" });
  }
  for (const tool of ["mcp__x__y", "constructor", "__proto__", "toString"]) {
    assert.deepEqual(resultOf(tool, {}, { result: { any: [1] } }), { ok: true, raw: { any: [1] } });
  }
  const output = { head: "said" };
  assert.deepEqual(resultOf("memory", {}, { result: [1], output })["raw"], {
    value: [1],
    text: "said",
  });
});

test("[W6, B1] long texts are cut in the frame, and say where the whole is", () => {
  const head = "é".repeat(16_384);
  const blob = "ab".repeat(32);
  const output = { head, tail: "the end", bytes: 900_000, sha256: blob, truncated: true };
  for (const tool of ["read", "web_fetch", "exec", "memory", "browser"]) {
    const shown = resultOf(tool, {}, { output });
    assert.ok(Buffer.byteLength(JSON.stringify(shown)) < 18_000, tool);
    assert.equal(shown["truncated"], true, tool);
    const full = { bytes: 900_000, href: `/api/blobs/${blob}`, sha256: blob };
    assert.deepEqual(shown["full"], full, tool);
  }
  assert.match(
    String(resultOf("exec", {}, { output })["stdout"]),
    /^é+\n\[… \d+ bytes …\]\nthe end$/,
  );
  const whole = resultOf("read", {}, { output: { head, bytes: 32_768 } });
  assert.deepEqual(whole["full"], {
    bytes: 32_768,
    href: "/api/runs/r1/events?after_seq=0",
    eventId: "r1:1",
  });
  const middle = resultOf("exec", {}, { output: { head: `${head}LAST`, bytes: 32_772 } });
  assert.match(String(middle["stdout"]), /bytes …\]\né+LAST$/);
  const raw = resultOf("memory", {}, { result: { entries: [head, head, head] } });
  assert.ok(JSON.stringify(raw).length < 40_000 && raw["truncated"] === true && raw["full"]);
});

test("[W6] arguments: the table's first, with the operation, and everything else after them", () => {
  assert.deepEqual(hudArgs("read", { path: "a", offset: 1, limit: 2 }).args, {
    path: "a",
    offset: 1,
    limit: 2,
  });
  for (const tool of ["write", "edit", "append"]) {
    const { args } = hudArgs(tool, { content: "x", path: "a", operation: "lie" });
    assert.deepEqual(Object.entries(args), [
      ["path", "a"],
      ["operation", tool],
      ["content", "x"],
    ]);
  }
  const big = hudArgs("write", { content: "x".repeat(500_000), path: "a" });
  assert.ok(JSON.stringify(big.args).length < 17_000);
  assert.equal(big.args["path"], "a");
  const { eventId: _id, ...full } = big.full ?? {};
  assert.deepEqual(full, { bytes: 500_025, href: "/api/runs/r1/events?after_seq=0" });
  assert.equal(hudArgs("write", { content: "x" }).full, null);
  assert.deepEqual(hudArgs("exec", "nonsense").args, { value: "nonsense" });
  assert.deepEqual(hudArgs("exec", null).args, { value: null });
});

test("[W6] a viewer's path is the path without its workspace", () => {
  assert.equal(withoutWorkspace("/w/a/b.txt", "/w"), "a/b.txt");
  assert.equal(withoutWorkspace("/w/a/b.txt", "/w/"), "a/b.txt");
  assert.equal(withoutWorkspace("/work/a", "/w"), "/work/a", "another folder");
  assert.equal(withoutWorkspace("././a", "/w"), "a");
  assert.equal(withoutWorkspace("..", "/w"), "..");
});

test("[W2] no arguments, result or output of any tool break a frame", () => {
  const tools = ["read", "write", "edit", "append", "exec", "web_fetch", "browser", "memory"];
  const result = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        file: fc.jsonValue(),
        area: fc.jsonValue(),
        bytes: fc.jsonValue(),
        url: fc.jsonValue(),
        mentioned_paths: fc.jsonValue(),
        truncated: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );
  const args = fc.dictionary(fc.constantFrom("path", "offset", "limit", "url"), fc.jsonValue());
  fc.assert(
    fc.property(fc.constantFrom(...tools), args, result, fc.boolean(), (tool, given, got, ok) => {
      const shown = resultOf(tool, given, { result: got as never, ok });
      assert.equal(shown.ok, ok);
      assert.deepEqual(JSON.parse(JSON.stringify(shown)).ok, ok);
      if (["read", "write", "edit", "append"].includes(tool)) {
        const { path, viewerPath } = shown["file"] as HudRecord;
        assert.ok(typeof path === "string" && typeof viewerPath === "string");
        const lines = Object.values(shown["area"] as HudRecord);
        assert.ok(lines.length === 2 && lines.every((line) => typeof line === "number"));
      }
    }),
    { numRuns: tries(500) },
  );
});

test("[W6] a command's paths are those that look like one, also of files that are gone", () => {
  const command =
    "cat a.txt ./sub/x.ts '/home/me/work/with space.md' > out/b.log && rm -rf old/ https://a.example/x 3.14 -v | grep main";
  assert.deepEqual(mentionedIn(command, "/home/me/work"), [
    { path: "a.txt", viewerPath: "a.txt" },
    { path: "./sub/x.ts", viewerPath: "sub/x.ts" },
    { path: "/home/me/work/with space.md", viewerPath: "with space.md" },
    { path: "out/b.log", viewerPath: "out/b.log" },
    { path: "old/", viewerPath: "old/" },
  ]);
  const seen = { path: "a.txt", viewerPath: "deep/a.txt" };
  const result = resultOf(
    "exec",
    { command: "cat a.txt b.txt" },
    { result: { mentioned_paths: [seen] } },
  );
  assert.deepEqual(result["mentionedPaths"], [seen, { path: "b.txt", viewerPath: "b.txt" }]);
});

test("[W6] our own tools that act are summed up like the document's", () => {
  for (const tool of ["browser_open", "browser_click", "session_search", "sessions_list"]) {
    const said = { result: { n: 1 }, output: { head: "Opened the page.\nIt has a form." } };
    assert.deepEqual(resultOf(tool, {}, said), {
      ok: true,
      summary: "Opened the page. It has a form.",
      raw: { n: 1, text: "Opened the page.\nIt has a form." },
    });
  }
});
