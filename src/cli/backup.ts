// `backup FILE`: a consistent copy of the journal, also while it is written to.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Parsed, UsageError } from "../config.ts";
import { openJournal } from "./open-journal.ts";

export const flags = {};

export async function command({ config, positionals }: Parsed): Promise<number> {
  const [file] = positionals;
  if (config.database !== undefined) {
    throw new UsageError(
      "A journal in Postgres is backed up with pg_dump, or copied with “quarterdeck migrate”.",
    );
  }
  if (!file) throw new UsageError("Where to? quarterdeck backup FILE");
  const target = resolve(file);
  if (existsSync(target)) throw new UsageError(`${target} exists already; nothing was written.`);
  await using journal = await openJournal(config);
  await journal.upkeep.backup(target).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) throw error; // not the system's: ours
    throw new UsageError(`${target} cannot be written (${error.code}).`, 3);
  });
  console.log(`The journal was copied to ${target}. Large outputs are in ${config.home}/blobs.`);
  return 0;
}
