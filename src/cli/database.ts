// `database prepare`: makes or upgrades the tables, with the owner's role. `database status`: what is kept, and how much.
// `database restored`: somebody put it back to an earlier state; windows must not go on where that is behind them.
import { existsSync, statSync } from "node:fs";
import { type Config, type Parsed, UsageError } from "../config.ts";
import type { DatabaseReport } from "../kernel/journal/postgres/administer.ts";
import { sqliteReport } from "../kernel/journal/sqlite/report.ts";
import { journalPath } from "../kernel/journal/sqlite/sqlite.ts";
import { asUsageError, openJournal, reach } from "./open-journal.ts";

export const flags = { grant: { type: "string" }, json: { type: "boolean" } } as const;

export async function command({ config, values, positionals }: Parsed): Promise<number> {
  const [what, ...more] = positionals;
  if (what === "prepare" && more.length === 0) {
    return prepare(config, values["grant"] as string | undefined);
  }
  if (what === "status" && more.length === 0) return status(config, values["json"] === true);
  if (what === "restored" && more.length === 0) return restored(config);
  throw new UsageError(
    "What about it? quarterdeck database prepare [--grant ROLE], status, or restored.",
  );
}

async function restored(config: Config): Promise<number> {
  const { database, database_patience_ms: patienceMs } = config;
  if (database === undefined) {
    throw new UsageError('A journal in the home is put back with "quarterdeck restore FILE".');
  }
  await (await openJournal(config))[Symbol.asyncDispose](); // tables of this release, or a sentence
  const { markRestored } = await import("../kernel/journal/postgres/administer.ts");
  const connected = await markRestored({ url: database, patienceMs }).catch(asUsageError);
  if (connected.length > 0) {
    const names = connected.join(", ");
    throw new UsageError(`Stop every process first: ${names}. Nothing was changed.`, 3);
  }
  console.log("The database has a new epoch. Windows that were open will reload.");
  return 0;
}

async function prepare(config: Config, grant: string | undefined): Promise<number> {
  const { database, database_patience_ms: patienceMs } = config;
  if (database === undefined) {
    throw new UsageError("prepare needs --database: a journal in the home prepares itself.");
  }
  await reach({ ...config, database }, {});
  const { prepareDatabase } = await import("../kernel/journal/postgres/administer.ts");
  const { before, now } = await prepareDatabase({ url: database, patienceMs }, grant).catch(
    (error: unknown) => asUsageError(sentenceOf(error, grant)),
  );
  await (await openJournal(config))[Symbol.asyncDispose](); // lists of an earlier release are made anew
  const done = before === now ? "were up to date" : before === 0 ? "were made" : "were upgraded";
  console.log(`The tables ${done} (version ${now}).`);
  if (grant !== undefined) console.log(`The role ${grant} may use them, and not change them.`);
  return 0;
}

/** What Postgres says about a grant, as the person who asked for it needs it. */
function sentenceOf(error: unknown, grant: string | undefined): unknown {
  const { code } = error as { code?: string };
  if (code === "42704") return new UsageError(`There is no role “${grant}”: create it first.`, 3);
  if (code === "42501")
    return new UsageError("This role may not prepare the tables: use their owner's.", 3);
  return error;
}

async function status(config: Config, json: boolean): Promise<number> {
  const { database, home, database_patience_ms: patienceMs } = config;
  if (database === undefined) {
    const path = journalPath(home);
    if (!existsSync(path)) throw new UsageError(`There is no journal in ${home} yet.`, 3);
    const report = { ...sqliteReport(path), bytes: statSync(path).size };
    console.log(
      json ? JSON.stringify({ backend: "sqlite", ...report }) : describeSqlite(path, report),
    );
    return 0;
  }
  await reach({ ...config, database }, {});
  const [{ reportDatabase }, { shownUrl }] = await Promise.all([
    import("../kernel/journal/postgres/administer.ts"),
    import("../kernel/journal/postgres/wait-for-database.ts"),
  ]);
  const report = await reportDatabase({ url: database, patienceMs }).catch((error: unknown) =>
    asUsageError(sentenceOf(error, undefined)),
  );
  const place = shownUrl(database);
  console.log(
    json ? JSON.stringify({ backend: "postgres", place, ...report }) : describe(place, report),
  );
  return report.version === report.wanted ? 0 : 1;
}

const count = (value: number) => value.toLocaleString("en");
const size = (bytes: number) => `${count(Math.ceil(bytes / 1_048_576))} MB`;

function describe(place: string, report: DatabaseReport): string {
  const { server, version, wanted, bytes, sessions, events, processes } = report;
  const tables =
    version === 0
      ? 'none yet: "quarterdeck database prepare" makes them'
      : version === wanted
        ? `version ${version}`
        : `version ${version}; this release has ${wanted}`;
  return [
    `backend    Postgres ${server} at ${place}`,
    `tables     ${tables}`,
    `holds      ${count(sessions)} sessions, ${count(events)} events`,
    `takes      ${size(bytes.database)}: events ${size(bytes.events)}, blobs ${size(bytes.blobs)}`,
    ...processes.map(
      ({ kind, process_id, host, pid }) =>
        `${kind.padEnd(10)} ${process_id} on ${host} (pid ${pid})`,
    ),
  ].join("\n");
}

type SqliteFigures = ReturnType<typeof sqliteReport> & { readonly bytes: number };

function describeSqlite(path: string, { version, sessions, events, bytes }: SqliteFigures): string {
  return [
    `backend    SQLite at ${path}`,
    `tables     version ${version}`,
    `holds      ${count(sessions)} sessions, ${count(events)} events`,
    `takes      ${size(bytes)}`,
  ].join("\n");
}
