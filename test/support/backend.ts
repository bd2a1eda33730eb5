// Which journal the programs under test use: a file in their home or, if QUARTERDECK_TEST_BACKEND is "postgres", a
// separate database.
import { randomBytes } from "node:crypto";
import { test, type TestContext } from "node:test";
import { sharedPostgres } from "./postgres/postgres.ts";

export const ON_POSTGRES = process.env["QUARTERDECK_TEST_BACKEND"] === "postgres";

/** For tests about SQLite or its file. On Postgres they are reported as skipped. */
export const onSqlite = (
  name: string,
  work: (context: TestContext) => Promise<void> | void,
): void => void test(name, { skip: ON_POSTGRES && "is about SQLite" }, work);

const server = ON_POSTGRES ? await sharedPostgres() : undefined;
const underWay = new Set<Promise<unknown>>();

export type NewJournal = Disposable & { readonly settings: { readonly database?: string } };

/** Returned at once and created in the background: wait for `journalsMade` before starting a program on it. */
export function newJournal(): NewJournal {
  if (!server) return { settings: {}, [Symbol.dispose]: () => undefined };
  const name = `test_${randomBytes(8).toString("hex")}`;
  const database = Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  const made = track(server.database(name));
  return {
    settings: { database },
    [Symbol.dispose]: () => void track(made.then(() => server.drop(database))),
  };
}

export async function journalsMade(): Promise<void> {
  await Promise.all(underWay);
}

function track<Result>(work: Promise<Result>): Promise<Result> {
  underWay.add(work);
  return work.finally(() => underWay.delete(work));
}
