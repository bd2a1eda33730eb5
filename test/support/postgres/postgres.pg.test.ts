// The Postgres that other tests rely on: real, separate, durable, and gone afterwards.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { Client } from "pg";
import { processesOf } from "./processes.ts";
import { sharedPostgres, startPostgres } from "./postgres.ts";
import { startTcpProxy } from "../servers/tcp-proxy.ts";
import { until } from "../until.ts";

async function connected(url: string) {
  const client = new Client(url);
  client.on("error", () => {}); // the server's end is what some of these tests are about
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.end() };
}

/** Like `once(client, "end")`, which would throw the error that comes before. */
function goneFrom(client: Client): Promise<void> {
  return new Promise((resolve) => {
    client.once("end", () => resolve());
  });
}

async function rows(url: string, statement: string): Promise<unknown[]> {
  await using on = await connected(url);
  return (await on.client.query<unknown[]>({ text: statement, rowMode: "array" })).rows.flat();
}

const TABLES = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'";

for (const options of [{}, { binaries: "embedded" }]) {
  const which = "binaries" in options ? "the embedded" : "the chosen";
  test(`${which} Postgres starts, keeps what was committed when it is killed, and goes`, async () => {
    const postgres = await startPostgres(options);
    const { directory, pid } = postgres;
    {
      await using _ = postgres;
      const url = await postgres.database();
      assert.deepEqual(await rows(url, "SHOW fsync"), ["on"]);
      assert.deepEqual(await rows(url, "SHOW synchronous_commit"), ["on"]);
      await rows(url, "CREATE TABLE kept (id int)");
      await rows(url, "INSERT INTO kept VALUES (1), (2)");

      await using waiting = await connected(url);
      const cutOff = assert.rejects(waiting.client.query("SELECT pg_sleep(1000)"));
      await postgres.kill();
      await cutOff;
      assert.deepEqual(processesOf(directory), []);

      await postgres.restart();
      assert.notEqual(postgres.pid, pid);
      assert.deepEqual(await rows(url, "SELECT id FROM kept ORDER BY id"), [1, 2]);
      await postgres.restart();
      assert.deepEqual(await rows(url, "SELECT id FROM kept ORDER BY id"), [1, 2]);
    }
    assert.deepEqual(processesOf(directory), []);
    assert.equal(existsSync(directory), false);
  });
}

/** A backend that is busy does not see that its postmaster is gone, and blocks the next one. */
const LOOPING = "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'DO%'";

test("Postgres comes back also when only its postmaster was killed", async () => {
  await using postgres = await startPostgres({ fsync: false });
  await using busy = await connected(postgres.url);
  const cutOff = assert.rejects(busy.client.query("DO $$ BEGIN LOOP END LOOP; END $$"));
  await until(() => rows(postgres.url, LOOPING).then(({ length }) => length), "the loop to run");
  process.kill(postgres.pid, "SIGKILL");
  await postgres.restart();
  await cutOff;
  assert.deepEqual(await rows(postgres.url, "SELECT 1"), [1]);
});

test("every database is empty and separate, and can be dropped while it is in use", async () => {
  const postgres = await sharedPostgres();
  const [one, other] = await Promise.all([postgres.database(), postgres.database()]);
  await rows(one, "CREATE TABLE mine ()");
  assert.deepEqual(await rows(one, TABLES), ["mine"]);
  assert.deepEqual(await rows(other, TABLES), []);
  await using user = await connected(one);
  const ended = goneFrom(user.client);
  await postgres.drop(one);
  await ended;
  await assert.rejects(rows(one, "SELECT 1"), { code: "3D000" });
  await postgres.drop(other);
});

test("Postgres goes with a process that is killed, or ends without saying so", async () => {
  const module = join(import.meta.dirname, "postgres.ts");
  for (const then of ["setInterval(() => {}, 1000)", ""]) {
    const script = `
      const { startPostgres } = await import(${JSON.stringify(module)});
      const postgres = await startPostgres({ fsync: false });
      console.log(postgres.directory);
      ${then}`;
    const owner = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(owner, "exit");
    const [directory] = (await once(createInterface(owner.stdout), "line")) as [string];
    if (then) owner.kill("SIGKILL");
    await ended;
    await until(() => !existsSync(directory), "the directory to go");
    assert.deepEqual(processesOf(directory), []);
  }
});

test("a binary that is not there is told, and nothing is left", async () => {
  await assert.rejects(startPostgres({ binaries: "/nowhere" }), /no initdb and postgres/);
});

async function behindProxy() {
  const postgres = await sharedPostgres();
  const direct = await postgres.database();
  await rows(direct, "CREATE TABLE told (id int)");
  const proxy = await startTcpProxy({ port: Number(new URL(direct).port) });
  return {
    direct,
    proxy,
    through: proxy.through(direct),
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await postgres.drop(direct);
    },
  };
}
const EMITTED = "SELECT id FROM told ORDER BY id";

test("a reset ends connections, refuses new ones, and heals", async () => {
  await using place = await behindProxy();
  await using before = await connected(place.through);
  const ended = goneFrom(before.client);
  place.proxy.cut("reset");
  await ended;
  await assert.rejects(connected(place.through));
  place.proxy.heal();
  assert.deepEqual(await rows(place.through, "SELECT 1"), [1]);
  await until(() => place.proxy.connections() === 0, "no connection to be left");
});

test("in a silence nothing arrives, nobody is told, and all goes on when it heals", async () => {
  await using place = await behindProxy();
  await using before = await connected(place.through);
  place.proxy.cut("silence");
  const heard: string[] = [];
  const insert = before.client
    .query("INSERT INTO told VALUES (1)")
    .then(() => heard.push("insert"));
  const late = connected(place.through).then((on) => {
    heard.push("connection");
    return on;
  });
  assert.deepEqual(await rows(place.direct, EMITTED), []);
  assert.deepEqual(heard, []);
  place.proxy.heal();
  await insert;
  await using after = await late;
  assert.deepEqual((await after.client.query(EMITTED)).rows, [{ id: 1 }]);
});

test("without replies the server does what it is asked, and a reset loses its answer", async () => {
  await using place = await behindProxy();
  await using before = await connected(place.through);
  place.proxy.cut("no replies");
  const lost = assert.rejects(before.client.query("INSERT INTO told VALUES (1)"));
  await until(() => place.proxy.heldReplies() > 0, "the answer");
  place.proxy.cut("reset");
  await lost;
  assert.deepEqual(await rows(place.direct, EMITTED), [1]);
});

test("a delay keeps order and loses nothing", async () => {
  await using place = await behindProxy();
  await using on = await connected(place.through);
  place.proxy.delay(200);
  let answered = false;
  const answer = on.client.query("SELECT i, repeat('x', 50) FROM generate_series(1, 100000) i");
  const noted = answer.then(() => (answered = true));
  await until(() => answered || place.proxy.heldReplies() > 0, "the first of the answer");
  place.proxy.delay(0); // what is sent from now on must not overtake
  await noted;
  const ids = (await answer).rows.map(({ i }: { i: number }) => i);
  assert.deepEqual(
    ids,
    ids.map((_, index) => index + 1),
  );
  assert.equal(ids.length, 100_000);
});
