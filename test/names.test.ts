// Names follow the glossary in CONTRIBUTING.md ("Words"): an identifier is a word that a reader would search for.
// Names on the wire and in the database keep their spelling; they are snake_case or listed in WIRE.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..");
/** Banned word → the word to use instead. */
const SAY: Record<string, string> = {
  told: "emitted",
  telling: "emitting, EmitOptions",
  wish: "request, query",
  wishes: "requests, queries",
  means: "deps",
  house: "systemLog, admin (pages)",
  door: "service, channel",
  lens: "fold",
  noting: "audit",
  gathered: "coalesced, batched",
};
const LIMITS = /^(?:MOST|LEAST|ENOUGH)(?:_|$)/;
const REQUIRE = /^want(?:Run|Session|Project|Files|Job|Response|Tables|Command)/;
/** Fields of the feed and fields of stored records. */
const WIRE = new Set(["house", "HouseEntry", "HouseEvent", "house_entries", "told_seq"]);

const IDENTIFIER = /[A-Za-z_$][\w$]*/g;
const NOT_CODE =
  /\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|>[^<>{}]*</g;

function problemOf(name: string): string | undefined {
  if (WIRE.has(name)) return undefined;
  if (LIMITS.test(name)) return `${name}: say MAX_… or MIN_…`;
  if (REQUIRE.test(name)) return `${name}: say require…`;
  const parts = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[ _-]/);
  const banned = parts.find((part) => Object.hasOwn(SAY, part.toLowerCase()));
  return banned && `${name}: say ${SAY[banned.toLowerCase()]}`;
}

test("[style] no identifier uses a word that the glossary replaces", () => {
  const problems = globSync("{src,test,scripts,bench}/**/*.{ts,tsx}", { cwd: ROOT })
    .filter((path) => !path.endsWith("names.test.ts"))
    .filter((path) => !path.startsWith("src/kernel/journal/tables/")) // columns
    .flatMap((path) => {
      const code = readFileSync(join(ROOT, path), "utf8").replace(NOT_CODE, " ");
      const names = new Set(code.match(IDENTIFIER));
      return [...names].flatMap((name) => problemOf(name) ?? []).map((it) => `${path}: ${it}`);
    });
  assert.deepEqual(problems, []);
});

test("[style] no file is named by a word that the glossary replaces", () => {
  const problems = globSync("{src,test,scripts,bench}/**/*.{ts,tsx,css}", { cwd: ROOT }).flatMap(
    (path) => {
      const problem = basename(path)
        .split(".")[0]
        ?.split("-")
        .flatMap((part) => problemOf(part) ?? [])[0];
      return problem ? [`${path}: ${problem}`] : [];
    },
  );
  assert.deepEqual(problems, []);
});
