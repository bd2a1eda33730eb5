import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../workspace/host/test-support.ts";
import { until } from "../../../test/support/until.ts";
import { blobStore } from "./blobs.ts";

const BLOBS = join(import.meta.dirname, "blobs.ts");
const WRITING = `
  const { blobStore } = await import(process.argv[1]);
  await blobStore(process.argv[2]).create().write(Buffer.from("half of it"));
  console.log("written");
  setInterval(() => {}, 1_000);`;

test("[E9b] what a killed process has not finished is removed at the next start, and nothing else", async () => {
  await using folder = await temporaryDirectory();
  const left = () => readdirSync(folder.path).filter((name) => name.endsWith(".tmp"));
  const child = spawn(process.execPath, ["--eval", WRITING, BLOBS, folder.path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const [dead] = left();
  child.kill("SIGKILL");
  await once(child, "exit");

  const [ancient, fresh, foreign] = [1, 2, 3].map(
    (digit) => `${String(digit).repeat(8)}-0000-0000-0000-000000000000.tmp`,
  ) as [string, string, string];
  const strange = "somebody's.tmp";
  for (const name of [ancient, fresh, `00000000.1.2.${foreign}`, strange]) {
    writeFileSync(folder.at(name), "");
  }
  utimesSync(folder.at(ancient), 1_000_000_000, 1_000_000_000);
  utimesSync(folder.at(strange), 1_000_000_000, 1_000_000_000);
  const writer = blobStore(folder.path).create();
  await writer.write(Buffer.from("still at it"));
  const kept = left().filter((name) => name !== dead && name !== ancient);

  blobStore(folder.path);
  await until(() => !left().includes(ancient), "the leftovers to be removed");
  await until(() => !left().includes(dead ?? ""), "the dead process's, too");
  assert.deepEqual(left(), kept);
  assert.equal(kept.length, 4);
  assert.equal((await writer.finish()).bytes, 11);
});
