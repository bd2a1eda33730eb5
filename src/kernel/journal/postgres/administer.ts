// Commands for database administrators: create the tables, grant them to a role, report. They run with the role that the
// address names; a working process needs none of this.
import type { ProcessRecord } from "../journal.ts";
import { newEpoch } from "../sqlite/database.ts";
import { Connection } from "./connection.ts";
import { bringSchemaUpToDate, orSchemaError, versionOf } from "./migrate.ts";
import { MIGRATIONS, SCHEMA } from "./schema.ts";

export type Administered = { readonly url: string; readonly patienceMs: number };

/** Creates or migrates the tables; `grant` names a role that may then run Quarterdeck, and nothing more. */
export async function prepareDatabase(
  { url, patienceMs }: Administered,
  grant: string | undefined,
): Promise<{ before: number; now: number }> {
  await using connection = new Connection({ url, patienceMs, name: "prepare" });
  const before = await connection.persist(() => versionOf(connection.pool));
  if (grant !== undefined) {
    await connection.pool.query("SELECT $1::regrole", [quoted(grant)]); // refused before anything is changed
  }
  await bringSchemaUpToDate(connection);
  if (grant !== undefined) await connection.pool.query(grantTo(quoted(grant)));
  return { before, now: MIGRATIONS.length };
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** One text is one transaction. Covers what later releases add too, if the same owner prepares it. */
function grantTo(role: string): string {
  const rows = "SELECT, INSERT, UPDATE, DELETE";
  const later = `ALTER DEFAULT PRIVILEGES IN SCHEMA ${SCHEMA} GRANT`;
  return `
    GRANT USAGE ON SCHEMA ${SCHEMA} TO ${role};
    GRANT ${rows} ON ALL TABLES IN SCHEMA ${SCHEMA} TO ${role};
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${SCHEMA} TO ${role};
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${SCHEMA} TO ${role};
    ${later} ${rows} ON TABLES TO ${role};
    ${later} USAGE ON SEQUENCES TO ${role};
    ${later} EXECUTE ON FUNCTIONS TO ${role};`;
}

export type DatabaseReport = {
  readonly server: string; // Postgres's own version
  readonly version: number; // of our tables; 0: there are none
  readonly wanted: number;
  readonly bytes: { database: number; events: number; blobs: number };
  readonly sessions: number;
  readonly events: number;
  readonly processes: readonly ProcessRecord[];
};

/** 0: there are none. Changes nothing. */
export async function tablesVersion({ url, patienceMs }: Administered): Promise<number> {
  await using connection = new Connection({ url, patienceMs, name: "status" });
  return await connection.persist(() => versionOf(connection.pool)).catch(orSchemaError);
}

/** Changes nothing; also for a database without tables, or with those of another release. */
export async function reportDatabase({ url, patienceMs }: Administered): Promise<DatabaseReport> {
  await using connection = new Connection({ url, patienceMs, name: "status" });
  const ask = async <Row extends object>(sql: string): Promise<Row[]> =>
    connection.persist(async () => (await connection.pool.query<Row>(sql)).rows);
  const version = await connection.persist(() => versionOf(connection.pool));
  const [about] = await ask<{ server: string; bytes: number }>(
    "SELECT current_setting('server_version') AS server, pg_database_size(current_database()) AS bytes",
  );
  const { server = "", bytes = 0 } = about ?? {};
  const bare = { server, version, wanted: MIGRATIONS.length };
  if (version === 0) {
    return { ...bare, bytes: { database: bytes, events: 0, blobs: 0 }, ...EMPTY };
  }
  // A session's events are numbered without gaps, so the highest number is their count.
  const [counted] = await ask<Record<"sessions" | "events" | "of_events" | "of_blobs", number>>(`
    SELECT count(*) AS sessions, coalesce(sum(seq), 0) AS events,
      pg_total_relation_size('${SCHEMA}.events') AS of_events,
      pg_total_relation_size('${SCHEMA}.blob_chunks') AS of_blobs
    FROM sessions`);
  const { sessions = 0, events = 0, of_events = 0, of_blobs = 0 } = counted ?? {};
  const processes = await ask<ProcessRecord>("SELECT * FROM processes ORDER BY process_id");
  const sizes = { database: bytes, events: of_events, blobs: of_blobs };
  return { ...bare, bytes: sizes, sessions, events, processes };
}

const EMPTY = { sessions: 0, events: 0, processes: [] } as const;

/**
 * After a restored dump, or a failover that lost commits: begins a new epoch, so that cursors of the lost events are
 * refused instead of skipping events (D4). Processes read the epoch at their start, so none may be connected:
 * returns those that are connected, and then has changed nothing.
 */
export async function markRestored({ url, patienceMs }: Administered): Promise<readonly string[]> {
  await using connection = new Connection({ url, patienceMs, name: "restored" });
  const { pool } = connection;
  const { rows } = await connection.persist(() => pool.query<{ name: string }>(CONNECTED));
  if (rows.length > 0) return rows.map(({ name }) => name);
  await pool.query(RESTORED.replace("EPOCH", newEpoch()));
  return [];
}

const CONNECTED = `SELECT DISTINCT application_name AS name FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'quarterdeck %'
    AND application_name <> 'quarterdeck restored' ORDER BY name`;
/** One text is one transaction. Frees the leases, which belong to runners that are gone. */
const RESTORED = `UPDATE ${SCHEMA}.meta SET value = 'EPOCH' WHERE key = 'epoch';
  UPDATE ${SCHEMA}.logs SET runner_id = NULL, lease_until = NULL WHERE runner_id IS NOT NULL;
  DELETE FROM ${SCHEMA}.processes;`;

export type Examined = { readonly state: "ok" | "note" | "problem"; readonly text: string };

/** What `doctor` reports about the database: facts and problems. */
export async function examineDatabase({ url, patienceMs }: Administered): Promise<Examined[]> {
  await using connection = new Connection({ url, patienceMs, name: "doctor" });
  const asked = Date.now();
  const sql = `SELECT current_setting('server_version') AS server, current_setting('fsync') AS fsync,
    current_setting('full_page_writes') AS pages, current_setting('data_checksums') AS checksums,
    current_setting('synchronous_commit') AS commit,
    current_setting('max_connections')::int AS most,
    (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
    coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS ssl,
    extract(epoch FROM clock_timestamp())::float8 AS now`;
  const answer = await connection.persist(() => connection.pool.query<Settings>(sql));
  const middle = (asked + Date.now()) / 2_000;
  const settings = answer.rows[0];
  if (!settings) return [{ state: "problem", text: "it says nothing about itself" }];
  return findings(settings, Math.abs(settings.now - middle));
}

type Settings = Record<"server" | "fsync" | "pages" | "checksums" | "commit", string> &
  Record<"most" | "used" | "ssl" | "now", number>;

const MAX_APART_S = 2; // leases are by the database's time; what people see is by the machine's

function findings(settings: Settings, apartS: number): Examined[] {
  const { server, fsync, pages, checksums, commit, most, used, ssl } = settings;
  const found: Examined[] = [
    { state: "ok", text: `Postgres ${server}, ${used} of ${most} connections in use` },
    { state: "ok", text: ssl ? "connected with TLS" : "connected without TLS" },
  ];
  if (fsync !== "on" || pages !== "on") {
    const text = `fsync is ${fsync} and full_page_writes is ${pages}: a crash of the machine can lose or break what was acknowledged. Switch both on`;
    found.push({ state: "problem", text });
  }
  if (checksums !== "on") {
    const text = `data_checksums is ${checksums}: a bit that changes on its disk is noticed in events only. Switch it on with pg_checksums`;
    found.push({ state: "note", text });
  }
  // We set it on every connection; a pooler may have dropped it.
  if (commit !== "on" && commit !== "remote_apply") {
    const text = `synchronous_commit is ${commit} on our connections: a crash can lose what was acknowledged. Use no pooler that drops settings`;
    found.push({ state: "problem", text });
  }
  if (apartS > MAX_APART_S) {
    const text = `its clock and this machine's are ${apartS.toFixed(1)} s apart: times will look wrong. Let both follow NTP`;
    found.push({ state: "note", text });
  }
  if (used > most * 0.8) {
    const text = `${used} of ${most} connections are in use: raise max_connections, or run fewer processes`;
    found.push({ state: "note", text });
  }
  return found;
}
