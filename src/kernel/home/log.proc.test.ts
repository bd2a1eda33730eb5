// Logs: what was written is read back in order, through rotation and by several writers, without secrets.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { logFolder, logPath, openLog } from "./log.ts";
import { logSizes, readLog } from "../../features/logs/home/read-log.ts";

function newHome() {
  const home = mkdtempSync(join(tmpdir(), "qd-log-"));
  return { home, [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }) };
}
const messages = (page: { lines: readonly { message: string }[] }) =>
  page.lines.map(({ message }) => message);

test("[O1] errors are in their own kind and in `errors`, private, without secrets", async () => {
  using place = newHome();
  const log = openLog({
    ...place,
    kind: "serve",
    redact: (text) => text.replaceAll("s3cret", "***"),
  });
  log.write("info", "started with s3cret");
  log.write("error", "failed", {
    error: new Error("s3cret was wrong", { cause: new Error("s3cret too") }),
    fields: {
      key: "s3cret",
      nested: { of: "s3cret" },
      count: 2,
      long: "x".repeat(20_000),
      no: undefined,
    },
  });
  log.as("cron").write("error", "late");
  const serve = await readLog(place.home, "serve", { limit: 10 });
  assert.deepEqual(messages(serve), ["started with ***", "failed"]);
  assert.deepEqual(messages(await readLog(place.home, "errors", { limit: 10 })), [
    "failed",
    "late",
  ]);
  const kept = readFileSync(logPath(place.home, "errors"), "utf8");
  assert.ok(!kept.includes("s3cret"));
  assert.match(serve.lines[1]?.error ?? "", /caused by Error: \*\*\* too/);
  assert.equal(serve.lines[1]?.fields?.["count"], 2);
  assert.ok(kept.length < 12_000);
  assert.equal(statSync(logPath(place.home, "errors")).mode & 0o777, 0o600);
  assert.deepEqual([...(await logSizes(place.home)).keys()].toSorted(), [
    "cron",
    "errors",
    "serve",
  ]);
});

test("[O2] a reader that goes on from where it was misses nothing and sees nothing twice, through rotation", async () => {
  using place = newHome();
  const log = openLog({ ...place, kind: "work", maxBytes: 2_000 });
  let place_: string | undefined = "0:0";
  const seen: string[] = [];
  for (let at = 0; at < 60; at += 1) {
    log.write("info", `line ${at}`);
    if (at % 7 !== 0) continue;
    const page = await readLog(place.home, "work", { after: place_, limit: 5 });
    assert.equal(page.lost, false);
    seen.push(...messages(page));
    place_ = page.next;
  }
  for (let more = true; more;) {
    const page = await readLog(place.home, "work", { after: place_, limit: 5 });
    more = page.lines.length > 0;
    seen.push(...messages(page));
    place_ = page.next;
  }
  assert.deepEqual(
    seen,
    Array.from({ length: 60 }, (_, at) => `line ${at}`),
  );
});

test("[O1b, O2a] old files go, and a reader that slept too long is told that it lost something", async () => {
  using place = newHome();
  const log = openLog({ ...place, kind: "work", maxBytes: 500 });
  log.write("info", "first");
  const { next } = await readLog(place.home, "work", { after: "0:0", limit: 5 });
  for (let at = 0; at < 100; at += 1) log.write("info", `line ${at}`);
  const files = readdirSync(logFolder(place.home)).filter((name) => name.startsWith("work.log"));
  assert.ok(files.length <= 5);
  const page = await readLog(place.home, "work", { after: next, limit: 1_000 });
  assert.equal(page.lost, true);
  assert.equal(messages(page).at(-1), "line 99");
  const last = await readLog(place.home, "work", { limit: 3 });
  assert.deepEqual(messages(last), ["line 97", "line 98", "line 99"]);
});

test("[O1] half a line waits for its end; what is not JSON is shown as it is", async () => {
  using place = newHome();
  const log = openLog({ ...place, kind: "work" });
  log.write("info", "whole");
  appendFileSync(logPath(place.home, "work"), 'no json\n{"message":"ha');
  const page = await readLog(place.home, "work", { after: "0:0", limit: 10 });
  assert.deepEqual(messages(page), ["whole", "no json"]);
  appendFileSync(logPath(place.home, "work"), 'lf"}\n');
  const rest = await readLog(place.home, "work", { after: page.next, limit: 10 });
  assert.deepEqual(messages(rest), ["half"]);
});

test("[O1c] a log that cannot be written fails nobody", () => {
  using place = newHome();
  writeFileSync(logFolder(place.home), "in the way");
  openLog({ ...place, kind: "work" }).write("error", "nobody hears", { error: new Error("x") });
});

test("[O1] several processes write and rotate at once: every line of theirs that is kept is whole", async () => {
  using place = newHome();
  const script = `import { openLog } from ${JSON.stringify(join(import.meta.dirname, "log.ts"))};
    const log = openLog({ home: ${JSON.stringify(place.home)}, kind: "work", maxBytes: 20_000 });
    for (let at = 0; at < 200; at += 1) log.write("info", process.argv[1] + " " + at);`;
  const writers = ["a", "b", "c"].map((name) =>
    spawn(process.execPath, ["--input-type=module", "-e", script, name], { stdio: "ignore" }),
  );
  await Promise.all(writers.map((writer) => once(writer, "exit")));
  const { lines } = await readLog(place.home, "work", { after: "0:0", limit: 10_000 });
  assert.ok(lines.every(({ pid, message }) => pid > 0 && /^[abc] \d+$/.test(message)));
  for (const name of ["a", "b", "c"]) {
    const numbers = lines
      .filter(({ message }) => message.startsWith(name))
      .map(({ message }) => Number(message.slice(2)));
    assert.deepEqual(
      numbers,
      numbers.toSorted((x, y) => x - y),
    );
  }
  assert.equal(new Set(messages({ lines })).size, lines.length, "none twice");
});
