// Opens the home's journal for a command, or says in one sentence why it cannot.
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from "node:fs";
import { type Config, UsageError } from "../config.ts";
import type { Journal } from "../journal/journal.ts";
import { createRedactor } from "../journal/redact.ts";
import { openPostgres } from "../journal/postgres.ts";
import { openSqlite } from "../journal/sqlite.ts";
import { tokenPath } from "../server/token.ts";

/** D5: after a storage failure nothing may be acknowledged; whoever restarts us recovers. */
const EXIT_STORAGE = 74;

/** `patient`: waits for a database that is away for as long as it takes, as a runner does. */
export async function openJournal(
  { home, secrets, database }: Pick<Config, "home" | "secrets" | "database">,
  { patient = false }: { patient?: boolean } = {},
): Promise<Journal> {
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
  const redactor = createRedactor([...secrets, { name: "token", value: tokenIn(home) }]);
  if (database) {
    const patience = patient ? { patienceMs: Number.POSITIVE_INFINITY } : {};
    return openPostgres({ url: database, redactor, ...patience });
  }
  return openSqlite({
    home,
    redactor,
    onFatal: (error) => {
      process.stderr.write(`Stopping: ${error.message}\n`);
      process.exit(EXIT_STORAGE);
    },
  });
}

function tokenIn(home: string): string {
  const path = tokenPath(home);
  return existsSync(path) ? readFileSync(path, "utf8").trim() : "";
}
