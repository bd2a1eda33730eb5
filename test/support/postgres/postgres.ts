// A real Postgres for tests: its own directory, its own port, gone when the test process is gone.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Client } from "pg";
import { owned, postgresBinaries, userForPostgres, type User } from "./binaries.ts";
import { dataOf, killServer, nameOf } from "./processes.ts";

export type Databases = {
  /** Of the superuser. */
  readonly url: string;
  /** Makes an empty database and returns its url. */
  database(name?: string): Promise<string>;
  /** Drops a database, with everyone in it. One takes 8 MB of disk, so long suites should. */
  drop(url: string): Promise<void>;
};

export type Postgres = Databases &
  AsyncDisposable & {
    /** The postmaster's; another one after every restart. */
    readonly pid: number;
    readonly directory: string;
    /** What it logged last, for the message of a failure. */
    log(): string;
    /** SIGKILL to the postmaster and all its children. */
    kill(): Promise<void>;
    /** Stops it cleanly; clients are disconnected. */
    stop(): Promise<void>;
    /** Starts it again on the same port and data, after a stop if it runs. */
    restart(): Promise<void>;
  };

export type PostgresOptions = {
  /** Off is much faster, and right for every test that does not simulate a machine failure. */
  fsync?: boolean;
  /** Lines of postgresql.conf. */
  settings?: Record<string, string | number>;
  /** Instead of QUARTERDECK_TEST_POSTGRES. */
  binaries?: string;
};

type Postmaster = ChildProcessByStdio<null, null, Readable>;
type Server = { directory: string; binaries: string; user: User | undefined; log: string[] };

const LOG_LINES = 200;
const PORT_ATTEMPTS = 5;

export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const directory = mkdtempSync(join(tmpdir(), "qd-pg-"));
  await using cleanup = new AsyncDisposableStack();
  cleanup.use(keep(directory));
  const user = userForPostgres();
  owned(directory, user);
  const binaries = postgresBinaries(directory, user, options.binaries);
  const server: Server = { directory, binaries, user, log: [] };
  const password = randomBytes(12).toString("hex");
  await initialise(server, password);
  let { postmaster, port } = await firstStart(server, options);
  const kept = cleanup.move();

  const ended = async () => {
    postmaster.ref();
    if (postmaster.exitCode === null && postmaster.signalCode === null) {
      await once(postmaster, "exit");
    }
  };
  const stop = async () => {
    postmaster.kill("SIGINT");
    await ended();
  };
  return {
    ...databasesOf(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`),
    directory,
    get pid() {
      return postmaster.pid as number;
    },
    log: () => server.log.join("\n"),
    async kill() {
      await killServer(directory);
      await ended();
    },
    stop,
    async restart() {
      await stop();
      await killServer(directory); // left by a postmaster that was killed without its children
      postmaster = await start(server);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

let shared: Promise<Databases> | undefined;

/**
 * A server for tests that only need databases, started at first use and ended with the process. It is
 * the one that QUARTERDECK_TEST_POSTGRES_URL names, if the test runner has started one.
 */
export function sharedPostgres(): Promise<Databases> {
  const url = process.env["QUARTERDECK_TEST_POSTGRES_URL"];
  shared ??= url ? Promise.resolve(databasesOf(url)) : startPostgres({ fsync: false });
  return shared;
}

function databasesOf(url: string): Databases {
  const withClient = async (work: (client: Client) => Promise<unknown>) => {
    const client = new Client(url);
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  };
  return {
    url,
    async database(name = `test_${randomBytes(8).toString("hex")}`) {
      await withClient(async (client) => {
        const copy = (await client.query(COPY_IS_CHEAPER)).rowCount ? "STRATEGY file_copy" : "";
        // Nobody can be connected to template0, which would refuse this.
        await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ${copy}`);
      });
      return Object.assign(new URL(url), { pathname: `/${name}` }).href;
    },
    async drop(database) {
      const name = new URL(database).pathname.slice(1);
      await withClient((client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

/** Without fsync, files copied take half the time of pages logged; before 15 there is no choice. */
const COPY_IS_CHEAPER = `SELECT WHERE current_setting('fsync') = 'off'
  AND current_setting('server_version_num')::int >= 150000`;

/**
 * Whatever happens to this process, the server and its directory go with it. The keeper is in a
 * session of its own: a signal to the tests' process group must not end it before them.
 */
function keep(directory: string): AsyncDisposable {
  const program = join(import.meta.dirname, "keeper.ts");
  const keeper = spawn(process.execPath, [program], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  keeper.stdin.write(directory);
  keeper.unref();
  (keeper.stdin as Socket).unref();
  return {
    async [Symbol.asyncDispose]() {
      keeper.ref();
      keeper.stdin.end();
      if (keeper.exitCode === null && keeper.signalCode === null) await once(keeper, "exit");
      if (keeper.exitCode !== 0) throw new Error(`something of ${directory} may be left`);
    },
  };
}

/** As the right user, in a directory that this user can read, without the environment of the test runner. */
function run({ directory, binaries, user }: Server, name: string, args: string[]): Postmaster {
  return spawn(join(binaries, name), ["-D", dataOf(directory), ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    cwd: directory,
    env: { PATH: process.env["PATH"], LC_ALL: "C", TZ: "UTC" },
    detached: true,
    ...user,
  });
}

async function initialise(server: Server, password: string): Promise<void> {
  const secret = join(server.directory, "password");
  writeFileSync(secret, password, { mode: 0o600 });
  owned(secret, server.user);
  const auth = ["--auth-local=trust", "--auth-host=scram-sha-256", `--pwfile=${secret}`];
  const basics = ["--username=postgres", "--encoding=UTF8", "--locale=C", "--no-sync"];
  const initdb = run(server, "initdb", [...basics, ...auth]);
  let complaints = "";
  initdb.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()));
  const [code] = (await once(initdb, "close")) as [number | null];
  if (code !== 0) throw new Error(`initdb ended with ${code}: ${complaints}`);
}

async function firstStart(server: Server, options: PostgresOptions) {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    configure(server, { port, ...settingsFor(server, options) });
    try {
      return { port, postmaster: await start(server) };
    } catch (error) {
      const taken = /Address already in use/.test(String(error)); // by another, just now
      if (!taken || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

function settingsFor({ directory }: Server, { fsync = true, settings }: PostgresOptions) {
  return {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: directory,
    cluster_name: nameOf(directory),
    max_connections: 200,
    shared_buffers: "32MB",
    dynamic_shared_memory_type: "mmap", // in the data directory, so a kill leaves nothing elsewhere
    fsync: fsync ? "on" : "off",
    full_page_writes: fsync ? "on" : "off",
    synchronous_commit: "on",
    ...settings,
  };
}

/** The last setting wins. */
function configure({ directory }: Server, settings: Record<string, string | number>): void {
  const lines = Object.entries(settings).map(([name, value]) => {
    return `${name} = '${String(value).replaceAll("'", "''")}'\n`;
  });
  appendFileSync(join(dataOf(directory), "postgresql.conf"), lines.join(""));
}

/** Resolves when it accepts connections; after a crash, that is after its recovery. */
async function start(server: Server): Promise<Postmaster> {
  const postmaster = run(server, "postgres", []);
  const lines = createInterface(postmaster.stderr);
  await new Promise<void>((resolve, reject) => {
    lines.on("line", (line) => {
      server.log.push(line);
      if (server.log.length > LOG_LINES) server.log.shift();
      if (line.includes("ready to accept connections")) resolve();
    });
    postmaster.once("error", reject);
    postmaster.once("close", (code) => {
      reject(new Error(`Postgres ended with ${code}: ${server.log.join("\n")}`));
    });
  });
  postmaster.unref(); // the keeper ends it with this process
  (postmaster.stderr as Socket).unref();
  return postmaster;
}

/**
 * Below the ports that a system gives to clients. One of those could be taken while Postgres is
 * down, even by a client of ours that tries to reconnect: it may get connected to itself.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 16_000 + Math.floor(Math.random() * 16_000);
    const probe = createServer().listen(port, "127.0.0.1");
    const free = await once(probe, "listening").then(
      () => true,
      () => false,
    );
    if (!free) continue;
    probe.close();
    await once(probe, "close");
    return port;
  }
}
