// Opens the home's journal for a command, or says in one sentence why it cannot.
import { accessSync, constants, mkdirSync } from "node:fs";
import { type Config, UsageError } from "../config.ts";
import type { Journal } from "../journal/journal.ts";
import { openSqlite } from "../journal/sqlite.ts";

/** D5: after a storage failure nothing may be acknowledged; whoever restarts us recovers. */
const EXIT_STORAGE = 74;

export function openJournal({ home }: Pick<Config, "home">): Journal {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    accessSync(home, constants.W_OK);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new UsageError(
      `The home ${home} cannot be written (${why}). Choose another with --home.`,
      3,
    );
  }
  return openSqlite({
    home,
    onFatal: (error) => {
      process.stderr.write(`Stopping: ${error.message}\n`);
      process.exit(EXIT_STORAGE);
    },
  });
}
