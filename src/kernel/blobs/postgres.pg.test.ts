import assert from "node:assert/strict";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { Pool } from "pg";
import { killedInTheMiddle } from "../../../test/support/journal/blob-killing.ts";
import { BLOB_BYTES, contentOf } from "../../../test/support/journal/blob-writing.ts";
import {
  type Databases,
  sharedPostgres,
  startPostgres,
} from "../../../test/support/postgres/postgres.ts";
import { until } from "../../../test/support/until.ts";
import { BLOBS_DDL } from "./ddl.ts";
import { postgresBlobs } from "./postgres.ts";
import { blobsContract, hashOf, keep } from "./blobs.contract.ts";

const UNFINISHED = "select count(*)::int from blobs where sha256 is null";

/** A separate database; every store has its own pool, as another process would. */
async function open(server?: Databases, settings = "") {
  const databases = server ?? (await sharedPostgres());
  const database = await databases.database();
  const pools: Pool[] = [];
  const connectedPool = (max = 4) => {
    const pool = new Pool({ connectionString: database, max, options: settings });
    pool.on("error", () => undefined); // idle when the server went away
    pools.push(pool);
    return pool;
  };
  const pool = connectedPool();
  await pool.query(BLOBS_DDL);
  const count = async (query: string) =>
    (await pool.query<{ count: number }>(query)).rows[0]?.count;
  return {
    pool,
    count,
    connectedPool,
    connect: () => postgresBlobs(connectedPool()),
    leftovers: async () => (await count(UNFINISHED)) ?? -1,
    writing: { database },
    tamper: (sha256: string, change: (content: Buffer) => Buffer) => tamper(pool, sha256, change),
    async [Symbol.asyncDispose]() {
      for (const each of pools) await each.end();
      await databases.drop(database);
    },
  };
}

/** Stores the changed content in the existing chunks; the last chunk gets the rest. */
async function tamper(pool: Pool, sha256: string, change: (content: Buffer) => Buffer) {
  const { rows } = await pool.query<{ upload_id: string; part: number; bytes: Buffer }>(
    `select chunk.* from blob_chunks chunk join blobs using (upload_id) where sha256 = $1
     order by part`,
    [sha256],
  );
  const content = change(Buffer.concat(rows.map(({ bytes }) => bytes)));
  let at = 0;
  for (const { upload_id, part, bytes } of rows) {
    const end = part === rows.length - 1 ? content.length : at + bytes.length;
    const values = [content.subarray(at, end), upload_id, part];
    await pool.query(
      "update blob_chunks set bytes = $1 where upload_id = $2 and part = $3",
      values,
    );
    at += bytes.length;
  }
}

blobsContract("blobs in postgres", open);

test("[E9] a slow reader holds no connection, a slow writer neither", async () => {
  await using place = await open();
  const store = postgresBlobs(place.connectedPool(1)); // the pool would wait forever for a client that is held
  const content = contentOf(1, 2 << 20);
  const writers = [store.create(), store.create()];
  for (const writer of writers) await writer.write(content.subarray(0, 1 << 20));
  const { sha256 } = await keep(store, content);
  const readers = [store.read(sha256), store.read(sha256)];
  for (const reader of readers) await once(reader, "readable");
  assert.equal(await store.size(sha256), content.length);
  for (const reader of readers) assert.ok(content.equals(await buffer(reader)));
  for (const writer of writers) await writer.discard();
  assert.equal(await place.leftovers(), 0);
});

test("[E9] what a killed writer left is swept after a day, what lives or is finished is not", async (t) => {
  await using place = await open();
  t.mock.timers.enable({ apis: ["setInterval"] }); // hours pass for the live writer
  await killedInTheMiddle(place.writing, 1);
  const live = place.connect().create();
  await live.write(contentOf(2, BLOB_BYTES));
  const { sha256 } = await keep(place.connect(), contentOf(3, BLOB_BYTES));

  const age = (hours: number) =>
    place.pool.query(`update blobs set touched_at = now() - interval '${hours} hours'`);
  await age(23);
  await keep(place.connect(), contentOf(4, 10));
  assert.equal(await place.leftovers(), 2, "a killed one of today, and a live one");

  await age(25);
  t.mock.timers.tick(3_600_000);
  await until(() => place.count(`${UNFINISHED} and touched_at > now() - interval '1 hour'`));
  await keep(place.connect(), contentOf(5, 10));
  assert.equal(await place.leftovers(), 1, "the live one");
  assert.equal((await live.finish()).bytes, BLOB_BYTES);
  assert.equal(await place.connect().size(sha256), BLOB_BYTES);
  const chunks = "select count(distinct upload_id)::int from blob_chunks";
  assert.equal(await place.count(chunks), await place.count("select count(*)::int from blobs"));
});

test("[E9] an upload that was swept fails instead of having a hole", async () => {
  await using place = await open();
  const store = place.connect();
  for (const then of [Buffer.alloc(0), contentOf(2, BLOB_BYTES)]) {
    const content = contentOf(1, BLOB_BYTES);
    const writer = store.create();
    await writer.write(content);
    await place.pool.query("delete from blobs where sha256 is null");
    await assert.rejects(async () => {
      await writer.write(then);
      await writer.finish();
    });
    await writer.discard();
    assert.equal(await store.size(hashOf(Buffer.concat([content, then]))), undefined);
  }
});

test("[E9] content that another publishes in the same moment is taken from there", async () => {
  await using place = await open();
  const content = contentOf(1, BLOB_BYTES);
  const sha256 = hashOf(content);
  const writer = place.connect().create();
  await writer.write(content);
  const other = await place.pool.connect();
  await other.query("begin");
  const values = [sha256, content.length];
  await other.query("insert into blobs values (gen_random_uuid(), $1, $2, 1)", values);
  const finishing = writer.finish();
  const waiting = "select count(*)::int from pg_locks where not granted";
  await until(() => place.count(waiting), "the writer to wait for the other");
  await other.query("commit");
  other.release();
  assert.deepEqual(await finishing, { sha256, bytes: content.length });
  assert.equal(await place.leftovers(), 0);
  assert.equal(await place.count("select count(*)::int from blob_chunks"), 0, "its own are gone");
});

test("[E9] a chunk that is lost before the end keeps the blob from being published", async () => {
  await using place = await open();
  const store = place.connect();
  const content = contentOf(1, 4 << 20);
  const writer = store.create();
  await writer.write(content);
  await place.pool.query("delete from blob_chunks where part = 2");
  await assert.rejects(writer.finish(), /was lost/);
  await writer.discard();
  assert.equal(await store.size(hashOf(content)), undefined);
  assert.equal(await place.leftovers(), 0);
});

test("[E9] a chunk that is gone is an error of every range that needs it", async () => {
  await using place = await open();
  const store = place.connect();
  const content = contentOf(1, 1 << 20);
  const { sha256 } = await keep(store, content);
  await place.pool.query("delete from blob_chunks where part = 1");
  await assert.rejects(buffer(store.read(sha256)), /is damaged/);
  await assert.rejects(buffer(store.read(sha256, { start: 300_000, end: 300_001 })), /is damaged/);
  const part = await buffer(store.read(sha256, { start: 600_000, end: 700_000 }));
  assert.ok(part.equals(content.subarray(600_000, 700_001)));
});

test("[E9] chunks are stored as they are, outside of the row", async () => {
  await using place = await open();
  const { rows } = await place.pool.query<{ attstorage: string }>(
    `select attstorage from pg_attribute
     where attrelid = 'blob_chunks'::regclass and attname = 'bytes'`,
  );
  assert.deepEqual(rows, [{ attstorage: "e" }]);
});

test("[E9, D1] a finished blob survives the server's crash, whatever the session asked for", async () => {
  // Without a commit that waits, nothing would be on disk yet.
  await using server = await startPostgres({ settings: { wal_writer_delay: "10s" } });
  await using place = await open(server, "-c synchronous_commit=off");
  const store = place.connect();
  for (const bytes of [5_000, 3_000_000]) {
    const content = contentOf(bytes, bytes);
    const { sha256 } = await keep(store, content);
    await server.kill();
    await server.restart();
    assert.ok(content.equals(await buffer(store.read(sha256))));
  }
});

test("[E9] readers and writers outlast a restart of the server", async () => {
  await using server = await startPostgres();
  await using place = await open(server);
  const store = place.connect();
  const content = contentOf(1, 4 << 20);
  const writer = store.create();
  await writer.write(content.subarray(0, 3 << 20));
  await server.kill();
  const writing = writer.write(content.subarray(3 << 20));
  await server.restart();
  await writing;
  const { sha256 } = await writer.finish();
  const reader = store.read(sha256);
  await once(reader, "readable");
  await server.kill();
  const reading = buffer(reader);
  await server.restart();
  assert.ok(content.equals(await reading));
});

test("[E9] a server whose socket is gone is waited for, and so is a free connection", async () => {
  await using server = await startPostgres({ fsync: false });
  const { port } = new URL(server.url);
  const to = { host: server.directory, port: Number(port), user: "postgres", database: "postgres" };
  const pool = new Pool({ ...to, max: 1, connectionTimeoutMillis: 100 });
  pool.on("error", () => undefined);
  await pool.query(BLOBS_DDL);
  const store = postgresBlobs(pool);
  const { sha256, bytes } = await keep(store, contentOf(1, 10));

  await server.stop();
  const away = store.size(sha256);
  await server.restart();
  assert.equal(await away, bytes);

  const busy = await pool.connect();
  const waiting = store.size(sha256);
  await until(() => pool.waitingCount === 0, "it to be turned away");
  busy.release();
  assert.equal(await waiting, bytes);
  await pool.end();
});
