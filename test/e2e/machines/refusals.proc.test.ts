// Commands that cannot do what they were asked: one sentence, the right exit code, nothing touched.
import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { directoryState } from "../../support/directory-state.ts";
import { newTestHome, quarterdeck } from "../../support/program.ts";

type Result = Awaited<ReturnType<typeof quarterdeck>>;

function assertRefused(result: Result, code: number, message: RegExp, what: string): void {
  assert.equal(result.code, code, `${what}: ${result.stderr}`);
  assert.match(result.stderr, message, what);
  assert.match(result.stderr, /^[^\n]{10,400}\n$/, `${what}: one sentence`);
  assert.doesNotMatch(result.stderr, /\bat .*:\d+:\d+|Error:/, `${what}: no stack`);
  assert.equal(result.stdout, "", what);
}

test("wrong flags and commands are refused with one sentence before anything is touched", async () => {
  using place = newTestHome();
  const before = directoryState(dirname(place.home));
  const cases: [args: string[], message: RegExp][] = [
    [["--colour"], /Unknown option '--colour'/],
    [["--port"], /--port/],
    [["--port", "abc"], /“port” is wrong/],
    [["--port", "70000"], /“port” is wrong/],
    [["--port=-1"], /“port” is wrong/],
    [["--workspace", join(place.home, "inside")], /must not be inside the home/],
    [["--workspace", place.home], /must not be inside the home/],
    [["--database", "mysql://x"], /--database wants the address of a Postgres/],
    [["--database", "postgres://u:hidden#x@h/d"], /address that cannot be read(?!.*hidden)/],
  ];
  const commands = ["up", "serve", "work"]; // all of them read flags in one way
  for (const [at, [args, message]] of cases.entries()) {
    const command = commands[at % commands.length] ?? "";
    const result = await quarterdeck([command, "--home", place.home, ...args]);
    assertRefused(result, 2, message, `${command} ${args.join(" ")}`);
  }
  assertRefused(await quarterdeck(["fly"]), 2, /There is no command “fly”/, "fly");
  assertRefused(await quarterdeck(["constructor"]), 2, /There is no command/, "constructor");
  assertRefused(await quarterdeck(["--json"]), 2, /Unknown option/, "--json");
  assert.deepEqual(directoryState(dirname(place.home)), before);
});

test("a config.json that is broken, wrong or unknown is refused", async () => {
  using place = newTestHome();
  const path = join(place.home, "config.json");
  const cases: [text: string, message: RegExp][] = [
    ["{", /config\.json cannot be read/],
    ["", /config\.json cannot be read/],
    ["[1]", /config\.json cannot be read/],
    ["null", /config\.json cannot be read/],
    ['{"colour":1}', /^There is no setting “colour”\.$/m],
    ['{"lease_ms":1}', /“lease_ms” is wrong/],
    ['{"resume":"maybe"}', /“resume” is wrong/],
    ['{"port":"x"}', /“port” is wrong: a number from 0 to 65535/],
  ];
  const commands = ["up", "status"];
  for (const [at, [text, message]] of cases.entries()) {
    writeFileSync(path, text);
    const before = directoryState(place.home);
    const command = commands[at % commands.length] ?? "";
    const result = await quarterdeck([command, "--home", place.home]);
    assertRefused(result, 2, message, `${command} ${text}`);
    assert.deepEqual(directoryState(place.home), before);
  }
});

test("a home that cannot be written is refused by every command that needs one", async () => {
  using place = newTestHome();
  const file = join(place.workspace, "file");
  writeFileSync(file, "not a directory");
  const commands = [["up"], ["serve"], ["work"], ["run", "x"], ["status"], ["token"], ["doctor"]];
  for (const [at, command] of commands.entries()) {
    const home = at % 2 === 0 ? file : join(file, "home");
    const result = await quarterdeck([...command, "--home", home]);
    assertRefused(result, 3, /^The home .* cannot be written \(E\w+\)\. /, command.join(" "));
  }
});

test("[D9, J10] a newer journal is refused untouched, its unfinished log included", async () => {
  using place = newTestHome();
  const crashed = join(place.workspace, "made");
  mkdirSync(crashed);
  {
    using db = new DatabaseSync(join(crashed, "journal.db"));
    db.exec("PRAGMA journal_mode = WAL; PRAGMA user_version = 99; CREATE TABLE future (x)");
    for (const end of ["", "-wal"]) {
      copyFileSync(join(crashed, `journal.db${end}`), join(place.home, `journal.db${end}`));
    }
  }
  const state = () => {
    const { "journal.db-shm": _scratch, ...rest } = directoryState(place.home); // SQLite's index of the -wal
    return rest;
  };
  const before = state();
  assert.ok(existsSync(join(place.home, "journal.db-wal")), "as a crash would leave it");
  const commands = [["up"], ["serve"], ["work"], ["run", "x"], ["status"], ["doctor"], ["token"]];
  for (const command of commands) {
    const result = await quarterdeck([...command, "--home", place.home, "--port", "0"]);
    assertRefused(result, 3, /was written by a newer Quarterdeck/, command.join(" "));
    assert.deepEqual(state(), before, `${command.join(" ")} touched nothing`);
  }
});

test("a taken port is refused, and nothing stays behind", async () => {
  using place = newTestHome();
  await using taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  for (const command of ["up", "serve"]) {
    const result = await quarterdeck([command, "--home", place.home, "--port", `${port}`]);
    assertRefused(result, 3, new RegExp(`^Port ${port} is taken\\.`), command);
  }
  const status = await quarterdeck(["status", "--json", "--home", place.home]);
  assert.deepEqual((JSON.parse(status.stdout) as { runners: unknown[] }).runners, []);
});

test("a word too many is refused, not passed over: `token rotate` is not `token`", async () => {
  using place = newTestHome();
  const before = directoryState(dirname(place.home));
  const cases = [
    ["status"],
    ["token"],
    ["doctor"],
    ["up"],
    ["serve"],
    ["work"],
    ["migrate"],
    ["backup", join(place.workspace, "a.db")],
    ["restore", join(place.workspace, "a.db")],
    ["export", "sess_x"],
    ["import", join(place.workspace, "a.html")],
    ["replay", "run_x"],
    ["service", "print"],
  ];
  for (const [command = "", ...words] of cases) {
    const result = await quarterdeck([command, ...words, "rotate", "--home", place.home]);
    assertRefused(result, 2, /^“rotate” is one word too many for “\w+”/, command);
  }
  const both = await quarterdeck(["run", "say x", "--json", "--quiet", "--home", place.home]);
  assertRefused(both, 2, /^--json or --quiet, not both\./, "run --json --quiet");
  assert.deepEqual(directoryState(dirname(place.home)), before);
});

test("[D7] a journal that is none is refused untouched, by every command", async () => {
  using place = newTestHome();
  writeFileSync(join(place.home, "journal.db"), "This is not a database. ".repeat(40));
  const before = directoryState(place.home);
  for (const command of [["up"], ["work"], ["run", "x"], ["status"], ["doctor"], ["token"]]) {
    const result = await quarterdeck([...command, "--home", place.home, "--port", "0"]);
    assertRefused(
      result,
      3,
      /journal\.db is damaged \(file is not a database\)/,
      command.join(" "),
    );
    assert.deepEqual(directoryState(place.home), before, `${command.join(" ")} touched nothing`);
  }
});

test("a unit that cannot be written is refused", async () => {
  using place = newTestHome();
  writeFileSync(join(place.workspace, "file"), "not a directory");
  const directory = join(place.workspace, "file", "units");
  const args = ["service", "install", "--systemd", "--directory", directory, "--home", place.home];
  assertRefused(await quarterdeck(args), 3, /cannot be written \(ENOTDIR\)\.$/m, "service install");
});

test("a backup to a place that is not there is refused", async () => {
  using place = newTestHome();
  const target = join(place.workspace, "nowhere", "a.db");
  const result = await quarterdeck(["backup", target, "--home", place.home]);
  assertRefused(result, 3, /a\.db cannot be written \(ENOENT\)\.$/m, "backup");
});
