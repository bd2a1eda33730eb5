// The journal for many machines: one Postgres, any number of processes anywhere. This file only assembles the parts;
// journal.ts says what each guarantees, and journal.contract.ts proves it.
import { ApiError } from "../../events/errors.ts";
import type { AppendContext } from "../append.ts";
import { blobStoreFor, type BlobEnvironment } from "../../blobs/settings.ts";
import { checkedAppend } from "../checked-append.ts";
import type { WorkspaceRules } from "../admit/workspaces.ts";
import { groupCommit } from "../group-commit.ts";
import type { Journal, Wake } from "../journal.ts";
import { listeners } from "../listeners.ts";
import { catalogueOf, type JournalFeature } from "../project/catalogue.ts";
import { records } from "../records.ts";
import { bringUpToDate } from "../maintenance.ts";
import { interrupted } from "../migrate/interrupted.ts";
import { claims } from "./claims.ts";
import { Connection } from "./connection.ts";
import { batchedPages } from "./batched-pages.ts";
import { postgresGroups } from "./group.ts";
import { bringSchemaUpToDate } from "./migrate.ts";
import { shownUrl } from "./wait-for-database.ts";
import { postgresReads } from "./sql-client.ts";
import { transactions } from "./transact.ts";
import { WakeUps } from "./wake-ups.ts";
import { postgresSearchIndex } from "./full-text.ts";
import type { Redactor } from "../../redact/redact.ts";

export type PostgresOptions = {
  url: string;
  /** All features that store something in it: src/features/journal-features.ts. */
  features: readonly JournalFeature[];
  name?: string; // of this process
  /** How long reads and commands wait for a database that is away. Appends wait without a limit. */
  patienceMs?: number;
  /** The timeout of a statement, except those that migrate or rebuild. */
  hangsMs?: number;
  /** `s3://…`; left out: in the database. */
  blobs?: string | undefined;
  environment?: BlobEnvironment;
  /** Where contents are stored until they are uploaded to S3. */
  spool?: string;
  redactor?: Redactor | undefined;
  workspaces?: WorkspaceRules;
  /** False: it gets wake-ups only for appends that create work, and for what others do to sessions. */
  windows?: boolean;
};

const PATIENCE_MS = 10_000;
// The same bytes as frameOf() in src/kernel/events/frame.ts.
const JOINED = `
  SELECT count(*), string_agg(CAST(?1 AS text) || seq || '\ndata: ' || body || '\n\n', '' ORDER BY seq)
  FROM events WHERE log_key = ?2 AND seq > ?3 AND seq <= ?4`;

export async function openPostgres(options: PostgresOptions): Promise<Journal> {
  const { url, name = `${process.pid}`, patienceMs = PATIENCE_MS, redactor } = options;
  const connecting = { url, name, patienceMs, hangsMs: options.hangsMs };
  await using unfinished = new AsyncDisposableStack(); // clients left behind would keep the process alive
  const connection = unfinished.use(new Connection(connecting));
  const { watch, emit, clear } = listeners();
  await bringSchemaUpToDate(connection);
  const sql = postgresReads(connection);
  const epoch = (await sql.get("SELECT value FROM meta WHERE key = 'epoch'"))?.["value"];
  if (typeof epoch !== "string") throw interrupted(shownUrl(url));
  const words = postgresSearchIndex;
  const catalogue = catalogueOf(options.features);
  const sealing: AppendContext = { epoch, redact: redactor?.text, words, catalogue };
  const audience = options.windows === false ? "everyone" : "windows";
  const wakeUps = unfinished.use(
    await WakeUps.open({ connection, options: connecting, heard: emit, audience }),
  );
  const publish = publishing(wakeUps, emit);
  const transact = transactions({ connection, sealing, published: publish.decided });
  await bringUpToDate({ sql, transact, words, catalogue });
  const pages = batchedPages(connection);
  const emitted = { words, catalogue, joined: JOINED, isDamage: () => false };
  const reading = { sql, pages, transact, ...emitted };
  const blobs = blobsOf(options, connection);
  const kept = records(reading, { blobs, workspaces: options.workspaces });
  const parts = unfinished.move(); // from here on the owner of the journal closes it

  return {
    epoch,
    redactor,
    ...kept,
    ...claims(connection, transact),
    append: checkedAppend(
      groupCommit(postgresGroups({ connection, sealing, published: publish.appended })),
    ),
    watch,
    storage: () => ({ backend: "postgres", away: connection.away }),
    upkeep: { ...kept.upkeep, listProblems: async () => [], backup: noBackup },
    async [Symbol.asyncDispose]() {
      clear();
      await parts.disposeAsync();
    },
  };
}

async function noBackup(): Promise<never> {
  const message =
    "A journal in Postgres is backed up with pg_dump, or copied with “quarterdeck migrate”.";
  throw new ApiError("invalid_request", message);
}

function blobsOf({ blobs: url, environment = {}, spool }: PostgresOptions, { pool }: Connection) {
  return blobStoreFor({ url, pool, environment, ...(spool !== undefined && { spool }) });
}

/** The channels of a wake-up: tokens only for windows, work and people's decisions for every process. */
function publishing(wakeUps: WakeUps, emit: (wake: Wake) => void) {
  const appended = (wakes: Wake[]) => {
    const emitted = Map.groupBy(wakes, ({ work }) => (work ? "everyone" : "windows"));
    for (const [audience, some] of emitted) wakeUps.publish(some, audience);
    wakes.forEach(emit);
  };
  const decided = (wakes: Wake[]) => {
    wakeUps.publish(wakes, "everyone"); // above all for the runner that holds the run
    wakes.forEach(emit);
  };
  return { appended, decided };
}
