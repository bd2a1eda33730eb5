// The two ends of a migration. Both are read through one interface, whatever the database; only the target is written.
import type { BlobEnvironment } from "../../blobs/settings.ts";
import type { BlobStore } from "../../blobs/blobs.ts";
import type { Statement, Value } from "../sql.ts";
import type { Transact } from "../transaction.ts";

/** Where a journal is: a home, or a database with the address of its blobs. */
export type Place =
  | { readonly home: string }
  | {
      readonly url: string;
      /** `s3://…`; left out: in the database. */
      readonly blobs?: string | undefined;
      readonly environment?: BlobEnvironment;
    };

export type Cells = Value[];

/** A consistent read of the whole journal. */
export interface Snapshot extends AsyncDisposable {
  readonly tables: () => Promise<readonly string[]>;
  readonly columns: (table: string) => Promise<readonly string[]>;
  /** In batches: a large journal does not fit into memory. */
  readonly batches: (sql: string) => AsyncIterable<Cells[]>;
}

export interface Source extends AsyncDisposable {
  /** The name to show to people, without a password. */
  readonly name: string;
  readonly blobs: BlobStore;
  /** Whether processes on other machines may use it. */
  readonly isShared: boolean;
  readonly snapshot: () => Promise<Snapshot>;
}

export type Rows = {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly Cells[];
};

export interface Target extends Source {
  readonly transact: Transact;
  /** Statements that empty the tables, however many rows they have. */
  readonly emptied: (tables: readonly string[]) => readonly Statement[];
  /** In one transaction. */
  readonly insert: (rows: Rows) => Promise<void>;
  /** Rebuilds everything that follows from events, and makes the target ready for use. */
  readonly complete: () => Promise<void>;
}

/** Why a migration cannot be done, or cannot be trusted: one sentence that says what to do. */
export class MigrationError extends Error {
  override name = "MigrationError";
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A batch is full at either of these limits: an event may be a megabyte. */
export const BATCH_ROWS = 10_000;
export const BATCH_CHARS = 8 << 20;

export function charsOf(row: Cells): number {
  let chars = 0;
  for (const value of row) chars += typeof value === "string" ? value.length : 8;
  return chars;
}
