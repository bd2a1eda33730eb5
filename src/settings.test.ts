import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { settingsDoc, TARGET } from "../scripts/settings-doc.ts";
import { flagsHelp, FLAGS } from "./config.ts";
import { kindOf } from "./kernel/api/setting.ts";
import { SETTINGS } from "./settings.ts";

test("docs/settings.md has every setting as its record says (else: node scripts/settings-doc.ts)", () => {
  assert.equal(readFileSync(TARGET, "utf8"), settingsDoc());
});

test("--help names every flag, and no two settings share a flag or a variable", () => {
  const named = [...flagsHelp().matchAll(/^ {2}--([a-z-]+)/gm)].map(([, name]) => name ?? "");
  assert.deepEqual(named.toSorted(), [...Object.keys(FLAGS), "version"].toSorted());
  for (const names of [
    SETTINGS.flatMap(({ flag }) => flag?.name ?? []),
    SETTINGS.flatMap(({ env }) => env ?? []),
  ]) {
    assert.equal(new Set(names).size, names.length);
  }
});

test("the form's field follows from the schema, through defaults, unions and transforms", () => {
  const kinds = Object.fromEntries(SETTINGS.map(({ name, schema }) => [name, kindOf(schema)]));
  const { port, volumes, channels, allowed_hosts, titles, resume, base_url, base_urls } = kinds;
  assert.deepEqual(
    [port, volumes, channels, allowed_hosts, titles, resume, base_url, base_urls],
    ["number", "table", "table", "list", "switch", "choice", "text", "table"],
  );
});
