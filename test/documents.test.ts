// The documents name files that exist. Not in boundaries.test.ts: that one also has to hold when a room is deleted
// (test/rooms), and documents name files of rooms.
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const DOCUMENTS = globSync("{*.md,docs/*.md,bench/README.md,src/**/README.md}", { cwd: root })
  .filter((path) => path !== "CHANGELOG.md") // it names files of its time
  .toSorted();

const FOLDER = /^(?:src|test|docs|scripts|bench|kernel|windows|features|web|cli|api)\//;
const FILE = /^[\w./-]*\w\.(?:tsx?|css)$/;

/** Paths in backticks: below a folder of ours, or a source file by its name. `<name>` stands for any. */
function pathsIn(text: string): string[] {
  return [...text.matchAll(/`([\w./*{},<>-]+)`/g)]
    .map(([, path = ""]) => path.replaceAll(/<[^>]*>/g, "*"))
    .filter((path) => FOLDER.test(path) || FILE.test(path));
}

/** A path is from the root or from src; elsewhere than in ARCHITECTURE.md a bare file name may be anywhere in src. */
function isThere(document: string, path: string): boolean {
  const places = ["", "src", dirname(document)].map((folder) => join(folder, path));
  const bare = document !== "ARCHITECTURE.md" && FILE.test(path) ? [join("src/**", path)] : [];
  return [...places, ...bare].some((place) => globSync(place, { cwd: root }).length > 0);
}

/** A file that every feature may have, in its room. */
const OF_ROOMS = new Set(["events.ts", "api.ts", "server/routes.ts"]);

test("every path that a document names exists", () => {
  const missing = DOCUMENTS.flatMap((document) =>
    pathsIn(read(document))
      .filter((path) => !OF_ROOMS.has(path) && !isThere(document, path))
      .map((path) => `${document}: ${path}`),
  );
  assert.deepEqual(missing, []);
});

test("every link of a document to a file leads somewhere", () => {
  const broken = DOCUMENTS.flatMap((document) =>
    [...read(document).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => !existsSync(join(root, dirname(document), link)))
      .map((link) => `${document}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

test("ARCHITECTURE.md traces one message through at most 25 files", () => {
  const [, trace = ""] = read("ARCHITECTURE.md").split("## One message");
  const files = new Set(pathsIn(trace.split("\n## ")[0] ?? ""));
  assert.ok(files.size > 10, "the trace is found at all");
  assert.ok(files.size <= 25, `${files.size} files`);
});
