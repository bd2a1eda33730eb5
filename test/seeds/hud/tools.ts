// H20 to H44: arguments, results and labels by tool.
import assert from "node:assert/strict";
import {
  hudTree,
  applyHudFrame,
  emptyHud,
  type HudNode,
} from "../../../src/windows/hud/state/hud-state.ts";
import { of } from "./frames.ts";
import type { Fields, HudFrame, World } from "./world.ts";
import type { Row } from "../suite.ts";

/** The nth call of a tool in a session: what it was given, and what came of it. */
export function callOf(frames: readonly HudFrame[], tool: string, nth = 0) {
  const start = of(frames, "tool_start", { tool })[nth];
  const [end] = of(frames, "tool_end", { correlationId: start?.["correlationId"] });
  assert.ok(start && end, `call ${nth} of ${tool}`);
  return { args: start["args"] as Fields, result: end["result"] as Fields };
}
const fileOf = (path: string, startLine: number, endLine: number) => {
  const area = { startLine, endLine };
  return { file: { path, viewerPath: path, area }, area };
};

const flat = (nodes: readonly HudNode[]): HudNode[] =>
  nodes.flatMap((node) => [node, ...flat(node.children)]);
const labels = (frames: readonly HudFrame[]) =>
  flat(hudTree(frames.reduce(applyHudFrame, emptyHud()))).map(({ label }) => label);

/** A row about the label of a tool; `example` as a client folds the frames of the document. */
function labelled(id: string, says: string, label: string, frame: Fields): Row<World> {
  return {
    id,
    says,
    check: ({ live }) => {
      const start = { type: "hud", event: "tool_start", id: "i", correlationId: "c", ts: 1 };
      const { result, ...given } = frame;
      const end = { ...start, ...given, event: "tool_end", id: "j", result };
      const frames = [{ ...start, ...given }, ...(result === undefined ? [] : [end])];
      assert.deepEqual(labels(frames as unknown as HudFrame[]), [label]);
      const icon = label.split(" ")[0] ?? "";
      const ours = labels(live).some((each) => each.startsWith(icon));
      if (/👁|✏️|⚡/u.test(icon)) assert.ok(ours, "and in a session of ours");
    },
  };
}

export const TOOL_ROWS: readonly Row<World>[] = [
  {
    id: "H20",
    says: "read: the arguments are path, offset and limit.",
    check: ({ live }) =>
      assert.deepEqual(callOf(live, "read").args, { path: "a.txt", offset: 2, limit: 3 }),
  },
  {
    id: "H21",
    says: "read: the result has ok, file, area, text, bytes and truncated.",
    check: ({ live }) =>
      assert.deepEqual(callOf(live, "read").result, {
        ok: true,
        ...fileOf("a.txt", 2, 4),
        text: "2\n2b\nthree\n",
        bytes: 11,
        truncated: true,
      }),
  },
  {
    id: "H22",
    says: "read: the area is inferred as `{startLine: offset, endLine: offset+limit}`.",
    difference:
      "The area is the lines that were read, the last one included: offset 2 and limit 3 are the lines 2 to 4. The formula would name a line that was not read.",
    check: ({ live }) =>
      assert.deepEqual(callOf(live, "read").result["area"], { startLine: 2, endLine: 4 }),
  },
  {
    id: "H23",
    says: "write: the arguments have path and operation 'write'.",
    check: ({ live }) =>
      assert.partialDeepStrictEqual(callOf(live, "write").args, {
        path: "a.txt",
        operation: "write",
      }),
  },
  {
    id: "H24",
    says: "write: the result has ok, file, area and bytes; the area is line 1 to the number of lines.",
    check: ({ live }) =>
      assert.deepEqual(callOf(live, "write").result, {
        ok: true,
        ...fileOf("a.txt", 1, 3),
        bytes: 14,
      }),
  },
  {
    id: "H25",
    says: "edit: operation 'edit'; the area is the replaced block in the resulting file.",
    check: ({ live }) => {
      const { args, result } = callOf(live, "edit");
      assert.partialDeepStrictEqual(args, { path: "a.txt", operation: "edit" });
      assert.deepEqual(result, { ok: true, ...fileOf("a.txt", 2, 3) });
    },
  },
  {
    id: "H26",
    says: "append: operation 'append'; the result has ok, file, area and bytes.",
    check: ({ live }) => {
      const { args, result } = callOf(live, "append");
      assert.partialDeepStrictEqual(args, { path: "a.txt", operation: "append" });
      assert.partialDeepStrictEqual(result, { ok: true, bytes: 10 });
    },
  },
  {
    id: "H27",
    says: "append: the area goes from the line after the former last one to the new last one.",
    check: ({ live }) =>
      assert.partialDeepStrictEqual(callOf(live, "append").result, fileOf("a.txt", 5, 6)),
  },
  {
    id: "H28",
    says: "exec: the arguments have the command.",
    check: ({ live }) =>
      assert.deepEqual(callOf(live, "exec").args, {
        command: "cat a.txt ./sub/x.ts ./gone.txt; exit 3",
      }),
  },
  {
    id: "H29",
    says: "exec: the result has ok, exitCode, stdout and truncated.",
    check: ({ live, asked }) => {
      const { ok, exitCode, stdout, truncated } = callOf(live, "exec").result;
      assert.deepEqual([ok, exitCode, truncated], [false, 3, false]);
      assert.match(String(stdout), /^one\n2\n/);
      assert.deepEqual(callOf(asked, "exec").result, {
        ok: true,
        exitCode: 0,
        stdout: "one\n",
        truncated: false,
      });
    },
  },
  {
    id: "H30",
    says: "exec: exitCode is a number.",
    difference:
      "It is -1 where there is none: of a command that was not run, or that still runs in the background (`processId`).",
    check: ({ live, asked }) => {
      const behind = of(live, "tool_end", { tool: "exec" }).at(-1)?.["result"] as Fields;
      assert.equal(behind["exitCode"], -1);
      assert.match(String(behind["processId"]), /^p_/);
      assert.equal(callOf(asked, "exec", 1).result["exitCode"], -1);
    },
  },
  {
    id: "H31",
    says: "exec: mentionedPaths are file paths parsed from the command by a regular expression.",
    check: ({ live }) =>
      assert.deepEqual(callOf(live, "exec").result["mentionedPaths"], [
        { path: "a.txt", viewerPath: "a.txt" },
        { path: "./sub/x.ts", viewerPath: "sub/x.ts" },
        { path: "./gone.txt", viewerPath: "gone.txt" },
      ]),
  },
  {
    id: "H32",
    says: "exec: error says what went wrong, if anything did.",
    check: ({ asked }) => {
      assert.equal(callOf(asked, "exec", 1).result["error"], "A person did not allow this.");
      assert.ok(!("error" in callOf(asked, "exec").result));
    },
  },
  {
    id: "H33",
    says: "web_search and web_fetch: query or url in, ok, text, url and truncated out.",
    check: ({ recorded }) => {
      const { args, result } = callOf(recorded["failing-tools"], "web_fetch");
      const url = "http://127.0.0.1:9/weather";
      assert.deepEqual(args, { url });
      assert.partialDeepStrictEqual(result, { ok: false, text: "", url, truncated: false });
    },
  },
  {
    id: "H34",
    says: "browser, canvas, nodes, message and sessions_*: ok, summary and raw.",
    check: ({ live }) => {
      const { ok, summary, raw } = callOf(live, "session_search").result;
      assert.equal(ok, true);
      assert.ok(typeof summary === "string" && summary !== "");
      assert.equal(typeof raw, "object");
    },
  },
  {
    id: "H35",
    says: "An unknown tool's result is ok and raw.",
    check: ({ recorded, live }) => {
      const { ok, raw } = callOf(recorded.plan, "list_files").result;
      assert.ok(ok === true && raw !== undefined);
      assert.partialDeepStrictEqual(callOf(live, "nosuch_tool").result, { ok: false, raw: null });
    },
  },
  {
    id: "H36",
    says: "FileMeta has the path as it was passed, and a viewerPath without the root before it.",
    check: ({ live }) => {
      const mentioned = callOf(live, "exec").result["mentionedPaths"] as Fields[];
      const paths = mentioned.map(
        ({ path, viewerPath }) => `${String(path)} ${String(viewerPath)}`,
      );
      assert.deepEqual(paths.slice(1), ["./sub/x.ts sub/x.ts", "./gone.txt gone.txt"]);
      const { file } = callOf(live, "read").result as { file: Fields };
      assert.deepEqual([file["path"], file["viewerPath"]], ["a.txt", "a.txt"]);
    },
  },
  {
    id: "H37",
    says: "FileArea counts lines from 1.",
    difference:
      "A call that failed has no lines: its area is 0 to 0, so that the field is always there.",
    check: ({ live }) => {
      assert.deepEqual(callOf(live, "write").result["area"], { startLine: 1, endLine: 3 });
      assert.deepEqual(callOf(live, "read", 1).result["area"], { startLine: 0, endLine: 0 });
    },
  },
  labelled("H38", "The label of a read is 👁 path:L10–L50.", "👁 a.md:L10–L50", {
    tool: "read",
    args: { path: "a.md" },
    result: { ok: true, area: { startLine: 10, endLine: 50 } },
  }),
  labelled("H39", "The label of a write is ✏️ path (overwrite).", "✏️ a.md (overwrite)", {
    tool: "write",
    args: { path: "a.md", operation: "write" },
  }),
  labelled("H40", "The label of an edit is ✏️ path:L22–L28.", "✏️ a.md:L22–L28", {
    tool: "edit",
    args: { path: "a.md", operation: "edit" },
    result: { ok: true, area: { startLine: 22, endLine: 28 } },
  }),
  labelled("H41", "The label of an append is ✏️ path:L180–L195.", "✏️ a.md:L180–L195", {
    tool: "append",
    args: { path: "a.md", operation: "append" },
    result: { ok: true, area: { startLine: 180, endLine: 195 } },
  }),
  labelled("H42", "The label of a command is ⚡ and the command.", "⚡ ls -l", {
    tool: "exec",
    args: { command: "ls -l" },
  }),
  labelled("H43", "The label of web_fetch is 🌐 and the address.", "🌐 https://a.example", {
    tool: "web_fetch",
    args: { url: "https://a.example" },
  }),
  labelled("H44", "The label of web_search is 🔍 and the query.", "🔍 moon", {
    tool: "web_search",
    args: { query: "moon" },
  }),
];
