// Opens the home's journal for a command, or explains in one sentence why it cannot.
import { accessSync, constants, mkdirSync } from "node:fs";
import { type Config, UsageError } from "../config.ts";
import { sentenceOf } from "../kernel/journal/sqlite/high-water-mark.ts";
import type { WorkspaceRules } from "../kernel/journal/admit/workspaces.ts";
import type { Journal } from "../kernel/journal/journal.ts";
import { learningRedactor, type LearningRedactor } from "../kernel/redact/learning.ts";
import { workspaceProblem } from "../kernel/workspace/host/program-places.ts";
import { openSqlite } from "../kernel/journal/sqlite/sqlite.ts";
import { tokenStore, type TokenStore } from "./token-store.ts";
import { FEATURES } from "../features/journal-features.ts";

/** D5: after a storage failure nothing may be acknowledged; whoever restarts us recovers. */
const EXIT_STORAGE = 74;
const EXIT_PLACE = 3; // what it needs is not there

export type Opening = {
  /** `start`: waits for a database that is away until it is there. `always`: later on too, as a runner does. */
  readonly patient?: "start" | "always";
  /** Ends that waiting. */
  readonly signal?: AbortSignal;
  /** False: nothing is shown here, so words of other runs are of no interest. */
  readonly windows?: boolean;
  /** Of a second one in the same process: by its name others wake it. */
  readonly name?: string | undefined;
};

export async function openJournal(config: Config, opening: Opening = {}): Promise<Journal> {
  const { home, database } = config;
  openHome(home);
  return database ? inPostgres({ ...config, database }, opening) : inHome(config, opening);
}

export function openHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    accessSync(home, constants.W_OK);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new UsageError(
      `The home ${home} cannot be written (${why}). Choose another with --home.`,
      EXIT_PLACE,
    );
  }
}

async function inHome(config: Config, { name }: Opening): Promise<Journal> {
  const known = learningRedactor(config.secrets);
  const journal = await openSqlite({
    features: FEATURES,
    home: config.home,
    redactor: known.redactor,
    ...(name !== undefined && { name }),
    workspaces: workspaceRules(config),
    onFatal: (error) => {
      process.stderr.write(`Stopping: ${error.message}\n`);
      process.exit(EXIT_STORAGE);
    },
    onLoss: (loss) => void process.stderr.write(`${sentenceOf(loss)}\n`),
  });
  return hidingTokens(journal, { tokens: tokenStore(config, journal), known });
}

function workspaceRules({ volumes, home }: Config): WorkspaceRules {
  return { volumes, problem: (path) => workspaceProblem(path, [home]) };
}

/**
 * Before anything is journaled the token is known, also one that a first start makes; one that is rotated later,
 * from then on.
 */
async function hidingTokens(
  journal: Journal,
  { tokens, known }: { tokens: TokenStore; known: LearningRedactor },
): Promise<Journal> {
  const know = (value: string) => known.know({ name: "token", value });
  const token = await tokens.read();
  know(token);
  const stop = tokens.watch(token, know);
  return {
    ...journal,
    async [Symbol.asyncDispose]() {
      stop();
      await journal[Symbol.asyncDispose]();
    },
  };
}

type WithDatabase = Config & { readonly database: string };

async function inPostgres(
  config: WithDatabase,
  { patient, signal, windows = true }: Opening,
): Promise<Journal> {
  const { database: url, database_patience_ms, blobs, home, secret, secrets } = config;
  await reach(config, { ...(patient && { patient }), ...(signal && { signal }) });
  const { openPostgres } = await import("../kernel/journal/postgres/postgres.ts");
  const known = learningRedactor(secrets); // the address is one of them
  const journal = await openPostgres({
    features: FEATURES,
    url,
    blobs,
    environment: blobKeys(secret),
    spool: home,
    patienceMs: patient === "always" ? Number.POSITIVE_INFINITY : database_patience_ms,
    redactor: known.redactor,
    workspaces: workspaceRules(config),
    windows,
  }).catch(asUsageError);
  return hidingTokens(journal, { tokens: tokenStore(config, journal), known });
}

/** What a person has to put right is said at once; a database that is away is waited for. */
export async function reach(config: WithDatabase, { patient, signal }: Opening): Promise<void> {
  const { waitForDatabase: reachDatabase } =
    await import("../kernel/journal/postgres/wait-for-database.ts");
  await reachDatabase({
    url: config.database,
    patienceMs: patient ? Number.POSITIVE_INFINITY : config.database_patience_ms,
    waiting: (problem) => {
      if (patient) process.stderr.write(`waiting for the database (${problem})\n`);
    },
    signal,
  }).catch(asUsageError);
}

const SAID_IN_A_SENTENCE = new Set(["DatabaseRefused", "SchemaError", "BlobSettingsError"]);

export function asUsageError(error: unknown): never {
  const { name, message, code } = error as Error & { code?: string };
  const known = SAID_IN_A_SENTENCE.has(name) || code === "unavailable";
  throw known ? new UsageError(message, EXIT_PLACE) : error;
}

export function blobKeys(secret: Config["secret"]) {
  const names = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] as const;
  const found = names.flatMap((name) => {
    const value = secret(name);
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found);
}
