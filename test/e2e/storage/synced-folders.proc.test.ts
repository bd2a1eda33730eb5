// What is acknowledged survives a power loss only if the folders it stands in were synced, too: seen by strace.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ON_POSTGRES, onSqlite } from "../../support/backend.ts";
import { needing, STRACE } from "../../support/needing.ts";
import { ROOT } from "../../support/program.ts";
import { canTrace } from "../../support/traced-calls.ts";

/** Runs a script on an empty folder `at`, and tells what it did to which paths below it, in order. */
function callsOf(script: string, prepare: (at: string) => void = () => {}): string[] {
  const at = mkdtempSync(join(tmpdir(), "qd-sync-"));
  try {
    prepare(at);
    const trace = join(at, "trace");
    const flags = ["-f", "-y", "-o", trace, "-e", "trace=mkdir,rename,fsync"];
    const run = ["--input-type=module", "-e", `const at = ${JSON.stringify(at)};\n${script}`];
    const ended = spawnSync("strace", [...flags, process.execPath, ...run], { cwd: ROOT });
    assert.equal(ended.status, 0, String(ended.stderr));
    const lines = readFileSync(trace, "utf8").split("\n");
    return lines.flatMap((line) => {
      const [, name, path = ""] = /(\w+)\([^"<]*["<]([^">]+)[">]/.exec(line) ?? [];
      return name && path.startsWith(at) ? [`${name} ${path.slice(at.length) || "/"}`] : [];
    });
  } finally {
    rmSync(at, { recursive: true, force: true });
  }
}

const follows = (calls: readonly string[], first: string, then: string) =>
  assert.ok(
    calls.indexOf(first) >= 0 && calls.lastIndexOf(then) > calls.indexOf(first),
    `“${then}” after “${first}”: ${calls.join(", ")}`,
  );

const test = ON_POSTGRES ? onSqlite : needing(canTrace, STRACE);
test("[G9] every folder that a profile makes is synced into the one above it", () => {
  const calls = callsOf(`
    const { ensureFolder } = await import("../src/kernel/home/profile/files.ts");
    await ensureFolder({ root: at + "/profiles", path: at + "/profiles/ann/skills/sail" });`);
  follows(calls, "mkdir /profiles", "fsync /");
  follows(calls, "mkdir /profiles/ann", "fsync /profiles");
  follows(calls, "mkdir /profiles/ann/skills", "fsync /profiles/ann");
  follows(calls, "mkdir /profiles/ann/skills/sail", "fsync /profiles/ann/skills");
});

test("[E9] a blob counts once its folders are synced, whoever made them", () => {
  const sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // of "abc"
  const store = `
    const { blobStore } = await import("../src/kernel/blobs/blobs.ts");
    const store = blobStore(at + "/blobs");
    const writer = store.create();
    await writer.write(Buffer.from("abc"));
    await writer.finish();`;
  const stored = callsOf(store, (at) => mkdirSync(join(at, "blobs/ba"), { recursive: true }));
  assert.deepEqual(stored.slice(-2), ["fsync /blobs/ba", "fsync /blobs"]);
  const asked = callsOf(`${store}
    const other = blobStore(at + "/blobs");
    await other.size("${sha256}");
    await other.size("${sha256}");`);
  const syncs = asked.filter((call) => call === "fsync /blobs/ba");
  assert.equal(syncs.length, 2, "by who stored it, and once by who asks");
});

test("[J10b] a restore has synced the name it gave to the journal", () => {
  const calls = callsOf(`
    const { openSqlite, journalPath } = await import("../src/kernel/journal/sqlite/sqlite.ts");
    const { restoreBackup } = await import("../src/kernel/journal/sqlite/restore.ts");
    const journal = await openSqlite({ home: at + "/home", features: [] });
    await journal.upkeep.backup(at + "/backup.db");
    await journal[Symbol.asyncDispose]();
    await restoreBackup(at + "/backup.db", journalPath(at + "/home"));`);
  assert.deepEqual(calls.slice(-2), ["rename /home/journal.db.incoming", "fsync /home"]);
});
