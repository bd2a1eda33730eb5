import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileView, WorkspaceEntry } from "../../kernel/api/records/records.ts";
import type { RunEvent } from "../../kernel/events/events.ts";
import { ApiFailure } from "../../kernel/client/api-failure.ts";
import type { CodeLine } from "../markdown/highlight.ts";
import { changesFold, netChanges } from "./changes/changes-fold.ts";
import { stepsFrom } from "./changes/change-steps.ts";
import { openPages, PAGE } from "./file/pages.ts";
import { insideWorkspace, visiblePath } from "./open-file.ts";
import { KEPT, processFold } from "./processes/fold.ts";
import { keyTarget, parentRow, treeRows, typedTarget, type Folder } from "./tree-rows.ts";

const entry = (path: string, kind: WorkspaceEntry["kind"] = "file"): WorkspaceEntry => ({
  path,
  kind,
  bytes: 1,
  modified_at: 0,
});
const listed = (entries: WorkspaceEntry[], truncated = false): Folder => ({
  state: "listed",
  entries,
  truncated,
});
const folders = new Map<string, Folder>([
  [".", listed([entry("b.txt"), entry("a10"), entry("a9"), entry("src", "folder")])],
  ["src", listed([entry("src/x.ts"), entry("src/deep", "folder")], true)],
  ["src/deep", { state: "failed", message: "No." }],
]);
const shown = (open: string[]) =>
  treeRows(folders, new Set(open)).map((row) =>
    row.kind === "entry" ? `${row.level} ${row.entry.path}` : `${row.level} (${row.text})`,
  );

test("[UX] a tree has folders first, numbers in their order, and what is open below its folder", () => {
  assert.deepEqual(shown([]), ["1 src", "1 a9", "1 a10", "1 b.txt"]);
  assert.deepEqual(shown(["src", "src/deep"]), [
    "1 src",
    "2 src/deep",
    "3 (No.)",
    "2 src/x.ts",
    "2 (There is more here than is listed.)",
    "1 a9",
    "1 a10",
    "1 b.txt",
  ]);
});

test("[UX] keys go over notes, to the parent, and to a name that begins so", () => {
  const rows = treeRows(folders, new Set(["src", "src/deep"]));
  assert.equal(keyTarget(rows, 1, "ArrowDown"), 3);
  assert.equal(keyTarget(rows, 0, "ArrowUp"), 0);
  assert.equal(keyTarget(rows, 0, "End"), 7);
  assert.equal(keyTarget(rows, 0, "x"), undefined);
  assert.equal(parentRow(rows, 3), 0);
  assert.equal(parentRow(rows, 0), undefined);
  assert.equal(typedTarget(rows, 0, "B"), 7);
  assert.equal(typedTarget(rows, 7, "s"), 0);
  assert.equal(typedTarget(rows, 0, "nothing"), undefined);
});

test("[S] a path opens only below the workspace, and nothing in its name can hide", () => {
  assert.equal(insideWorkspace("src/a.ts", "/w"), "src/a.ts");
  assert.equal(insideWorkspace("./src//a.ts", "/w"), "src/a.ts");
  assert.equal(insideWorkspace("/w/src/../b", "/w"), "b");
  for (const path of ["/etc/passwd", "../x", "src/../../x", "/w", "/wider/x", ""]) {
    assert.equal(insideWorkspace(path, "/w"), null, path);
  }
  assert.equal(visiblePath("a\nb/ c \u202e"), String.raw`a\nb/␠c␠\u{202e}`.replace("␠\\u", " \\u"));
});

const event = (type: string, payload: object, more: object = {}): RunEvent =>
  ({ type, payload, run_id: "r", created_at: 5, ...more }) as unknown as RunEvent;

test("[UX] changed files are known with what became of them, at any moment", () => {
  const version = (sha256: string) => ({ sha256, bytes: 1, mode: 0o644 });
  const changed = (path: string, before: string | null, after: string | null) => ({
    path,
    before: before === null ? null : version(before),
    after: after === null ? null : version(after),
  });
  const call = (id: string, ...changes: object[]) =>
    event("files.changed", { call_id: id, checkpoint_id: `cp_${id}`, changes });
  const label = event("checkpoint.created", { checkpoint_id: "cp_1", label: "Edit a" });
  const state = changesFold.apply(changesFold.empty("s"), [
    label,
    call("1", changed("a", "1", "2"), changed("new", null, "3"), changed("gone", "4", null)),
    call("2", changed("a", "2", "1"), changed("blink", null, "5")),
    call("3", changed("blink", "5", null)),
  ]);
  assert.deepEqual(netChanges(state.calls), [
    { path: "new", what: "new" },
    { path: "gone", what: "deleted" },
  ]);
  assert.equal(state.calls[0]?.label, "Edit a");
  assert.deepEqual(netChanges(state.calls.slice(0, 1))[0], { path: "a", what: "changed" });
});

test("[UX] a process's log keeps its newest part, says where something is missing, and how it ended", () => {
  const started = event("process.started", { process_id: "p", call_id: "c", command: "yes" });
  const output = (offset: number, text: string, bytes = offset + text.length) =>
    event("process.output", { process_id: "p", offset, text, bytes });
  const [one] = processFold.apply(
    [],
    [started, output(0, "a\n"), output(2, "b\n"), output(50, "c")],
  );
  assert.deepEqual(one?.parts, [
    { from: 0, to: 4, text: "a\nb\n" },
    { from: 50, to: 51, text: "c" },
  ]);
  const flood = Array.from({ length: 60 }, (_, at) => output(at * 8_192, "x".repeat(8_192)));
  const [full] = processFold.apply([], [started, ...flood]);
  const size = full?.parts.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
  assert.ok(size <= KEPT + 24_576 && size >= KEPT - 24_576 && (full?.parts[0]?.from ?? 0) > 0);

  const exited = event("process.exited", { process_id: "p", exit_code: 0, signal: null });
  const late = event("process.exited", { process_id: "p", exit_code: null, signal: "SIGKILL" });
  const status = (...events: RunEvent[]) => {
    const [last] = processFold.apply([], [started, ...events]);
    return [last?.status, last?.exitCode, last?.signal];
  };
  assert.deepEqual(status(exited, late), ["exited", 0, null]);
  assert.deepEqual(status(event("recovery", {}), late), ["lost", null, null]);
  assert.deepEqual(status(event("done", {})), ["over", null, null]);
  assert.deepEqual(status(event("done", {}, { run_id: "other" })), ["running", null, null]);
});

type ServerOptions = {
  most?: number;
  counted?: boolean;
  colour?: (text: string) => Promise<readonly CodeLine[]> | null;
  held?: Promise<unknown>[]; // what the answers wait for, one after the other
};

/** A file of numbered lines, as the server would page it. */
function server(total: number, options: ServerOptions = {}) {
  const { most = Number.POSITIVE_INFINITY, counted = true, colour = () => null } = options;
  const asked: number[] = [];
  const answers = { version: "1" };
  const read = async (from: number, lines: number): Promise<FileView> => {
    asked.push(from);
    const { version } = answers;
    await options.held?.shift();
    const count = Math.max(0, Math.min(lines, most, total - from + 1));
    return {
      path: "f",
      bytes: total * 8,
      modified_at: 0,
      version,
      binary: false,
      first_line: from,
      lines: count,
      total_lines: counted ? total : null,
      text: Array.from({ length: count }, (_, at) => `${version}:${from + at}`).join("\n"),
      cut_lines: [],
    };
  };
  const pages = openPages({ read, colour });
  const settled = (isTrue: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => isTrue() && resolve();
      pages.subscribe(look);
      look();
    });
  return { asked, answers, pages, settled };
}

test("[UX] only the pages near the screen are read, short answers are completed, versions never mix", async () => {
  const { asked, answers, pages, settled } = server(100_000, { most: 200 });
  await settled(() => pages.get().pages.has(0));
  assert.deepEqual(asked, [1, 201, 401]);
  assert.equal(pages.get().count, 100_000);
  pages.want(99_990, 100_000);
  await settled(() => pages.get().pages.has(199));
  assert.equal(pages.get().pages.get(199)?.lines.at(-1), "1:100000");
  answers.version = "2";
  pages.want(5_001, 5_030);
  await settled(() => pages.get().pages.has(10));
  assert.deepEqual([...pages.get().pages.keys()], [10]);
  for (let page = 20; page < 90; page += 1) {
    pages.want(page * PAGE + 1, page * PAGE + 1);
    await settled(() => pages.get().pages.has(page));
  }
  assert.ok(pages.get().pages.size <= 41, "not all of them are kept");
});

test("[UX] a file too large to be counted grows as it is read, and is copied only when it is small", async () => {
  const { pages, settled } = server(700, { counted: false });
  await settled(() => pages.get().pages.has(0));
  assert.equal(pages.get().count, 501);
  pages.want(501, 520);
  await settled(() => pages.get().pages.has(1));
  assert.equal(pages.get().count, 700);
  assert.equal((await pages.all())?.split("\n").length, 701);
  const large = server(1_000_000);
  await large.settled(() => large.pages.get().pages.has(0));
  assert.equal(await large.pages.all(), null);
});

test("[UX] a file that changes while its lines are being coloured is read again, and shown", async () => {
  const colours = Promise.withResolvers<readonly CodeLine[]>();
  const { answers, pages, settled } = server(3, { colour: () => colours.promise });
  await settled(() => pages.get().pages.has(0));
  answers.version = "2";
  pages.again();
  colours.resolve([]);
  await settled(() => pages.get().pages.get(0)?.lines[0] === "2:1");
});

test("[UX] an answer that was under way when the file changed is not shown for the file as it is", async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { asked, answers, pages, settled } = server(3, { held: [first.promise, second.promise] });
  answers.version = "2";
  pages.again();
  first.resolve();
  second.resolve();
  await settled(() => pages.get().pages.has(0));
  assert.equal(pages.get().pages.get(0)?.lines[0], "2:1");
  assert.deepEqual(asked, [1, 1]);
});

test("[UX] a reading that fails after the file changed is no problem of the new one", async () => {
  const first = Promise.withResolvers<void>();
  const { answers, pages, settled } = server(3, { held: [first.promise] });
  answers.version = "2";
  pages.again();
  first.reject(new Error("gone"));
  await settled(() => pages.get().pages.get(0)?.lines[0] === "2:1");
  assert.equal(pages.get().problem, null);
});

test("[UX] what was read stays on the screen until it is read again, and so does what was wrong", async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = [Promise.resolve(), first.promise, second.promise];
  const { answers, pages, settled } = server(3, { held });
  await settled(() => pages.get().pages.has(0));
  answers.version = "2";
  pages.again();
  assert.equal(pages.get().pages.get(0)?.lines[0], "1:1", "until the other is here");
  first.reject(new ApiFailure({ code: "not_found", message: "", status: 404 }));
  await settled(() => pages.get().missing);
  pages.again();
  assert.equal(pages.get().missing, true, "until there is an answer");
  second.resolve();
  await settled(() => pages.get().pages.get(0)?.lines[0] === "2:1");
  assert.deepEqual([pages.get().missing, pages.get().problem], [false, null]);
});

test("[UX] from each moment there is a way to the change before it and to the one after it", () => {
  assert.deepEqual(stepsFrom([], null), { earlier: null, later: null });
  assert.deepEqual(stepsFrom([4, 9], null), { earlier: 4, later: null });
  assert.deepEqual(stepsFrom([4, 9], 9), { earlier: 4, later: null });
  assert.deepEqual(stepsFrom([4, 9], 8), { earlier: 3, later: 9 });
  assert.deepEqual(stepsFrom([4, 9], 3), { earlier: null, later: 4 });
});
