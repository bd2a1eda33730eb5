// Deletes a room in a copy of the repository: types, lint, the pure tests and the boundaries still have to hold there.
// Slow, so one file per room, and only in `npm run test:long`.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const PURE = [
  "src/{api,kernel/{api,dialect,events,state,text}}/**/*.test.ts",
  "src/windows/*/{wire,state}/**/*.test.ts",
  "src/features/*/*.test.ts",
  "src/{features/*/web,web}/**/*.test.ts",
];
/** Beside the pure ones: what compares rooms with each other, and the lists with what is there. */
const LISTS = [
  "src/cli/commands.test.ts",
  "test/boundaries.test.ts",
  "test/dialects/{golden,windows-*}.test.ts",
];

type Ended = { readonly code: number; readonly output: string };

function run(cwd: string, command: string, ...args: string[]): Promise<Ended> {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }; // these tests are counted, not reported to ours
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env, maxBuffer: 1 << 28 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}

export async function copyOfAll() {
  const copy = mkdtempSync(join(tmpdir(), "qd-room-"));
  const listed = await run(ROOT, "git", "ls-files", "-co", "--exclude-standard");
  assert.equal(listed.code, 0, listed.output);
  for (const path of listed.output.trim().split("\n")) {
    if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(copy, path));
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return {
    path: copy,
    delete: (room: string) => run(copy, process.execPath, "scripts/delete-room.ts", room),
    [Symbol.dispose]: () => rmSync(copy, { recursive: true, force: true }),
  };
}

export function holdsWithout(room: string): void {
  test(`without ${room} types, lint and the remaining tests hold`, async () => {
    using copy = await copyOfAll();
    const deleted = await copy.delete(room);
    assert.equal(deleted.code, 0, deleted.output);
    assert.ok(!existsSync(join(copy.path, "src", room)));
    const tests = globSync([...PURE, ...LISTS], { cwd: copy.path });
    const bin = (name: string) => join(ROOT, "node_modules/.bin", name);
    const checks = [
      [bin("tsc"), "-p", "tsconfig.json"],
      [bin("tsc"), "-p", "tsconfig.pure.json"],
      [bin("tsc"), "-p", "src/web/tsconfig.json"],
      [bin("oxlint"), "--type-aware"],
      [bin("oxfmt"), "--check", "."],
      [process.execPath, "--test", "--test-isolation=none", ...tests],
    ] as const;
    for (const [command, ...args] of checks) {
      const { code, output } = await run(copy.path, command, ...args);
      assert.equal(code, 0, `${command} ${args.slice(0, 2).join(" ")}\n${output.slice(-8_000)}`);
    }
  });
}
