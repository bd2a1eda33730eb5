// A tree that tools write to at random, and every moment of it looked at from the end.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { test } from "node:test";
import { seeded, type Random } from "../../../../test/support/random.ts";
import { blobStore } from "../../blobs/blobs.ts";
import type { ChangeRecord, FilesView, WorkspaceEntry } from "../../api/records/records.ts";
import type { FileVersion } from "../../events/catalogue/files.ts";
import { ApiError } from "../../events/errors.ts";
import { filesThen, listThen, readThen } from "./files-then.ts";
import type { Read } from "./workspace-reads.ts";

type Files = ReadonlyMap<string, FileVersion>;
const PATHS = ["a.txt", ".env", "src/b.ts", "src/.c", "src/deep/d.ts", "doc/e.md", "doc/f.md"];
const WORKSPACE = "/w";

/** What is on a disk with these files: folders are there while something is in them. */
function entriesOf(files: Files, top: string, { depth = 6, hidden = true } = {}): WorkspaceEntry[] {
  const found = new Map<string, WorkspaceEntry>();
  for (const [path, { bytes }] of files) {
    const names = posix.relative(top, path).split("/");
    if (names[0] === "..") continue;
    for (const [index, name] of names.slice(0, depth).entries()) {
      if (name.startsWith(".") && !hidden) break;
      const at = posix.join(top, ...names.slice(0, index + 1));
      const isFile = index === names.length - 1;
      const kind = isFile ? "file" : "folder";
      found.set(at, { path: at, kind, bytes: isFile ? bytes : null, modified_at: null });
    }
  }
  return [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

async function history(random: Random, blobs: ReturnType<typeof blobStore>) {
  const moments: { until: number; files: Files }[] = [];
  const changes: ChangeRecord[] = [];
  let files: Files = new Map();
  let session_seq = 1;
  for (let step = 0; step < 12; step += 1) {
    moments.push({ until: session_seq + random.below(2), files });
    session_seq += 2;
    const path = PATHS[random.below(PATHS.length)] ?? "a.txt";
    const before = files.get(path) ?? null;
    const after = before && random.below(3) === 0 ? null : await stored(blobs, `${path} ${step}\n`);
    const next = new Map(files);
    if (after) next.set(path, after);
    else next.delete(path);
    files = next;
    const about = { run_id: "r", call_id: "c", checkpoint_id: "k", seq: session_seq };
    changes.push({ ...about, session_seq, workspace: WORKSPACE, path, before, after });
  }
  return { moments, changes, now: files };
}

async function stored(blobs: ReturnType<typeof blobStore>, text: string): Promise<FileVersion> {
  const writer = blobs.create();
  await writer.write(Buffer.from(text));
  const { sha256, bytes } = await writer.finish();
  return { sha256, bytes, mode: 0o644 };
}

test("[T4] at every moment the tree and the files are what they were then", async () => {
  const random = seeded();
  console.log(`seed ${random.seed}`);
  const root = mkdtempSync(join(tmpdir(), "qd-then-"));
  const blobs = blobStore(root);
  for (let round = 0; round < 10; round += 1) {
    const { moments, changes, now } = await history(random, blobs);
    const list = async (request: { path: string; depth: number; hidden: boolean }) => {
      const entries = entriesOf(now, request.path, request);
      if (request.path !== "." && entriesOf(now, request.path).length === 0) return GONE;
      return {
        ok: true,
        data: { ...request, workspace: WORKSPACE, entries, truncated: false },
      } as const;
    };
    for (const { until, files } of moments) {
      const then = filesThen(changes, { workspace: WORKSPACE, until });
      for (const path of [".", "src", "src/deep", "doc"]) {
        const request = { path, depth: 1 + random.below(3), hidden: random.below(2) === 0 };
        const shown = await listThen(then, request, list).then(({ entries }) => entries, notThere);
        const sorted = shown.toSorted((one, other) => (one.path < other.path ? -1 : 1));
        assert.deepEqual(sorted, entriesOf(files, path, request), `${path} at ${until}`);
      }
      for (const path of PATHS) {
        const request = { path: `./${path}`, first_line: 1, lines: 10 };
        const shown = await readThen(blobs, then, request).then((view) => view?.version, gone);
        const expected = files.get(path)?.sha256 ?? null;
        assert.equal(shown === undefined ? (now.get(path)?.sha256 ?? null) : shown, expected);
      }
    }
  }
  rmSync(root, { recursive: true });
});

const GONE: Read<FilesView> = { ok: false, code: "not_found", message: "There is no such folder." };

function notThere(error: unknown): WorkspaceEntry[] {
  assert.ok(error instanceof ApiError && error.code === "not_found");
  return [];
}

function gone(error: unknown): null {
  assert.ok(error instanceof ApiError && error.code === "not_found");
  return null;
}

test("[T4, B3] what it was then is shown by pages of lines, cut where a line is endless, and not when it is binary", async () => {
  const root = mkdtempSync(join(tmpdir(), "qd-then-"));
  const blobs = blobStore(root);
  const long = await stored(blobs, `one\r\n${"x".repeat(10_000)}\nthree\n`);
  const binary = await stored(blobs, "a\0b");
  const huge = await stored(blobs, "y".repeat((2 << 20) + 1));
  const then = new Map([
    ["long", long],
    ["binary", binary],
    ["huge", huge],
    ["lost", { ...long, sha256: "0".repeat(64) }],
  ]);
  const page = (path: string, first_line = 1, lines = 2) =>
    readThen(blobs, then, { path, first_line, lines });
  const first = await page("long");
  assert.deepEqual(
    [first?.text.slice(0, 6), first?.lines, first?.total_lines, first?.cut_lines],
    ["one\nxx", 2, 3, [2]],
  );
  assert.deepEqual([(await page("long", 3))?.text, (await page("long", 4))?.lines], ["three", 0]);
  assert.equal((await page("binary"))?.binary, true);
  await assert.rejects(page("huge"), { code: "too_large" });
  await assert.rejects(page("lost"), { code: "blob_not_found" });
  assert.equal(await page("never changed"), undefined);
  rmSync(root, { recursive: true });
});
