// `restore FILE`: puts a backup in place of the journal, under a new epoch.
import { resolve } from "node:path";
import { type Parsed, UsageError } from "../config.ts";
import { namesOnBus } from "../kernel/journal/sqlite/bus.ts";
import { backupProblem, restoreBackup } from "../kernel/journal/sqlite/restore.ts";
import { journalPath } from "../kernel/journal/sqlite/sqlite.ts";
import { openHome } from "./open-journal.ts";

export const flags = {};

export async function command({ config, positionals }: Parsed): Promise<number> {
  const [file] = positionals;
  if (config.database !== undefined) {
    throw new UsageError("A journal in Postgres is restored with pg_restore. Nothing was changed.");
  }
  if (!file) throw new UsageError("From where? quarterdeck restore FILE");
  const backup = resolve(file);
  const problem = backupProblem(backup);
  if (problem)
    throw new UsageError(`${backup} cannot be restored: ${problem}. Nothing was changed.`, 3);
  openHome(config.home);
  const users = await namesOnBus(config.home); // not of the journal itself, which may be damaged
  if (users.length > 0) {
    const message = `The journal is in use (pid ${users.join(", ")}). Stop Quarterdeck first.`;
    throw new UsageError(message, 3);
  }
  const kept = await restoreBackup(backup, journalPath(config.home));
  console.log(
    `Restored. Windows that are open will reload.${kept ? ` The old journal is ${kept}.` : ""}`,
  );
  return 0;
}
