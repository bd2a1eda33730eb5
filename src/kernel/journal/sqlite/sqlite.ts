// The embedded journal: one SQLite file, any number of processes. This file only assembles the parts; journal.ts says
// what each guarantees, and journal.contract.ts proves it.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { blobStore } from "../../blobs/blobs.ts";
import { openBus } from "./bus.ts";
import { claims } from "../claims.ts";
import type { WorkspaceRules } from "../admit/workspaces.ts";
import { listProblems } from "../read/compare-lists.ts";
import { DamagedJournalError, Database, type FatalJournalError } from "./database.ts";
import type { Redactor } from "../../redact/redact.ts";
import { checkedAppend } from "../checked-append.ts";
import { isDamage } from "./journal-file.ts";
import type { Loss } from "./high-water-mark.ts";
import { groupCommit } from "../group-commit.ts";
import type { Journal, Upkeep, Wake } from "../journal.ts";
import { listeners } from "../listeners.ts";
import { catalogueOf, type JournalFeature } from "../project/catalogue.ts";
import { records } from "../records.ts";
import { bringUpToDate } from "../maintenance.ts";
import { interrupted } from "../migrate/interrupted.ts";
import { COPIED } from "../tables/migrations.ts";
import { takeAsIntact } from "./row-copies.ts";
import type { AppendContext } from "../append.ts";
import { keepMark, settleEpoch, type MarkKeeper } from "./history.ts";
import { openReader, sqliteAfresh } from "./afresh.ts";
import { sqliteGroups } from "./group.ts";
import { openError } from "./storage-faults.ts";
import { transactions } from "./transaction.ts";
import { sqliteSearchIndex } from "./full-text.ts";

/** The poll interval: how late a lost wake-up may be noticed. */
const POLL_MS = 250;

export type SqliteOptions = {
  home: string;
  /** All features that store something in it: src/features/journal-features.ts. */
  features: readonly JournalFeature[];
  name?: string; // of this process on the bus
  onFatal?: (error: FatalJournalError) => void;
  /** Acknowledged events are missing: reported once, by the first process that opens the journal. */
  onLoss?: (loss: Loss) => void;
  /** Applied to every string of an event before it is numbered, hashed, stored or listed. */
  redactor?: Redactor | undefined;
  workspaces?: WorkspaceRules;
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
  using unfinished = new DisposableStack(); // an open connection would hold the file's locks
  let mark: MarkKeeper | undefined;
  const onCommit = () => mark?.soon();
  const db = unfinished.use(new Database({ path: journalPath(home), onFatal, onCommit }));
  if (db.epoch === "") throw interrupted(home);
  const catalogue = catalogueOf(options.features);
  const { epoch, loss } = await settleEpoch(db, { home, catalogue });
  mark = unfinished.use(keepMark(db, { home, epoch }));
  if (loss) onLoss(loss);
  const sealing: AppendContext = {
    epoch,
    redact: redactor?.text,
    words: sqliteSearchIndex,
    catalogue,
  };
  const { watch, emit, clear } = listeners();
  const bus = unfinished.use(openBus(home, name ?? `${process.pid}`, emit));
  const published = (wakes: Wake[]) => {
    bus.publish(wakes);
    for (const wake of wakes) emit(wake);
  };
  const { sql } = unfinished.use(openReader(journalPath(home)));
  const afresh = sqliteAfresh(journalPath(home));
  const transact = transactions(db, sealing, published);
  await bringUpToDate({ sql, transact, words: sqliteSearchIndex, catalogue });
  const poll = pollForChanges(db, () => emit("all"));
  const commits = groupCommit(sqliteGroups(db, sealing, published));
  const blobs = blobStore(join(home, "blobs"));
  const emitted = { words: sqliteSearchIndex, catalogue, joined: JOINED, isDamage };
  const reading = { sql, transact, afresh, ...emitted };
  const kept = records(reading, { blobs, workspaces: options.workspaces });
  const parts = unfinished.move(); // from here on the owner of the journal closes it

  return {
    epoch,
    redactor,
    ...kept,
    ...claims(db),
    append: checkedAppend(commits),
    watch,
    storage: () => ({ backend: "sqlite", away: null }),
    upkeep: {
      ...kept.upkeep,
      backup: (path) => db.backup(path),
      listProblems: () => listProblems(journalPath(home), catalogue),
      rebuild: () => rebuild(db, kept.upkeep),
    },
    async [Symbol.asyncDispose]() {
      clearInterval(poll);
      clear();
      parts.dispose();
    },
  };
}

/** Rows that were rebuilt from the events are intact, even if they were damaged before. */
async function rebuild(db: Database, kept: Pick<Upkeep, "rebuild">): Promise<void> {
  await kept.rebuild();
  await db.write(() => {
    for (const table of ["sessions", "logs"]) db.run(takeAsIntact(table, COPIED[table] ?? ""));
  });
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
