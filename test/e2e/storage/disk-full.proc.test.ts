// A disk that is full, for real: the home is a small tmpfs in a mount namespace of its own. Where the
// system allows no namespaces, the same rule is tried inside SQLite (src/kernel/journal/sqlite/database.proc.test.ts).
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { applyEvent, emptyRun } from "../../../src/kernel/state/run/state.ts";
import { toArray } from "../../../src/kernel/state/vector.ts";
import { ON_POSTGRES, onSqlite } from "../../support/backend.ts";
import { followRun } from "../../support/follow.ts";
import { call, readEvents, startRun } from "../../support/http.ts";
import { needing, NAMESPACES } from "../../support/needing.ts";
import { kill, MAIN, newTestHome, type TestHome } from "../../support/program.ts";
import { until } from "../../support/until.ts";

const UNSHARE = process.getuid?.() === 0 ? ["-m"] : ["-Urm"];
const hasNamespaces =
  spawnSync("unshare", [...UNSHARE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

/** `up` with a home of a few megabytes. `inside` is that home as seen from here. */
async function startOnSmallDisk({ home, workspace }: TestHome) {
  const config = readFileSync(join(home, "config.json"), "utf8");
  const script = `mount -t tmpfs -o size=64m tmpfs "$1" && cp "$2" "$1/config.json" && shift 2 && exec "$@"`;
  const copy = join(workspace, "config.json");
  writeFileSync(copy, config);
  const up = [
    process.execPath,
    MAIN,
    "up",
    "--home",
    home,
    "--workspace",
    workspace,
    "--port",
    "0",
  ];
  const child = spawn("unshare", [...UNSHARE, "sh", "-c", script, "sh", home, copy, ...up], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      const found = /http:\/\/[^\s/#]+/.exec(line)?.[0];
      if (found) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`up ended with ${code}`)));
  });
  const inside = `/proc/${child.pid}/root${home}`;
  return {
    url,
    token: readFileSync(join(inside, "token"), "utf8").trim(),
    inside,
    async [Symbol.asyncDispose]() {
      kill(child.pid as number, "SIGKILL"); // its children go with their channel to it
      await once(child, "exit");
    },
  };
}

function fill(path: string): void {
  try {
    for (;;) writeFileSync(path, Buffer.alloc(262_144, 120), { flag: "a" });
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
  }
}

// The disk of a Postgres is not ours to watch.
const test = ON_POSTGRES ? onSqlite : needing(hasNamespaces, NAMESPACES);
test(
  "[R8, D6] a full disk pauses the run, loses nothing, and the run goes on when there is room",
  pausesAndGoesOn,
);

async function pausesAndGoesOn(): Promise<void> {
  using place = newTestHome();
  await using server = await startOnSmallDisk(place);
  const { run_id } = await startRun(server, "pace 2\ncount 1500");
  const seen = await readEvents(server, `/api/runs/${run_id}/events`, { take: 30 });

  const filler = join(server.inside, "filler");
  fill(filler);
  const status = async () =>
    (await call<{ status: string; seq: number }>(server, "GET", `/api/runs/${run_id}`)).body.data;
  await until(async () => (await status()).status === "paused", "the pause");
  const { seq } = await status();
  fill(filler); // what the ballast left
  const refused = await call(server, "POST", "/api/runs", { message: "x".repeat(100_000) });
  assert.ok(
    [202, 507].includes(refused.status),
    `a start is taken or refused, not ${refused.status}`,
  );
  const again = await readEvents(server, `/api/runs/${run_id}/events`, { take: seq });
  rmSync(filler);
  const end = await followRun(() => server, run_id);

  assert.deepEqual(
    again.frames.slice(0, seen.frames.length).map(({ data }) => data),
    seen.frames.map(({ data }) => data),
    "reads go on, and nothing that was shown has changed",
  );
  const done = end.events.at(-1);
  assert.ok(done?.type === "done" && done.payload.status === "completed");
  const texts = toArray(end.events.reduce(applyEvent, emptyRun(run_id)).items).filter(
    (item) => item.kind === "text" && !item.superseded,
  );
  assert.equal(texts.length, 1);
  assert.match((texts[0]?.kind === "text" && texts[0].text) || "", /^1 2 3 .* 1500\s*$/);
}
