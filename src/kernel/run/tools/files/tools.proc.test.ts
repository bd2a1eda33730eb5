// What models and people are told of the file tools: labels, accesses and results.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { fileAgent } from "../../../../../test/support/models/file-agent.ts";
import { temporaryDirectory } from "../../../workspace/host/test-support.ts";
import { appendTool } from "../append.ts";
import { editTool } from "../edit.ts";
import { listFilesTool } from "../list-files.ts";
import { placeOfFile, placeOfFolder } from "../outside.ts";
import { readTool } from "../read.ts";
import { rollbackTool } from "../rollback.ts";
import { searchFilesTool } from "../search-files.ts";
import { writeTool } from "../write.ts";

test("labels, accesses and what is touched", async () => {
  const path = "src/a.ts";
  const write = [{ kind: "write", path }];
  const read = [{ kind: "read", path }];
  for (const [tool, input, label, access, touches] of [
    [readTool, { path }, "Read src/a.ts", read, undefined],
    [readTool, { path, offset: 10, limit: 41 }, "Read src/a.ts:10–50", read, undefined],
    [writeTool, { path, content: "" }, "Write src/a.ts", write, [path]],
    [editTool, { path, old_text: "a", new_text: "b" }, "Edit src/a.ts", write, [path]],
    [appendTool, { path, content: "a" }, "Append src/a.ts", write, [path]],
    [searchFilesTool, { pattern: "a.b", path }, "Search “a.b”", read, undefined],
    [listFilesTool, { path }, "List src/a.ts", read, undefined],
  ] as const) {
    assert.equal(tool.label(input), label);
    assert.deepEqual(tool.access?.(input), access, label);
    const context = undefined as never; // their arguments say it all
    assert.deepEqual(await tool.touches?.(input, context), touches, label);
    assert.ok(tool.input.safeParse(input).success, label);
  }
  assert.equal(rollbackTool.label({ run_id: "r1", paths: [path] }), "Roll back 1 file");
  assert.equal(rollbackTool.label({ run_id: "r1" }), "Roll back r1");
});

test("results are as the HUD protocol has them: FileMeta and lines in the resulting file", async () => {
  await using ws = await temporaryDirectory();
  await writeFile(ws.at("f"), "1\n2\n3\n");
  await using agent = await fileAgent(ws.path);
  const file = (area: object) => ({ path: "./f", viewerPath: "f", area });
  const result = async (tool: typeof readTool, input: object) => {
    const settled = await agent.call(tool, { path: "./f", ...input });
    const { sha256: _sha, ...rest } = settled.result.result as Record<string, unknown>;
    return { ...rest, output: settled.result.output?.head };
  };

  let area = { startLine: 2, endLine: 2 };
  assert.deepEqual(await result(readTool, { offset: 2, limit: 1 }), {
    ok: true,
    file: file(area),
    area,
    bytes: 2,
    truncated: true,
    output: "2\n",
  });
  area = { startLine: 2, endLine: 3 };
  assert.deepEqual(await result(editTool, { old_text: "2", new_text: "2a\n2b" }), {
    ok: true,
    file: file(area),
    area,
    bytes: 10,
    replaced: 1,
    output: undefined,
  });
  area = { startLine: 5, endLine: 6 };
  assert.deepEqual(await result(appendTool, { content: "4\n5\n" }), {
    ok: true,
    file: file(area),
    area,
    bytes: 4,
    created: false,
    output: undefined,
  });
  area = { startLine: 1, endLine: 1 };
  assert.deepEqual(await result(writeTool, { content: "all" }), {
    ok: true,
    file: file(area),
    area,
    bytes: 3,
    created: false,
    output: undefined,
  });
});

test("search and list show text, and go where a person allowed them to", async () => {
  await using outer = await temporaryDirectory();
  await mkdir(outer.at("ws/src"), { recursive: true });
  await mkdir(outer.at("other"));
  await writeFile(outer.at("ws/src/a"), "needle\n");
  await writeFile(outer.at("other/b"), "needle\n");
  await using agent = await fileAgent(outer.at("ws"));
  const shown = async (tool: typeof readTool, input: object) =>
    (await agent.call(tool, input)).result.output?.head;

  assert.equal(await shown(searchFilesTool, { pattern: "needle" }), "src/a:1: needle\n");
  assert.equal(await shown(listFilesTool, { depth: 2 }), "src/\nsrc/a\t7\n");
  const path = outer.at("other");
  assert.equal(await shown(searchFilesTool, { pattern: "needle", path }), "b:1: needle\n");
  assert.equal(await shown(listFilesTool, { path: "../other" }), "b\t7\n");
  assert.equal(await shown(readTool, { path: "../other/b" }), "needle\n");
  const { result } = await agent.call(searchFilesTool, { pattern: "(" });
  assert.equal(result.error?.code, "invalid_request");
});

test("[S, D8] the home stays closed to a host for a place outside", async () => {
  await using ws = await temporaryDirectory();
  await using agent = await fileAgent(ws.path);
  await writeFile(`${agent.home}/secret`, "token");

  for (const [tool, input] of [
    [readTool, { path: `${agent.home}/secret` }],
    [readTool, { path: `/proc/self/root${agent.home}/secret` }],
    [writeTool, { path: `${agent.home}/secret`, content: "x" }],
    [searchFilesTool, { path: agent.home, pattern: "token" }],
    [listFilesTool, { path: agent.home }],
  ] as const) {
    const { result } = await agent.call(tool, input);
    assert.equal(result.error?.code, "protected", JSON.stringify(input));
  }
  assert.equal(await readFile(`${agent.home}/secret`, "utf8"), "token");
});

test("a path is inside by its spelling, and the host is given what was judged", () => {
  const inside = (path: string) => placeOfFile("/w/s", path);
  assert.deepEqual(inside("a/../b"), { grants: undefined, path: "b", shown: "b" });
  assert.deepEqual(inside("/w/s/b/"), { grants: undefined, path: "b/", shown: "b" });
  assert.deepEqual(inside("link/../../x"), {
    grants: { root: "/w" },
    path: "x",
    shown: "/w/x",
  });
  assert.deepEqual(inside("/w/s2/f").grants, { root: "/w/s2" });
  assert.deepEqual(placeOfFile("/", "/etc/f").grants, undefined);
  assert.deepEqual(placeOfFolder("/w/s", "/"), { grants: { root: "/" }, path: ".", shown: "/" });
});
