// Folders that a reader can take in: few files, and no file-name prefix that does the work of a folder.
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..");
const MAX_FILES = 40;
/** React hooks are named `use-…`. */
const ALLOWED_PREFIXES = new Set(["use"]);

const folders = Map.groupBy(
  globSync("{src,test,scripts,bench}/**/*.*", { cwd: ROOT, exclude: ["test/journals/sessions"] }),
  dirname,
);

test("no folder has more than 40 files", () => {
  const large = [...folders].filter(([, files]) => files.length > MAX_FILES);
  assert.deepEqual(
    large.map(([folder, files]) => `${folder}: ${files.length}`),
    [],
  );
});

test("a file-name prefix that three modules share is a folder", () => {
  const shared = [...folders].flatMap(([folder, files]) => {
    const modules = new Set(files.map((path) => basename(path).replace(/\..*$/, "")));
    const prefixes = Map.groupBy(
      [...modules].filter((name) => name.includes("-")),
      (name) => name.slice(0, name.indexOf("-")),
    );
    return [...prefixes]
      .filter(([prefix, names]) => names.length >= 3 && !ALLOWED_PREFIXES.has(prefix))
      .map(([prefix, names]) => `${folder}/${prefix}-: ${names.join(", ")}`);
  });
  assert.deepEqual(shared, []);
});
