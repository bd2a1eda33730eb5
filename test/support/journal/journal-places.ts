// Empty places for a journal that are removed with the test.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { Journal } from "../../../src/kernel/journal/journal.ts";
import type { Place } from "../../../src/kernel/journal/migrate/ends.ts";
import {
  migrate as migrateWith,
  type Migration,
} from "../../../src/kernel/journal/migrate/migrate.ts";
import { catalogueOf } from "../../../src/kernel/journal/project/catalogue.ts";
import { openPostgres } from "../../../src/kernel/journal/postgres/postgres.ts";
import { journalPath, openSqlite } from "../../../src/kernel/journal/sqlite/sqlite.ts";
import { sharedPostgres } from "../postgres/postgres.ts";
import { FEATURES } from "../../../src/features/journal-features.ts";

export type Kept = AsyncDisposable & { readonly place: Place; open(): Promise<Journal> };

export const CATALOGUE = catalogueOf(FEATURES);

export const migrate = (migration: Omit<Migration, "features">) =>
  migrateWith({ ...migration, features: FEATURES });

export function newHome(): Kept & { readonly home: string } {
  const home = mkdtempSync(join(tmpdir(), "qd-move-"));
  return {
    home,
    place: { home },
    open: () => openSqlite({ features: FEATURES, home }),
    [Symbol.asyncDispose]: async () => rmSync(home, { recursive: true, force: true }),
  };
}

export async function newDatabase(): Promise<Kept & { readonly url: string }> {
  const server = await sharedPostgres();
  const url = await server.database();
  return {
    url,
    place: { url },
    open: () => openPostgres({ features: FEATURES, url }),
    [Symbol.asyncDispose]: () => server.drop(url),
  };
}

export const KINDS: Readonly<Record<string, () => Promise<Kept>>> = {
  postgres: newDatabase,
  sqlite: async () => newHome(),
};

/** Writes to the database without the journal, which only tests may do. */
export async function raw(place: Place, sql: string): Promise<void> {
  if ("home" in place) {
    using db = new DatabaseSync(journalPath(place.home));
    db.exec(sql);
    return;
  }
  const client = new pg.Client(place.url);
  await client.connect();
  try {
    await client.query(`SET search_path = quarterdeck; ${sql}`);
  } finally {
    await client.end();
  }
}
