// `restore FILE`: puts a backup in place of the journal, under a new epoch.
import { resolve } from "node:path";
import { type Parsed, UsageError } from "../config.ts";
import { isAlive } from "../journal/liveness.ts";
import { backupProblem, restoreBackup } from "../journal/restore.ts";
import { journalPath } from "../journal/sqlite.ts";
import { openJournal } from "./open-journal.ts";

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
  {
    await using journal = await openJournal(config);
    const users = (await journal.processes()).filter((record) => isAlive(record) === true);
    if (users.length > 0) {
      const pids = users.map(({ pid }) => pid).join(", ");
      throw new UsageError(`The journal is in use (pid ${pids}). Stop Quarterdeck first.`, 3);
    }
  }
  const kept = await restoreBackup(backup, journalPath(config.home));
  console.log(
    `Restored. Windows that are open will reload.${kept ? ` The old journal is ${kept}.` : ""}`,
  );
  return 0;
}
