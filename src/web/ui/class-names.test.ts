import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";

const src = join(import.meta.dirname, "../..");
const files = (...patterns: string[]) =>
  globSync(patterns, { cwd: src }).map((file) => ({
    file,
    text: readFileSync(join(src, file), "utf8").replaceAll(
      /\/\*[\s\S]*?\*\/|:global\([^)]*\)|@import[^;]*;/g,
      "",
    ),
  }));
const classesIn = (css: string) =>
  new Set([...css.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = ""]) => name));

const shared = classesIn(
  files("web/theme.css", "web/ui/layout.css", "web/ui/text.css")
    .map(({ text }) => text)
    .join("\n"),
);
const modules = files("{web,features}/**/*.module.css");
const components = files("{web,features}/**/*.tsx");
const names = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].flatMap(([, list = ""]) => list.split(" "));
const composed = modules.flatMap(({ text }) => names(text, /composes: ([^;]+) from global/g));
const written = components.flatMap(({ text }) => names(text, /className=(?:\{[^}]*?)?"([^"]+)"/g));

// A class that does not exist is no error anywhere: the page only looks wrong.
test("every shared class that is used exists, and every one that exists is used", () => {
  const used = new Set<string>([...composed, ...written]);
  assert.deepEqual([...used].toSorted(), [...shared].toSorted());
});

test("every class a component takes from a module exists, and every class of a module is taken", () => {
  const taken = new Map<string, Set<string>>();
  for (const { file, text } of components) {
    for (const [, name = "", path = ""] of text.matchAll(
      /import (\w+) from "(.+\.module\.css)"/g,
    )) {
      const module = relative(src, join(src, file, "..", path));
      const used = text.matchAll(new RegExp(`(?<![/\\w-])${name}\\.(\\w+)`, "g"));
      const set = taken.get(module) ?? new Set();
      for (const [, each = ""] of used) set.add(each);
      taken.set(module, set);
    }
  }
  for (const { file, text } of modules) {
    const used = [...(taken.get(file) ?? [])].toSorted();
    assert.deepEqual([...classesIn(text)].toSorted(), used, file);
  }
});
