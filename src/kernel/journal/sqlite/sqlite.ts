// The embedded journal: one SQLite file, any number of processes. This file only puts the parts
// together; what each promises is in journal.ts and proven by journal.contract.ts.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { blobStore } from "../../blobs/blobs.ts";
import { openBus } from "./bus.ts";
import { claims } from "../claims.ts";
import { commands } from "../admit/commands.ts";
import { listProblems } from "../read/compare-lists.ts";
import { DamagedJournalError, Database, type FatalJournalError } from "./database.ts";
import type { Redactor } from "../../redact/redact.ts";
import { checkedAppend } from "../checked-append.ts";
import { gateway } from "../../../features/messengers/store/gateway.ts";
import { cron } from "../../../features/schedules/store/cron.ts";
import { homeFiles } from "../house/home-files.ts";
import { house } from "../house/house.ts";
import { isDamage } from "./journal-file.ts";
import type { Loss } from "./high-water-mark.ts";
import { groupCommit } from "../group-commit.ts";
import type { Journal, Wake } from "../journal.ts";
import { listeners } from "../listeners.ts";
import { bringUpToDate, maintenance } from "../maintenance.ts";
import { interrupted } from "../migrate/interrupted.ts";
import { COPIED } from "../migrations/014-row-copies.ts";
import { reads } from "../read/reads.ts";
import { takeAsIntact } from "./row-copies.ts";
import { registry } from "../registry.ts";
import { olderIndex } from "../../search/older.ts";
import { snapshots } from "../read/snapshots.ts";
import type { Sealing } from "../append.ts";
import { keepMark, settleEpoch, type MarkKeeper } from "./history.ts";
import { openReader, sqliteAfresh } from "./afresh.ts";
import { sqliteGroups } from "./group.ts";
import { openError } from "./storage-faults.ts";
import { transactions } from "./transaction.ts";
import { sqliteWords } from "./words.ts";

/** How late a lost wake-up may be noticed. */
const POLL_MS = 250;

export type SqliteOptions = {
  home: string;
  name?: string; // of this process on the bus
  onFatal?: (error: FatalJournalError) => void;
  /** Acknowledged events are not there: told once, by whoever opens it first. */
  onLoss?: (loss: Loss) => void;
  /** Applied to every string of every event before it is numbered, hashed, stored or listed. */
  redactor?: Redactor | undefined;
};

export function journalPath(home: string): string {
  return join(home, "journal.db");
}

const JOINED = `
  SELECT count(*), CAST(group_concat(?1 || seq || '\ndata: ' || body || '\n\n', '') AS BLOB)
  FROM (SELECT seq, body FROM events WHERE log_key = ?2 AND seq > ?3 AND seq <= ?4 ORDER BY seq)`;

export async function openSqlite(options: SqliteOptions): Promise<Journal> {
  const path = journalPath(options.home);
  try {
    return await open(options);
  } catch (error) {
    throw isDamage(error) ? new DamagedJournalError(path, error) : openError(path, error);
  }
}

async function open(options: SqliteOptions): Promise<Journal> {
  const { home, name, onFatal = () => {}, onLoss = () => {}, redactor } = options;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  using unfinished = new DisposableStack(); // what is left open would hold the file's locks
  let mark: MarkKeeper | undefined;
  const onCommit = () => mark?.soon();
  const db = unfinished.use(new Database({ path: journalPath(home), onFatal, onCommit }));
  if (db.epoch === "") throw interrupted(home);
  const { epoch, loss } = await settleEpoch(db, home);
  mark = unfinished.use(keepMark(db, { home, epoch }));
  if (loss) onLoss(loss);
  const sealing: Sealing = { epoch, redact: redactor?.text, words: sqliteWords };
  const { watch, tell, clear } = listeners();
  const bus = unfinished.use(openBus(home, name ?? `${process.pid}`, tell));
  const published = (wakes: Wake[]) => {
    bus.publish(wakes);
    for (const wake of wakes) tell(wake);
  };
  const { sql } = unfinished.use(openReader(journalPath(home)));
  const afresh = sqliteAfresh(journalPath(home));
  const transact = transactions(db, sealing, published);
  await bringUpToDate({ sql, transact, words: sqliteWords });
  const poll = pollForChanges(db, () => tell("all"));
  const commits = groupCommit(sqliteGroups(db, sealing, published));
  const blobs = blobStore(join(home, "blobs"));
  const parts = unfinished.move(); // from here on whoever has the journal closes it

  return {
    epoch,
    redactor,
    blobs,
    database: { sql, transact },
    ...commands(transact, blobs),
    ...reads({ sql, transact, afresh, words: sqliteWords, joined: JOINED, isDamage }),
    ...snapshots(sql, transact),
    ...claims(db),
    ...registry(sql, transact),
    ...house(sql, transact),
    ...cron(sql, transact),
    ...gateway(sql, transact),
    ...homeFiles(sql, transact),
    append: checkedAppend(commits),
    watch,
    storage: () => ({ backend: "sqlite", away: null }),
    backup: (path) => db.backup(path),
    listProblems: () => listProblems(journalPath(home)),
    ...rebuilding(db, maintenance({ sql, transact, afresh, isDamage, words: sqliteWords })),
    ...olderIndex({ sql, transact, words: sqliteWords }),
    async [Symbol.asyncDispose]() {
      clearInterval(poll);
      clear();
      parts.dispose();
    },
  };
}

/** What was made anew from the events is as it should be, also where the row it stands in was damaged. */
function rebuilding<Kept extends Pick<Journal, "rebuild">>(db: Database, kept: Kept): Kept {
  const rebuild = async () => {
    await kept.rebuild();
    await db.write(() => {
      for (const table of ["sessions", "logs"] as const) db.run(takeAsIntact(table, COPIED[table]));
    });
  };
  return { ...kept, rebuild };
}

function pollForChanges(db: Database, changed: () => void): NodeJS.Timeout {
  let version = db.dataVersion();
  return setInterval(() => {
    const next = db.dataVersion();
    if (next === version) return;
    version = next;
    changed();
  }, POLL_MS).unref();
}
