// The journal for many machines: one Postgres, any number of processes anywhere. This file only puts the parts
// together; what each promises is in journal.ts and proven by journal.contract.ts.
import { ApiError } from "../protocol/errors.ts";
import type { Sealing } from "./append.ts";
import { blobStoreFor, type BlobEnvironment } from "./blobs-settings.ts";
import { checkedAppend } from "./checked-append.ts";
import { commands } from "./commands.ts";
import { groupCommit } from "./group-commit.ts";
import type { Journal, Wake } from "./journal.ts";
import { bringUpToDate, maintenance } from "./maintenance.ts";
import { claims } from "./postgres/claims.ts";
import { Connection } from "./postgres/connection.ts";
import { postgresGroups } from "./postgres/group.ts";
import { bringSchemaUpToDate } from "./postgres/migrate.ts";
import { postgresReads } from "./postgres/sql-client.ts";
import { transactions } from "./postgres/transact.ts";
import { listen } from "./postgres/wake-ups.ts";
import { postgresWords } from "./postgres/words.ts";
import { push } from "./push.ts";
import { reads } from "./reads.ts";
import type { Redactor } from "./redact.ts";
import { registry } from "./registry.ts";
import { snapshots } from "./snapshots.ts";

export type PostgresOptions = {
  url: string;
  name?: string; // of this process
  /** How long reads and commands wait for a database that is away. Appends wait for as long as it takes. */
  patienceMs?: number;
  /** `s3://…`; left out: in the database. */
  blobs?: string | undefined;
  environment?: BlobEnvironment;
  redactor?: Redactor | undefined;
};

const PATIENCE_MS = 10_000;
// The same bytes as frameOf() in src/protocol/frame.ts.
const JOINED = `
  SELECT count(*), string_agg(CAST(?1 AS text) || seq || '\ndata: ' || body || '\n\n', '' ORDER BY seq)
  FROM events WHERE log_key = ?2 AND seq > ?3 AND seq <= ?4`;

export async function openPostgres(options: PostgresOptions): Promise<Journal> {
  const { url, name = `${process.pid}`, patienceMs = PATIENCE_MS, redactor } = options;
  const connecting = { url, name, patienceMs };
  const connection = new Connection(connecting);
  const listeners = new Set<(wake: Wake | "all") => void>();
  const tell = (wake: Wake | "all") => {
    for (const listener of listeners) listener(wake);
  };
  await bringSchemaUpToDate(connection);
  const sql = postgresReads(connection);
  const epoch = (await sql.get("SELECT value FROM meta WHERE key = 'epoch'"))?.["value"] as string;
  const words = postgresWords;
  const sealing: Sealing = { epoch, redact: redactor?.text, words };
  const wakeUps = await listen({ connection, options: connecting, heard: tell });
  const published = (wakes: Wake[]) => {
    wakeUps.publish(wakes);
    for (const wake of wakes) tell(wake);
  };
  const transact = transactions({ connection, sealing, published });
  await bringUpToDate({ sql, transact, words });
  const { pool } = connection;
  const blobs = blobStoreFor({ url: options.blobs, pool, environment: options.environment ?? {} });

  return {
    epoch,
    redactor,
    blobs,
    ...commands(transact, blobs),
    ...reads({ sql, transact, words, joined: JOINED, isDamage: () => false }),
    ...snapshots(sql, transact),
    ...claims(connection),
    ...registry(sql, transact),
    ...push(sql, transact),
    append: checkedAppend(groupCommit(postgresGroups({ connection, sealing, published }))),
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    storage: () => ({ backend: "postgres", away: connection.away }),
    async backup() {
      const message =
        "A journal in Postgres is backed up with pg_dump, or copied with “quarterdeck migrate”.";
      throw new ApiError("invalid_request", message);
    },
    ...maintenance({ sql, transact, words }),
    async [Symbol.asyncDispose]() {
      listeners.clear();
      await wakeUps[Symbol.asyncDispose]();
      await connection[Symbol.asyncDispose]();
    },
  };
}
