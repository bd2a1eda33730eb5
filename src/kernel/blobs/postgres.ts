// Blobs in Postgres, in chunks. A writer's chunks belong to its upload, which gets its hash, and so becomes visible, in
// one statement. Every statement is its own transaction and may be repeated, so no connection is held between two of
// them, however slow the client is.
import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { retried } from "./retry.ts";
import { type BlobRange, blobStream, damaged, isBlobName } from "./stream.ts";
import { noSuchBlob, rangeWithin, verified } from "./stream.ts";
import { type BlobRef, type BlobSink, blobWriter } from "./writer.ts";
import type { BlobStore } from "./blobs.ts";
import { hasCollided, isLost } from "../journal/postgres/connection.ts";

const CHUNK_BYTES = 256 << 10;
const MAX_PIECES = 64; // bytes of a chunk: many small chunks need far more memory than their content
const TOUCH_MS = 3_600_000; // a live writer is touched well within the day
const SWEEP_MS = 3_600_000;

export function postgresBlobs(pool: Pool): BlobStore {
  const database = { pool, touching: touching(pool), sweep: sweeper(pool) };
  return {
    create: () => blobWriter(new PostgresSink(database)),
    async size(sha256) {
      if (!isBlobName(sha256)) return undefined;
      const { rows } = await ask<{ bytes: string }>(pool, SIZE, [sha256]);
      return rows[0] && Number(rows[0].bytes);
    },
    read: (sha256, range) => blobStream((signal) => parts(pool, { sha256, range, signal })),
  };
}

type Database = {
  readonly pool: Pool;
  readonly touching: ReturnType<typeof touching>;
  readonly sweep: () => Promise<void>;
};

class PostgresSink implements BlobSink {
  readonly #id = randomUUID();
  readonly #database: Database;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #parts = 0;
  #isBegun = false;

  constructor(database: Database) {
    this.#database = database;
  }

  async append(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength;) {
      const piece = chunk.subarray(at, at + CHUNK_BYTES - this.#pendingBytes);
      this.#pending.push(Buffer.from(piece)); // a copy, because the caller may reuse its buffer
      if (this.#pending.length > MAX_PIECES) this.#pending = [Buffer.concat(this.#pending)];
      this.#pendingBytes += piece.byteLength;
      at += piece.byteLength;
      if (this.#pendingBytes === CHUNK_BYTES) await this.#flush();
    }
  }

  async publish({ sha256, bytes }: BlobRef): Promise<void> {
    const { pool, touching, sweep } = this.#database;
    if (!this.#isBegun) {
      const all = Buffer.concat(this.#pending);
      await ask(pool, PUBLISH_SMALL, [this.#id, CHUNK_BYTES, sha256, bytes, all]);
    } else {
      if (this.#pendingBytes > 0) await this.#flush();
      await this.#publishUpload({ sha256, bytes });
      touching.end(this.#id);
    }
    await sweep();
  }

  async remove(): Promise<void> {
    const { pool, touching } = this.#database;
    touching.end(this.#id);
    this.#pending = [];
    if (this.#isBegun) await pool.query(REMOVE, [this.#id]);
  }

  async #flush(): Promise<void> {
    const { pool, touching } = this.#database;
    if (!this.#isBegun) {
      this.#isBegun = true; // even if the next line fails: the statement may have been executed
      touching.begin(this.#id);
      await ask(pool, BEGIN, [this.#id, CHUNK_BYTES]);
    }
    await ask(pool, ADD_CHUNK, [this.#id, this.#parts, Buffer.concat(this.#pending)]);
    this.#parts += 1;
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  async #publishUpload({ sha256, bytes }: BlobRef): Promise<void> {
    const { pool } = this.#database;
    const published = await ask(pool, PUBLISH, [this.#id, sha256, bytes]).catch(
      (error: unknown) => {
        if (codeOf(error) === UNIQUE_VIOLATION) return undefined; // the same content was published concurrently
        throw error;
      },
    );
    if (published?.rowCount) return;
    const { rows } = await ask(pool, SIZE, [sha256]);
    if (rows.length === 0) throw new Error("The upload of a blob was lost: it lay idle for a day.");
    await ask(pool, REMOVE, [this.#id]);
  }
}

type Reading = {
  readonly sha256: string;
  readonly range: BlobRange | undefined;
  readonly signal: AbortSignal;
};

async function* parts(pool: Pool, reading: Reading): AsyncGenerator<Buffer> {
  const { sha256, signal } = reading;
  if (!isBlobName(sha256)) throw noSuchBlob();
  const { start = 0, end = Number.MAX_SAFE_INTEGER } = reading.range ?? {};
  const first = await chunkAt(pool, { sha256, at: start, end, signal });
  if (!first) throw noSuchBlob();
  const range = rangeWithin(reading.range, first.size);
  async function* chunks() {
    for (let at = start; at <= range.end;) {
      const chunk =
        at === start ? first : await chunkAt(pool, { sha256, at, end: range.end, signal });
      if (!chunk?.bytes?.length) throw damaged(sha256, `nothing is kept at byte ${at}`);
      yield chunk.bytes;
      at += chunk.bytes.length;
    }
  }
  yield* verified(chunks(), { sha256, size: first.size, range });
}

type At = { sha256: string; at: number; end: number; signal: AbortSignal };
type Chunk = { readonly size: number; readonly bytes: Buffer | null };

/** One chunk's bytes from `at` to at most `end`. As text, because pg's `binary` corrupts bytes (#3495). */
async function chunkAt(pool: Pool, { sha256, at, end, signal }: At): Promise<Chunk | undefined> {
  const values = [sha256, at, Math.max(0, end - at + 1)];
  const { rows } = await retried(
    () => pool.query<{ size: string; bytes: Buffer | null }>(CHUNK_AT, values),
    { ...RETRYING, signal },
  );
  return rows[0] && { size: Number(rows[0].size), bytes: rows[0].bytes };
}

/** Keeps active uploads from being swept, however rarely they are written to. */
function touching(pool: Pool) {
  const uploads = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const touch = () => {
    pool.query(TOUCH, [[...uploads]]).catch(() => undefined); // many more touches follow within the day
  };
  return {
    begin(id: string) {
      uploads.add(id);
      timer ??= setInterval(touch, TOUCH_MS).unref();
    },
    end(id: string) {
      uploads.delete(id);
      if (uploads.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}

/** Removes what killed writers left: with the first blob, and then every hour. */
function sweeper(pool: Pool): () => Promise<void> {
  let next = 0;
  return async () => {
    if (performance.now() < next) return;
    next = performance.now() + SWEEP_MS;
    await pool.query(SWEEP).catch(() => undefined); // the blob is kept; the next sweep takes them
  };
}

const UNIQUE_VIOLATION = "23505";
const RETRYING = {
  attempts: 8,
  baseMs: 100,
  isPassing: (error: unknown) => isLost(error) || hasCollided(error),
};

async function ask<Row extends object>(pool: Pool, text: string, values: readonly unknown[]) {
  return retried(() => pool.query<Row>(text, [...values]), RETRYING);
}

function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : "";
}

// Makes a published blob durable whatever the session's setting is; the WAL is written in order, so this
// covers the chunks before it. If a chunk was lost nevertheless, the sum does not match.
const DURABLE = `set_config('synchronous_commit',
  replace(current_setting('synchronous_commit'), 'off', 'on'), true) is not null`;

const SIZE = "select bytes from blobs where sha256 = $1";

const BEGIN = `
  insert into blobs (upload_id, chunk_bytes) values ($1, $2) on conflict (upload_id) do nothing`;

const ADD_CHUNK = `
  insert into blob_chunks (upload_id, part, bytes) values ($1, $2, $3)
  on conflict (upload_id, part) do nothing`;

const PUBLISH = `
  update blobs set sha256 = $2::text, bytes = $3::bigint
  where upload_id = $1::uuid and sha256 is null and ${DURABLE}
    and $3::bigint = (select sum(octet_length(bytes)) from blob_chunks where upload_id = $1::uuid)
    and not exists (select from blobs where sha256 = $2::text)`;

const PUBLISH_SMALL = `
  with blob as (
    insert into blobs (upload_id, chunk_bytes, sha256, bytes)
    select $1::uuid, $2::int, $3::text, $4::bigint where ${DURABLE}
    on conflict do nothing returning upload_id)
  insert into blob_chunks (upload_id, part, bytes)
  select upload_id, 0, $5::bytea from blob where octet_length($5::bytea) > 0`;

const REMOVE = "delete from blobs where upload_id = $1 and sha256 is null";

const TOUCH = `update blobs set touched_at = now() where upload_id = any($1::uuid[])`;

const SWEEP = `
  delete from blobs where upload_id in (
    select upload_id from blobs
    where sha256 is null and touched_at < now() - interval '1 day'
    limit 100 for update skip locked)`;

const CHUNK_AT = `
  select blobs.bytes as size,
    substring(chunk.bytes from ($2::bigint % chunk_bytes + 1)::int
      for least($3::bigint, chunk_bytes)::int) as bytes
  from blobs left join blob_chunks chunk
    on chunk.upload_id = blobs.upload_id and chunk.part = $2::bigint / chunk_bytes
  where sha256 = $1`;
