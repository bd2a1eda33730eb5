// Moves a journal to another place: every event byte for byte and with the same epoch, so that cursors stay valid and
// open runs continue. The target gets its epoch only after everything in it was read back and compared with the source:
// until then no process can open it, and an interrupted migration starts again.
import { isAlive, thisProcess } from "../liveness.ts";
import { SHARED } from "../shared-values.ts";
import { cellsOf, rowsOf, text, type RowOf } from "../rows.ts";
import { PROCESSES as PROCESS_TABLE } from "../tables/runs.ts";
import { pick } from "../tables/table.ts";
import { bringBlobs, type BlobsBrought, KEEP, namedIn, type Named } from "./bring-blobs.ts";
import { type Checked, EVENT_COLUMNS, eventCheck, EVENTS } from "./check-events.ts";
import {
  MigrationError,
  type Place,
  quoted,
  type Snapshot,
  type Source,
  type Target,
} from "./ends.ts";
import { interrupted } from "./interrupted.ts";
import { catalogueOf, type Catalogue, type JournalFeature } from "../project/catalogue.ts";
import { postgresSource, postgresTarget } from "./postgres-end.ts";
import { sqliteSource, sqliteTarget } from "./sqlite-end.ts";
import { bringTable, digestOf, tablesIn, requireTables, type TableDigest } from "./tables.ts";

export type { Place } from "./ends.ts";
export type Step = "events" | "records" | "blobs" | "checked" | "lists";
type Settings = {
  readonly features: readonly JournalFeature[];
  /** Copies damaged logs as they are, quarantined. */
  readonly keepDamaged?: boolean;
  /** Processes registered on other machines were stopped, whatever the registry says. */
  readonly stoppedElsewhere?: boolean;
  /** Values that a home keeps in files and a database in its tables (`Registry.shared`). */
  readonly shared?: ReadonlyMap<string, string>;
  readonly progress?: (step: Step, done: number) => void;
  readonly signal?: AbortSignal;
};
export type Migration = Settings & { readonly from: Place; readonly to: Place };
export type Migrated = BlobsBrought & {
  readonly from: string;
  readonly to: string;
  readonly epoch: string;
  readonly events: number;
  readonly records: number;
  readonly problems: Checked["problems"];
  readonly shared: ReadonlyMap<string, string>;
};

export async function migrate(migration: Migration): Promise<Migrated> {
  const { progress = () => undefined } = migration;
  await using source = await openSource(migration.from);
  await using from = await source.snapshot();
  const meta = await metaOf(source, from, migration);
  await using target = await openTarget(migration.to, catalogueOf(migration.features));
  await begin(target, from, migration);
  try {
    const moving: Moving = { ...migration, progress, source, from, target };
    const { checked, named } = await bringEvents(moving);
    const records = await bringRecords(moving, checked);
    const stores = { from: source.blobs, to: target.blobs };
    const brought = (count: number) => progress("blobs", count);
    const { keepDamaged = false, signal } = migration;
    const blobs = await bringBlobs(named, { ...stores, keepDamaged, signal, brought });
    await checkTarget(moving, { checked, records });
    progress("lists", 0);
    signal?.throwIfAborted();
    await target.complete();
    await requireUnchanged(moving);
    await finish(target, meta);
    return {
      ...blobs,
      from: source.name,
      to: target.name,
      epoch: meta.get("epoch") ?? "",
      events: checked.events,
      records: [...records.values()].reduce((sum, { rows }) => sum + rows, 0),
      problems: checked.problems,
      shared: sharedIn(meta),
    };
  } finally {
    await target.transact(null, (tx) => tx.run(UNREGISTER)).catch(() => undefined);
  }
}

type Moving = Settings & {
  readonly progress: NonNullable<Migration["progress"]>;
  readonly source: Source;
  readonly from: Snapshot;
  readonly target: Target;
};
type Records = ReadonlyMap<string, TableDigest>;

function openSource(place: Place): Promise<Source> {
  return "home" in place ? sqliteSource(place.home) : postgresSource(place);
}

function openTarget(place: Place, catalogue: Catalogue): Promise<Target> {
  return "home" in place ? sqliteTarget(place.home, catalogue) : postgresTarget(place, catalogue);
}

/** The target creates these itself. */
const OWN = new Set(["schema", "projections", "search_from"]);

async function metaOf(source: Source, from: Snapshot, migration: Migration) {
  refuseUsed(source, (await read(from, PROCESSES)).map(processOf), migration);
  const rows = (await read(from, "SELECT key, value FROM meta")).map(META_CELLS.of);
  const meta = new Map(rows.filter(([key]) => !OWN.has(key)));
  if (!meta.has("epoch")) throw interrupted(source.name);
  for (const [name, value] of migration.shared ?? []) meta.set(SHARED + name, value);
  return meta;
}

function sharedIn(meta: ReadonlyMap<string, string>): Map<string, string> {
  const shared = [...meta].filter(([key]) => key.startsWith(SHARED));
  return new Map(shared.map(([key, value]) => [key.slice(SHARED.length), value]));
}

const PROCESSES = "SELECT process_id, kind, pid, started, host FROM processes";
const PROCESS = rowsOf("processes", pick(PROCESS_TABLE, "kind", "pid", "started", "host"));
type Process = RowOf<typeof PROCESS>;
const META_CELLS = cellsOf("meta", [text, text]);
const ID = "migrate"; // two processes at once cannot both be registered
const UNREGISTER = `DELETE FROM processes WHERE process_id = '${ID}'`;
const REGISTER = `INSERT INTO processes (process_id, kind, pid, started, host) VALUES (?, ?, ?, ?, ?)`;
/** Tables with data that a person would miss: a target that has any is refused. */
const PRECIOUS = ["sessions", "events", "projects"];

/** From here on no process can open the target. */
async function begin(target: Target, from: Snapshot, migration: Migration): Promise<void> {
  await using there = await target.snapshot();
  await requireTables(from, there);
  const tables = [...(await tablesIn(there)), "events", "snapshots", "processes"];
  const { pid, started, host } = thisProcess("serve", ID);
  await target.transact(null, async (tx) => {
    const processes = await PROCESS.all(tx, PROCESSES);
    refuseUsed(target, processes, migration);
    const isOurs = (await tx.get("SELECT 1 AS one FROM meta WHERE key = 'epoch'")) === undefined;
    for (const table of isOurs ? [] : PRECIOUS) {
      if (!(await tx.get(`SELECT 1 AS one FROM ${quoted(table)} LIMIT 1`))) continue;
      throw new MigrationError(
        `${target.name} has ${table} in it already. Choose a target that is empty; nothing was changed.`,
      );
    }
    const few = tables.map((table) => [`DELETE FROM ${quoted(table)}`] as const);
    await tx.runAll(isOurs ? target.emptied(tables) : few);
    await tx.run("DELETE FROM meta WHERE key <> 'schema'");
    await tx.run(REGISTER, ID, "migrate", pid, started, host);
  });
}

function refuseUsed(
  { name, isShared }: Source,
  processes: readonly Process[],
  { stoppedElsewhere = false }: Settings,
): void {
  const users = processes.filter((each) => isAlive(each) ?? (isShared && !stoppedElsewhere));
  if (users.length === 0) return;
  const list = users.map(({ kind, pid, host }) => `${kind} ${pid} on ${host}`).join(", ");
  const elsewhere = users.some((each) => isAlive(each) === undefined)
    ? " If a machine is gone for good, say --stopped-elsewhere."
    : "";
  throw new MigrationError(`${name} is in use (${list}). Stop Quarterdeck first.${elsewhere}`);
}

async function bringEvents(moving: Moving): Promise<{ checked: Checked; named: Named }> {
  const { from, target, progress, signal, keepDamaged } = moving;
  const check = await eventCheck(from);
  const named: Named = { blobs: new Set(), manifests: new Set() };
  let done = 0;
  let writing: Promise<void> = Promise.resolve();
  for await (const rows of from.batches(EVENTS)) {
    signal?.throwIfAborted();
    check.add(rows);
    namedIn(rows, named);
    await writing; // one batch is stored while the next is read and checked
    progress("events", (done += rows.length));
    writing = target.insert({ table: "events", columns: EVENT_COLUMNS, rows });
    writing.catch(() => undefined); // told by the next `await`
  }
  await writing;
  const checked = check.end();
  const [first] = checked.problems;
  if (first && !keepDamaged) {
    const more = checked.problems.length > 1 ? ` (and ${checked.problems.length - 1} more)` : "";
    const what = `${first.logId} is damaged: ${first.problem}${more}`;
    throw new MigrationError(`${what}. ${KEEP}`);
  }
  return { checked, named };
}

async function bringRecords(moving: Moving, { problems }: Checked): Promise<Records> {
  const { from, target, progress, signal } = moving;
  const bringing = {
    from,
    to: target,
    problems: new Map(problems.map(({ logId, problem }) => [logId, problem])),
  };
  const records = new Map<string, TableDigest>();
  for (const table of await tablesIn(from)) {
    signal?.throwIfAborted();
    const digest = await bringTable(table, bringing);
    records.set(table, digest);
    progress("records", digest.rows);
  }
  return records;
}

/** Reads everything back. */
async function checkTarget(
  { from, target, progress, signal }: Moving,
  { checked, records }: { checked: Checked; records: Records },
): Promise<void> {
  await using there = await target.snapshot();
  for (const [table, { digest }] of records) {
    if ((await digestOf(table, { from, there })).digest !== digest) throw notTheSame(table);
  }
  const check = await eventCheck(there);
  let done = 0;
  for await (const rows of there.batches(EVENTS)) {
    signal?.throwIfAborted();
    check.add(rows);
    progress("checked", (done += rows.length));
  }
  const { events, digest, problems } = check.end();
  const [bad] = problems.filter(({ logId }) => !checked.problems.some((p) => p.logId === logId));
  if (bad) throw notTheSame(`${bad.logId}: ${bad.problem}`);
  if (events !== checked.events) throw notTheSame(`${events} events of ${checked.events}`);
  if (digest !== checked.digest) throw notTheSame("the digest of all events");
}

function notTheSame(what: string): MigrationError {
  return new MigrationError(
    `What was read back from the target is not what was written (${what}). Run it again.`,
  );
}

const WRITTEN = "SELECT count(*), coalesce(sum(seq), 0) FROM sessions";

/** A process that started meanwhile would lose what it wrote since. */
async function requireUnchanged({ source, from, ...settings }: Moving): Promise<void> {
  await using now = await source.snapshot();
  refuseUsed(source, (await read(now, PROCESSES)).map(processOf), settings);
  const [before, after] = [await read(from, WRITTEN), await read(now, WRITTEN)];
  if (String(before) === String(after)) return;
  throw new MigrationError(`${source.name} was written to meanwhile. Run it again.`);
}

/** Written last: it makes the target a journal. */
async function finish(target: Target, meta: ReadonlyMap<string, string>): Promise<void> {
  await target.transact(null, async (tx) => {
    for (const [key, value] of meta) {
      await tx.run("INSERT INTO meta (key, value) VALUES (?, ?)", key, value);
    }
    await tx.run(UNREGISTER);
  });
}

async function read(snapshot: Snapshot, sql: string): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const batch of snapshot.batches(sql)) rows.push(...batch);
  return rows;
}

function processOf([, kind, pid, started, host]: unknown[]): Process {
  return PROCESS.of({ kind, pid, started, host });
}
