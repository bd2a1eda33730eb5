// Values that all processes of a journal share: the token, the keys that sign notifications. They are in the table `meta`
// under a prefix; of two processes that create one at the same time, both get the first one's.
import type { Registry } from "./journal.ts";
import type { Sql } from "./sql.ts";
import type { Transact } from "./transaction.ts";
import { rowsOf, text } from "./rows.ts";

export const SHARED = "shared."; // our own entries of `meta` have no dot
const READ = "SELECT value FROM meta WHERE key = ?";
const KEEP = "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING";
const REPLACE = `INSERT INTO meta (key, value) VALUES (?, ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

const VALUE = rowsOf("meta", { value: text });

export function sharedValues(
  sql: Sql,
  transact: Transact,
): Pick<Registry, "shared" | "keepShared"> {
  return {
    async shared(name) {
      return (await VALUE.get(sql, READ, SHARED + name))?.value;
    },
    async keepShared(name, value, { replace = false } = {}) {
      return transact(null, async (tx) => {
        await tx.run(replace ? REPLACE : KEEP, SHARED + name, value);
        return (await VALUE.one(tx, READ, SHARED + name)).value;
      });
    },
  };
}
