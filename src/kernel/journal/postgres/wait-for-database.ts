// Checks first whether the database is there and lets us in. A problem that a person must fix (a password, a name, a
// certificate) is reported in one sentence; a temporary one (it is starting) is waited for.
// No message includes the address's password.
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { clientConfig, isLost, problemOf } from "./connection.ts";

/** One sentence for the person who started the program. */
export class DatabaseRefused extends Error {
  override name = "DatabaseRefused";
}

export type WaitForDatabase = {
  readonly url: string;
  /** How long to wait for a database that does not answer. */
  readonly patienceMs: number;
  /** Called once, when there is something to wait for. */
  readonly waiting?: (problem: string) => void;
  readonly signal?: AbortSignal | undefined;
};

const OLDEST = 140_000; // string_to_table() is as old as Postgres 14
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** Resolves when the database has answered; throws the reason if it never will. */
export async function waitForDatabase(reaching: WaitForDatabase): Promise<void> {
  const { url, patienceMs, waiting, signal } = reaching;
  const until = performance.now() + patienceMs;
  for (
    let pause = FIRST_PAUSE_MS, emitted = false;
    ;
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  ) {
    const problem = await tryOnce(url);
    if (problem === undefined) return;
    if (performance.now() + pause > until) {
      throw new DatabaseRefused(
        `The database at ${hostAndPort(url)} does not answer (${problem}).`,
      );
    }
    if (!emitted) waiting?.(problem);
    emitted = true;
    await delay(pause, undefined, { signal }).catch(() => undefined);
    if (signal?.aborted) throw new DatabaseRefused("Stopped before the database was there.");
  }
}

/** The temporary problem; undefined if the database answers. */
async function tryOnce(url: string): Promise<string | undefined> {
  const client = clientFor(url);
  client.on("error", () => undefined);
  try {
    await client.connect();
    const asked = "SELECT current_setting('server_version_num')::int AS version";
    refuseOld((await client.query<{ version: number }>(asked)).rows[0]?.version ?? 0);
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseRefused) throw error;
    if (isLost(error) && codeOf(error) !== "ENOTFOUND") return problemOf(error);
    throw new DatabaseRefused(sentenceFor(error, url));
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** Reads the files that the address names, so that a missing one is reported here. */
function clientFor(url: string): pg.Client {
  try {
    return new pg.Client(clientConfig({ url, name: "start" }));
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException;
    const why = path === undefined ? message.slice(0, 200) : `${path}: ${code}`;
    throw new DatabaseRefused(`The address of the database cannot be used (${why}).`);
  }
}

function refuseOld(version: number): void {
  if (version >= OLDEST) return;
  const major = Math.floor(version / 10_000);
  throw new DatabaseRefused(`Postgres 14 or newer is needed; this database is Postgres ${major}.`);
}

const codeOf = (error: unknown) => (error as { code?: string }).code ?? "";

/** Codes of OpenSSL and Node for a certificate that does not verify. */
const CERTIFICATE =
  /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|ERR_OSSL|HOSTNAME_MISMATCH|^EPROTO$/;

function sentenceFor(error: unknown, url: string): string {
  const at = hostAndPort(url);
  const { user, database, host } = partsOf(url);
  const code = codeOf(error);
  if (code === "ENOTFOUND") return `There is no host “${host}” for the database (ENOTFOUND).`;
  if (code === "28P01") return `The database at ${at} refuses the name or password of “${user}”.`;
  if (code === "28000") return `The database at ${at} does not let “${user}” in.`;
  if (code === "3D000") return `There is no database “${database}” at ${at}: create it first.`;
  if (CERTIFICATE.test(code)) {
    return `The certificate of the database at ${at} is not trusted (${code}): check sslmode and sslrootcert in its address.`;
  }
  const message = (error as Error).message.split("\n")[0]?.slice(0, 200) ?? "";
  return `The database at ${at} cannot be used (${code ? `${code}: ` : ""}${message}).`;
}

/** The address for people, without the password. */
export function hostAndPort(url: string): string {
  const { host, port } = partsOf(url);
  return host.startsWith("/") ? host : `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Everything that may be shown of an address. */
export function shownUrl(url: string): string {
  const { user, database } = partsOf(url);
  return `postgres://${user}@${hostAndPort(url)}/${database}`;
}

function partsOf(url: string) {
  const { user, host, port, database } = new pg.Client({ connectionString: withoutFiles(url) });
  return { user: user ?? "", host, port, database: database ?? "" };
}

/** Removes the certificates, because the parser would read their files. */
function withoutFiles(url: string): string {
  return url.replaceAll(/([?&])ssl[^&]*/g, "$1");
}
