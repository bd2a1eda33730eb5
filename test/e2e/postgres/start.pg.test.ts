// Starting on a database: what a person has to put right is said in one sentence, what passes is waited for, and a
// role that may only use the tables is enough to run.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { after, test } from "node:test";
import { Client } from "pg";
import { MIGRATIONS } from "../../../src/kernel/journal/postgres/schema.ts";
import { call, startRun } from "../../support/http.ts";
import { sharedPostgres, startPostgres } from "../../support/postgres/postgres.ts";
import { openServer } from "../../support/pair.ts";

import { MAIN, newTestHome, quarterdeck, type TestHome } from "../../support/program.ts";
import { until } from "../../support/until.ts";

const postgres = await sharedPostgres();
const database = await postgres.database();
after(() => postgres.drop(database));
const SECRET = "pässword-nobody-may-see";

type Result = Awaited<ReturnType<typeof quarterdeck>>;

/** `doctor` prints what it found instead. */
function assertRefused({ code, stdout, stderr }: Result, message: RegExp, what: string): void {
  assert.equal(code, 3, `${what}: ${stderr}`);
  assert.match(stderr, message, what);
  assert.match(stderr, /^[^\n]{10,300}\n$/, `${what}: one sentence`);
  assert.equal(stdout, "", what);
  assertNoSecret(stderr, what);
}

function assertNoSecret(text: string, what: string): void {
  for (const form of [SECRET, encodeURIComponent(SECRET)]) assert.ok(!text.includes(form), what);
}

function changed(url: string, parts: Partial<URL>): string {
  return Object.assign(new URL(url), parts).href;
}

test("[S] a wrong password, name or host is one sentence at once, without the password", async () => {
  using place = newTestHome();
  const password = encodeURIComponent(SECRET);
  const cases: [url: string, message: RegExp][] = [
    [changed(database, { password }), /refuses the name or password of “postgres”/],
    [changed(database, { username: "nobody-here", password }), /password of “nobody-here”/],
    [changed(database, { pathname: "/no_such" }), /There is no database “no_such” at 127/],
    [changed(database, { password, hostname: "no-such-host.invalid" }), /no host “no-such-host/],
    [`${database}?sslmode=verify-full`, /does not support SSL/],
    [`${database}?sslmode=verify-full&sslrootcert=/no/such.pem`, /\(\/no\/such\.pem: ENOENT\)/],
  ];
  for (const [at, [url, message]] of cases.entries()) {
    const env = { QUARTERDECK_DATABASE_URL: url };
    // Every command with the first, one after the other with the rest: they start in the same way.
    const commands = [["up"], ["serve"], ["work"], ["status"], ["database", "prepare"]];
    for (const args of at === 0 ? commands : [commands[at % commands.length] ?? []]) {
      const result = await quarterdeck([...args, "--home", place.home, "--port", "0"], { env });
      assertRefused(result, message, `${args.join(" ")} ${at}`);
    }
  }
  const env = { QUARTERDECK_DATABASE_URL: cases[0]?.[0] ?? "" };
  const doctor = await quarterdeck(["doctor", "--home", place.home], { env });
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /PROBLEM {2}database: .* refuses the name or password/);
  assertNoSecret(doctor.stdout + doctor.stderr, "doctor");
});

test("[D5] status asks an empty database and makes nothing in it", async () => {
  const empty = await postgres.database();
  using place = newTestHome();
  const env = { QUARTERDECK_DATABASE_URL: empty };
  const status = await quarterdeck(["status", "--home", place.home], { env });
  assert.equal(status.code, 1, status.stderr);
  assert.match(status.stdout, /^not serving\nno runner\nthe database has no tables yet\n/);
  const client = new Client(empty);
  await client.connect();
  const schemas = "SELECT count(*)::int AS made FROM pg_namespace WHERE nspname = 'quarterdeck'";
  assert.deepEqual((await client.query(schemas)).rows, [{ made: 0 }]);
  await client.end();
  await postgres.drop(empty);
});

function startWaiting(command: "serve" | "work", place: TestHome, env: Record<string, string>) {
  const flags = ["--home", place.home, "--workspace", place.workspace, "--port", "0"];
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, [MAIN, command, ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH, HOME, ...env },
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, "close").then(() => child.exitCode);
  return {
    child,
    ended,
    printed: () => printed,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

test("[D5] serve and work wait for a database that is down, and say so once; short commands do not", async () => {
  await using own = await startPostgres({ fsync: false });
  using place = newTestHome({ database_patience_ms: 300 });
  const env = { QUARTERDECK_DATABASE_URL: await own.database() };
  await own.stop();
  const short = await quarterdeck(["status", "--home", place.home], { env });
  assertRefused(
    short,
    /^The database at 127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\)\.\n$/,
    "",
  );
  const doctor = await quarterdeck(["doctor", "--home", place.home], { env });
  assert.match(doctor.stdout, /PROBLEM {2}database: .* does not answer \(ECONNREFUSED\)/);
  assert.match(doctor.stdout, /runtime: Node/, "the rest is looked at all the same");

  await using serve = startWaiting("serve", place, env);
  await using work = startWaiting("work", place, env);
  await using stopped = startWaiting("work", place, env);
  for (const { printed } of [serve, work, stopped]) {
    await until(() => printed().includes("waiting for the database (ECONNREFUSED)"), "it to wait");
  }
  stopped.child.kill("SIGTERM");
  assert.equal(await stopped.ended, 3, "told to stop, it does not wait any longer");

  await own.restart();
  const url = await until(() => /Serving (\S+)/.exec(serve.printed())?.[1], "serve to listen");
  const token = (await quarterdeck(["token", "--home", place.home], { env })).stdout.trim();
  await until(async () => {
    const { body } = await call<{ runners: unknown[] }>({ url, token }, "GET", "/api/status");
    return body.data.runners.length === 1;
  }, "the runner to register");
  for (const { printed } of [serve, work]) {
    assert.equal(printed().match(/waiting for the database/g)?.length, 1, printed());
  }
});

async function asOwner(sql: string, url = database): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

test("[S] the owner's role prepares the tables; the running role gets what it needs and no more", async () => {
  using place = newTestHome();
  const empty = await postgres.database();
  const [owner, runner] = ["owner", "runner"].map(
    (name) => `${name}_${randomBytes(4).toString("hex")}`,
  );
  assert.ok(owner && runner);
  const password = randomBytes(8).toString("hex");
  await asOwner(`CREATE ROLE ${owner} LOGIN PASSWORD '${password}'; CREATE ROLE ${runner} LOGIN PASSWORD '${password}';
    GRANT CREATE ON DATABASE ${new URL(empty).pathname.slice(1)} TO ${owner};`);
  const as = (username: string) => changed(empty, { username, password });
  const by = (username: string, ...args: string[]) =>
    quarterdeck([...args, "--home", place.home, "--workspace", place.workspace], {
      env: { QUARTERDECK_DATABASE_URL: as(username) },
    });
  try {
    const none = await by(runner, "token");
    assertRefused(none, /has no Quarterdeck tables yet, and this role may not make them/, "empty");
    const bare = await by(runner, "database", "status");
    assert.deepEqual([bare.code, /none yet/.test(bare.stdout)], [1, true]);
    const nobody = await by(owner, "database", "prepare", "--grant", "no such role");
    assertRefused(nobody, /There is no role “no such role”/, "grant");

    const prepared = await by(owner, "database", "prepare");
    assert.deepEqual(
      [prepared.code, prepared.stdout],
      [0, `The tables were made (version ${MIGRATIONS.length}).\n`],
    );
    const refused = await by(runner, "status");
    assertRefused(refused, /may not use Quarterdeck's tables.*prepare --grant/, "not granted");
    const granted = await by(owner, "database", "prepare", "--grant", runner);
    assert.equal(granted.code, 0, granted.stderr);

    const run = await by(runner, "run", "say hello from the running role");
    assert.deepEqual([run.code, run.stdout.trim()], [0, "hello from the running role"]);
    const doctor = await by(runner, "doctor");
    assert.match(doctor.stdout, /ok {7}database: Postgres/);
    const report = await by(runner, "database", "status", "--json");
    const found = JSON.parse(report.stdout) as Record<string, unknown>;
    assert.deepEqual(
      [found["backend"], found["version"], found["sessions"]],
      ["postgres", MIGRATIONS.length, 1],
    );
    assert.ok(Number(found["events"]) > 5);
    for (const forbidden of [
      "CREATE TABLE quarterdeck.mine ()",
      "DROP TABLE quarterdeck.events",
      "TRUNCATE quarterdeck.events",
      "ALTER TABLE quarterdeck.meta ADD COLUMN x int",
    ]) {
      await assert.rejects(asOwner(forbidden, as(runner)), { code: "42501" }, forbidden);
    }
    const again = await by(runner, "database", "prepare");
    assert.equal(again.code, 0, "there is nothing to do");
  } finally {
    await postgres.drop(empty);
    await asOwner(`DROP ROLE ${owner}; DROP ROLE ${runner};`);
  }
});

test("[S] blobs and backups that a database cannot have are refused", async () => {
  using place = newTestHome();
  const env = { QUARTERDECK_DATABASE_URL: database };
  const ask = (...args: string[]) => quarterdeck([...args, "--home", place.home], { env });
  assertRefused(
    await ask("work", "--blobs", "s3://bucket/x?endpoint=http://127.0.0.1:1"),
    /needs AWS_ACCESS_KEY_ID/,
    "blobs",
  );
  for (const command of ["backup", "restore"]) {
    const { code, stderr } = await ask(command, "x.db");
    assert.deepEqual([code, /^A journal in Postgres is [^\n]+\n$/.test(stderr)], [2, true], stderr);
  }
});

test("[A2] a link made on a home that serves nothing leads to the server of this machine", async () => {
  using one = newTestHome();
  using other = newTestHome();
  const env = { QUARTERDECK_DATABASE_URL: database };
  await using server = await openServer(one, { env });
  const link = await quarterdeck(["token", "--link", "--home", other.home], { env });
  assert.ok(link.stdout.startsWith(`${server.url}/#login=`), link.stdout + link.stderr);
});

test("[D4, K2] after a dump was put back the database gets a new epoch, and cursors of the old one are refused", async () => {
  using place = newTestHome();
  const own = await postgres.database();
  const env = { QUARTERDECK_DATABASE_URL: own };
  const restored = () => quarterdeck(["database", "restored", "--home", place.home], { env });
  type Status = { epoch: string };
  let before: { epoch: string; run_id: string };
  {
    await using server = await openServer(place, { env });
    const { run_id } = await startRun(server, "say never started: there is no runner");
    before = { ...(await call<Status>(server, "GET", "/api/status")).body.data, run_id };
    const refused = await restored();
    assertRefused(refused, /^Stop every process first: quarterdeck .*Nothing was changed\.\n$/, "");
  }
  const done = await restored();
  assert.deepEqual([done.code, done.stderr], [0, ""]);
  await using server = await openServer(place, { env });
  const { epoch } = (await call<Status>(server, "GET", "/api/status")).body.data;
  assert.notEqual(epoch, before.epoch);
  const { run_id } = before;
  const answer = await call(server, "GET", `/api/runs/${run_id}/events`, undefined, {
    "last-event-id": `${before.epoch}/${run_id}:1`,
  });
  assert.deepEqual([answer.status, answer.body.error.details["epoch"]], [409, epoch]);
  const inHome = await quarterdeck(["database", "restored", "--home", place.home]);
  assert.equal(inHome.code, 2);
  await server[Symbol.asyncDispose]();
  await postgres.drop(own);
});
