// Connections to Postgres that reconnect. While the database is away every request waits and retries with growing
// pauses; a request that has waited longer than the process's patience fails with one sentence.
import pg from "pg";
import { ApiError } from "../../events/errors.ts";
import { StorageFullError } from "../sqlite/database.ts";
import { SCHEMA } from "./schema.ts";

/** Since when and why the database does not answer; null if it does. */
export type Away = { readonly since: number; readonly problem: string } | null;

export type ConnectionOptions = {
  readonly url: string;
  readonly name: string; // shown in pg_stat_activity
  /** How long a read or a command waits for a database that is away. */
  readonly patienceMs: number;
  /** A statement that takes longer than this will never return: the network is gone without a reset. */
  readonly hangsMs?: number | undefined;
};

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
const HANGS_MS = 30_000;
const MAX_CLIENTS = 10;

/**
 * A process that vanished without closing must not hold a session's lock: the server ends its transaction. Settings of
 * the role or database (a statement timeout, a stricter isolation) would fail our statements in the middle of a run.
 */
const SETTINGS = [
  `search_path=${SCHEMA}`,
  "standard_conforming_strings=on",
  "synchronous_commit=on",
  "default_transaction_isolation=read\\ committed",
  "statement_timeout=0",
  "lock_timeout=0",
  "idle_in_transaction_session_timeout=10000",
  "tcp_keepalives_idle=5",
  "tcp_keepalives_interval=2",
  "tcp_keepalives_count=3",
]
  .map((setting) => `-c ${setting}`)
  .join(" ");

// Values as SQLite has them: numbers (our integers are far below 2^53), and flags as 0 and 1.
const PARSERS = new Map<number, (text: string) => unknown>([
  [16, (text) => Number(text === "t")], // bool
  [20, Number], // int8
  [700, Number], // float4
  [701, Number], // float8
  [1700, Number], // numeric
]);
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    PARSERS.get(oid) ??
    (pg.types.getTypeParser(oid, format ?? "text") as (text: string) => unknown),
} as pg.CustomTypesConfig;

export function clientConfig({
  url,
  name,
  hangsMs = HANGS_MS,
}: Pick<ConnectionOptions, "url" | "name" | "hangsMs">): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: `quarterdeck ${name}`,
    options: SETTINGS,
    connectionTimeoutMillis: 5_000,
    query_timeout: hangsMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
  };
}

const NEVER_MS = 2_147_483_647; // no timer can be longer

/**
 * For statements that take as long as the database is large, or that wait for such a statement: with a timeout they
 * would never finish. TCP detects a lost network.
 */
export function withoutQueryTimeout(
  client: Pick<pg.ClientBase, "query">,
): Pick<pg.ClientBase, "query"> {
  const query = (asked: string | pg.QueryConfig, values?: unknown[]) => {
    const config = typeof asked === "string" ? { text: asked, ...(values && { values }) } : asked;
    const unlimited = { ...config, query_timeout: NEVER_MS }; // missing in its types
    return client.query(unlimited);
  };
  return { query: query as pg.ClientBase["query"] };
}

export class Connection implements AsyncDisposable {
  readonly pool: pg.Pool;
  readonly #patienceMs: number;
  readonly #closed = new AbortController();
  readonly #places = new Places(MAX_CLIENTS - 1); // one is left for blobs and the poll
  #away: Away = null;

  constructor(options: ConnectionOptions) {
    this.#patienceMs = options.patienceMs;
    this.pool = new pg.Pool({
      ...clientConfig(options),
      max: MAX_CLIENTS,
      idleTimeoutMillis: 60_000,
    });
    this.pool.on("error", () => undefined); // an idle client died: another one is made when needed
    // It may die at any time, even in the packet that said it is ready; its user gets the error from the query.
    this.pool.on("connect", (client) => client.on("error", () => undefined));
  }

  get away(): Away {
    return this.#away;
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Retries until the database has answered, with a result or an error. `attempt` must be safe to repeat. */
  async persist<Result>(
    attempt: () => Promise<Result>,
    patienceMs = this.#patienceMs,
  ): Promise<Result> {
    const until = performance.now() + patienceMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        const result = await attempt();
        this.#away = null;
        return result;
      } catch (error) {
        if (!isLost(error) || this.isClosed) throw error;
        this.#away ??= { since: Date.now() / 1000, problem: problemOf(error) };
        if (performance.now() + pause > until) throw this.#unavailable();
        await this.#pause(pause);
      }
    }
  }

  /** A dedicated client for the duration of `work`. A lost client is discarded. */
  async withClient<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    await this.#places.take(); // the pool rejects a long wait, which would look like a database that is away
    const client = await this.pool.connect().catch((error: unknown) => {
      this.#places.giveBack();
      throw error;
    });
    let failure: unknown;
    try {
      return await work(client);
    } catch (error) {
      failure = error;
      if ((error as { code?: string }).code === DISK_FULL)
        throw new StorageFullError("The disk of the database is full.");
      throw error;
    } finally {
      client.release(failure !== undefined && isLost(failure));
      this.#places.giveBack();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    await this.pool.end();
  }

  #unavailable(): ApiError {
    const message = `The database is away (${this.#away?.problem}). Nothing was lost; try again in a moment.`;
    return new ApiError("unavailable", message);
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms + Math.random() * ms); // not all processes at once
    this.#closed.signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    clearTimeout(timer);
  }
}

/** At most this many at once; the others wait in order. */
class Places {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async take(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

const DISK_FULL = "53100";
const SYSTEM_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT", // its unix socket
]);
/** Class 08: connection; 57P0x: stopping, crashed, starting; 53300: too many clients; 25P03: our transaction was idle. */
const SQL_CODES = /^(08|57P0[1-5]|53300|25006|25P03)/;
const MESSAGES =
  /^(Connection terminated|timeout e|Query read timeout|Client has encountered a connection error|Client was closed|.*connection timeout)/i;

/** Whether the error means that the database did not answer, rather than that it refused. */
export function isLost(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string };
  if (error instanceof AggregateError) return error.errors.some(isLost);
  if (typeof code === "string" && (SYSTEM_CODES.has(code) || SQL_CODES.test(code))) return true;
  return MESSAGES.test(message ?? "");
}

/** The database aborted our transaction because of a concurrent one: nothing of it is stored. */
export function hasCollided(error: unknown): boolean {
  return /^(40001|40P01)$/.test((error as { code?: string }).code ?? "");
}

/** Retries while concurrent transactions conflict: each time, one of them has succeeded. */
export async function untilThrough<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!hasCollided(error)) throw error;
    }
  }
}

export function problemOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return SYSTEM_CODES.has(code ?? "")
    ? (code ?? "")
    : ((message ?? "no answer").split("\n")[0] ?? "");
}
