// Opens and writes the SQLite file in one way. Writes run in one immediate transaction at a time, and nothing is
// acknowledged unless the WAL it went to is still the file's own (D8).
import { randomBytes } from "node:crypto";
import { chmodSync } from "node:fs";
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { codeOf, createPrivate, isDamage, isNewer, versionOf } from "./journal-file.ts";
import { MIGRATIONS } from "../tables/migrations.ts";
import { integer, real, rowsOf } from "../rows.ts";
import type { Row } from "../sql.ts";
import { META } from "../tables/runs.ts";
import { pick } from "../tables/table.ts";
import { isDiskFull } from "./storage-faults.ts";
import { endStoppedWriter } from "./stopped-writer.ts";
import { walCheckpoints, type WalCheckpoints } from "./wal-checkpoints.ts";
import { walGuard, type WalGuard } from "./wal-guard.ts";

/** An error after which this process must not acknowledge anything (D5). */
export class FatalJournalError extends Error {
  override name = "FatalJournalError";
}
export class NewerJournalError extends Error {
  override name = "NewerJournalError";
  constructor(path: string) {
    const what = `The journal ${path} was written by a newer Quarterdeck.`;
    super(`${what} Upgrade, or choose another --home.`);
  }
}
/** Not even the first page can be read. The file is left untouched: a person may recover data from it. */
export class DamagedJournalError extends Error {
  override name = "DamagedJournalError";
  constructor(path: string, cause: unknown) {
    const why = (cause as Error).message;
    const what = `The journal ${path} is damaged (${why}) and was left as it is.`;
    super(`${what} Put a backup in its place: quarterdeck restore FILE.`, { cause });
  }
}
/** The disk is full: nothing was written and nothing is lost; retry when there is space (D6). */
export class StorageFullError extends Error {
  override name = "StorageFullError";
}

export type DatabaseOptions = {
  path: string;
  onFatal: (error: FatalJournalError) => void;
  /** After every commit. */
  onCommit?: () => void;
};

const BUSY_MS = 2_000;
const BUSY_TRIES = 5;
const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const FATAL_CODES = new Set([10, 11, 26]); // I/O error, corrupt, not a database

function refuseUnusable(path: string): void {
  let newer: boolean;
  try {
    newer = isNewer(path);
  } catch (error) {
    throw isDamage(error) ? new DamagedJournalError(path, error) : error;
  }
  if (newer) throw new NewerJournalError(path);
}

/** Connections of one process take turns: waiting for another's lock would block the thread that has to release it. */
type Turn = { tail: Promise<unknown>; writing: boolean; users: number };
const turns = new Map<string, Turn>();

function takeTurn(path: string): Turn {
  const turn = turns.get(path) ?? { tail: Promise.resolve(), writing: false, users: 0 };
  turn.users += 1;
  turns.set(path, turn);
  return turn;
}

const EPOCH = rowsOf("meta", pick(META, "value"));
const NOW = rowsOf("the clock", { now: real });
const DATA_VERSION = rowsOf("data_version", { data_version: integer });

export class Database implements Disposable {
  /** Empty in the target of an unfinished migration. */
  readonly epoch: string;
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #onFatal: (error: FatalJournalError) => void;
  readonly #onCommit: () => void;
  readonly #statements = new Map<string, StatementSync>();
  readonly #arrays = new Map<string, StatementSync>();
  readonly #walIsOurs: WalGuard;
  readonly #turn: Turn;
  #inTransaction = false;
  readonly #checkpoints: WalCheckpoints;

  constructor({ path, onFatal, onCommit = () => {} }: DatabaseOptions) {
    this.#path = path;
    this.#turn = takeTurn(path);
    this.#onFatal = onFatal;
    this.#onCommit = onCommit;
    this.#walIsOurs = walGuard(`${path}-wal`);
    createPrivate(path);
    refuseUnusable(path);
    this.#db = new DatabaseSync(path, { timeout: BUSY_MS });
    chmodSync(path, 0o600); // a restored copy may have another mode
    this.#db.exec("PRAGMA journal_mode = WAL");
    this.#db.exec("PRAGMA synchronous = FULL");
    const isWriting = () => this.#inTransaction;
    this.#checkpoints = walCheckpoints(this.#db, { busyMs: BUSY_MS, isWriting });
    this.#db.exec(
      "PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192",
    );
    this.#migrate();
    const epoch = this.get("SELECT value FROM meta WHERE key = 'epoch'");
    this.epoch = epoch ? EPOCH.of(epoch).value : "";
  }

  get(sql: string, ...params: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...params);
  }

  all(sql: string, ...params: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...params);
  }

  /** Rows as arrays: almost twice as fast as objects, for the read path. */
  rows(sql: string, ...params: SQLInputValue[]): unknown[][] {
    let statement = this.#arrays.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      statement.setReturnArrays(true);
      this.#arrays.set(sql, statement);
    }
    return statement.all(...params) as unknown as unknown[][];
  }

  run(sql: string, ...params: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...params).changes);
  }

  statement(sql: string): StatementSync {
    return this.#prepare(sql);
  }

  /** Unix seconds by the database's clock; leases are compared only with this. */
  now(): number {
    return NOW.of(this.get("SELECT unixepoch('subsec') AS now") ?? {}).now;
  }

  /** Runs `work` alone, in one durable transaction. It may await only what this database answers. */
  async write<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    return this.#alone(async () => {
      try {
        this.#begin();
        const result = await work();
        this.#commit();
        return result;
      } catch (error) {
        throw this.#failed(error);
      }
    });
  }

  /** Reads durable data, because an open transaction of this connection may still be rolled back (J3). */
  async read<Result>(work: () => Result): Promise<Result> {
    return this.#inTransaction ? this.#alone(work) : work();
  }

  /** The same without queueing, if nothing else is writing. */
  writeNow<Result>(work: () => Result): Result {
    try {
      this.#begin();
      const result = work();
      this.#commit();
      return result;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  get writing(): boolean {
    return this.#turn.writing;
  }

  /** Changes whenever another connection commits: the fallback for a lost wake-up. */
  dataVersion(): number {
    return DATA_VERSION.of(this.get("PRAGMA data_version") ?? {}).data_version;
  }

  async backup(target: string): Promise<void> {
    // A separate connection, because an open transaction on ours makes it fail. In one step: in several,
    // each commit of another process would restart it.
    using source = new DatabaseSync(this.#path, { readOnly: true, timeout: 10_000 });
    createPrivate(target);
    await backup(source, target, { rate: 2 ** 31 - 1 });
  }

  /** Moves committed pages into the main file. */
  checkpoint(): void {
    this.#checkpoints.now();
  }

  [Symbol.dispose](): void {
    this.#checkpoints[Symbol.dispose]();
    if (!this.#db.isOpen) return;
    this.#db.close();
    this.#turn.users -= 1;
    if (this.#turn.users === 0) turns.delete(this.#path);
  }

  async #alone<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    const previous = this.#turn.tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn.tail = promise;
    await previous;
    try {
      return await work();
    } finally {
      resolve();
    }
  }

  #begin(): void {
    for (let tries = 1; !this.#inTransaction; tries += 1) {
      try {
        this.#prepare("BEGIN IMMEDIATE").run();
        this.#setWriting(true);
      } catch (error) {
        if (codeOf(error) !== SQLITE_BUSY || tries === BUSY_TRIES) throw error;
        endStoppedWriter(this.#path); // commits take milliseconds, so the holder of the lock is stopped
      }
    }
  }

  #commit(): void {
    this.#prepare("COMMIT").run();
    this.#setWriting(false);
    this.#checkWal();
    this.#onCommit();
    this.#checkpoints.committed();
  }

  #failed(error: unknown): unknown {
    if (this.#inTransaction) {
      this.#setWriting(false);
      try {
        this.#db.exec("ROLLBACK");
      } catch {
        // SQLite has already rolled back (full disk, I/O error): the first error counts.
      }
    }
    const code = codeOf(error);
    const isFull = code === SQLITE_FULL || (code === SQLITE_IOERR && isDiskFull(this.#path));
    if (isFull) return new StorageFullError("The disk is full.");
    if (FATAL_CODES.has(code)) return this.#fatal(`storage failed: ${(error as Error).message}`);
    return error;
  }

  #setWriting(writing: boolean): void {
    this.#inTransaction = writing;
    this.#turn.writing = writing;
  }

  #checkWal(): void {
    if (this.#walIsOurs()) return;
    throw this.#fatal("the write-ahead log was replaced under this process");
  }

  #fatal(message: string): FatalJournalError {
    const error = new FatalJournalError(message);
    this.#onFatal(error);
    return error;
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #migrate(): void {
    if (versionOf(this.#db) === MIGRATIONS.length) return;
    this.#db.exec("BEGIN IMMEDIATE"); // two processes may start at once: check again inside the lock
    const version = versionOf(this.#db);
    for (const sql of MIGRATIONS.slice(version)) this.#db.exec(sql);
    this.#db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    // Later it is missing only in an unfinished migration: see migrate/interrupted.ts.
    const epoch = "INSERT INTO meta (key, value) VALUES ('epoch', ?)";
    if (version === 0) this.#db.prepare(epoch).run(newEpoch());
    this.#db.exec("COMMIT");
  }
}

export function newEpoch(): string {
  return `e${randomBytes(6).toString("hex")}`;
}
