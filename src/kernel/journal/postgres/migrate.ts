// Migrates the tables: once, by the first process, under a lock. A role that may not change tables gets a message with
// what to do; a journal of a newer release is refused and left untouched.
import type pg from "pg";
import { newEpoch, NewerJournalError } from "../sqlite/database.ts";
import { PROJECTIONS_VERSION } from "../project/projections.ts";
import { withoutQueryTimeout, type Connection } from "./connection.ts";
import { MIGRATIONS, SCHEMA } from "./schema.ts";

export class SchemaError extends Error {
  override name = "SchemaError";
}

const LOCK = 7_365_001; // any number, but the same in every process
const FORBIDDEN = new Set(["42501"]); // insufficient_privilege

export async function bringSchemaUpToDate(connection: Connection): Promise<void> {
  const version = await connection.persist(() => versionOf(connection.pool)).catch(orSchemaError);
  if (version === MIGRATIONS.length) return;
  refuseNewer(version);
  try {
    await connection.persist(() => connection.withClient(migrate));
  } catch (error) {
    if (!FORBIDDEN.has((error as { code?: string }).code ?? "")) throw error;
    const what = version === 0 ? "has no Quarterdeck tables yet" : "has tables of an older release";
    throw new SchemaError(
      `The database ${what}, and this role may not make them. Run “quarterdeck database prepare” with the owner's role.`,
    );
  }
}

/** The tables exist, but this role may not use them. */
export function orSchemaError(error: unknown): never {
  if (!FORBIDDEN.has((error as { code?: string }).code ?? "")) throw error;
  throw new SchemaError(
    "This role may not use Quarterdeck's tables. Run “quarterdeck database prepare --grant ROLE” with the owner's role.",
  );
}

async function migrate(connected: pg.ClientBase): Promise<void> {
  const client = withoutQueryTimeout(connected);
  await client.query("BEGIN");
  try {
    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    const version = await versionOf(client); // two processes may start at once: check again inside the lock
    refuseNewer(version);
    if (version === 0) await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
    for (const sql of MIGRATIONS.slice(version)) await client.query(sql);
    const set = `INSERT INTO ${SCHEMA}.meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
    await client.query(set, ["schema", String(MIGRATIONS.length)]);
    if (version === 0) {
      await client.query(set, ["epoch", newEpoch()]);
      await client.query(set, ["projections", String(PROJECTIONS_VERSION)]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

export async function versionOf(client: Pick<pg.ClientBase, "query">): Promise<number> {
  const there = await client.query<{ there: string | null }>(
    `SELECT to_regclass('${SCHEMA}.meta')::text AS there`,
  );
  if (there.rows[0]?.there == null) return 0;
  const sql = `SELECT value FROM ${SCHEMA}.meta WHERE key = 'schema'`;
  return Number((await client.query<{ value: string }>(sql)).rows[0]?.value ?? 0);
}

function refuseNewer(version: number): void {
  if (version <= MIGRATIONS.length) return;
  throw new NewerJournalError(
    "The database was prepared by a newer Quarterdeck. Upgrade, or choose another --database.",
  );
}
