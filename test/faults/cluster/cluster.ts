// Three runners and two servers on one Postgres, each with a home of its own and a network of its
// own to the database, as on five machines. Whatever ends is started again at the same address.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Server } from "../../support/http.ts";
import { startLone, type Lone } from "../../support/processes.ts";
import type { Postgres } from "../../support/postgres/postgres.ts";
import { startTcpProxy, type TcpProxy } from "../../support/servers/tcp-proxy.ts";

export const LEASE_MS = 1_500;
const TOKEN = "a-token-that-all-machines-of-the-trial-share";
const CONFIG = {
  demo_delay_ms: 2,
  lease_ms: LEASE_MS,
  titles: false,
  resume_attempts: 100,
  heartbeat_ms: 500,
};

export type Member = {
  readonly name: string;
  readonly kind: "serve" | "work";
  readonly network: TcpProxy;
  /** The process that runs now. */
  readonly lone: () => Lone;
  /** Of a server, once it listened for the first time. */
  readonly server: () => Server;
  /** Nothing else is being done to it. */
  busy: boolean;
  /** How it ended without having been told to. */
  readonly accidents: string[];
  /** The end that comes is meant. */
  readonly expectEnd: () => void;
};

export type Cluster = AsyncDisposable & {
  readonly url: string;
  readonly workspace: string;
  readonly servers: readonly Member[];
  readonly runners: readonly Member[];
  /** What the processes said, for the message of a failure. */
  output(): string;
};

export async function startCluster(postgres: Postgres): Promise<Cluster> {
  const base = mkdtempSync(join(tmpdir(), "qd-cluster-"));
  const workspace = join(base, "work");
  mkdirSync(workspace);
  const url = await postgres.database();
  const stopping = new AbortController();
  const deps = { base, workspace, url, signal: stopping.signal };
  const members: Member[] = [];
  const dispose = async () => {
    stopping.abort();
    for (const { lone, network } of members) {
      await lone()[Symbol.asyncDispose]();
      await network[Symbol.asyncDispose]();
    }
    rmSync(base, { recursive: true, force: true });
    await postgres.drop(url);
  };
  try {
    for (const name of ["serve-1", "serve-2", "work-1", "work-2", "work-3"]) {
      members.push(await startMember(name, deps));
    }
    // All at once, as after a power failure: one of them brings the schema up to date.
    for (const member of members.slice(0, 2)) await listening(member);
  } catch (error) {
    const said = members.map(({ lone }) => lone().output()).join("\n");
    await dispose();
    throw new Error(`the cluster did not start: ${said}`, { cause: error });
  }
  return {
    url,
    workspace,
    servers: members.filter(({ kind }) => kind === "serve"),
    runners: members.filter(({ kind }) => kind === "work"),
    output: () => members.map(({ name, lone }) => `${name}: ${lastOf(lone())}`).join("\n"),
    [Symbol.asyncDispose]: dispose,
  };
}

async function listening({ name, server }: Member): Promise<void> {
  const began = performance.now();
  while (server().url === "") {
    if (performance.now() - began > START_MS) throw new Error(`${name} does not listen`);
    await delay(20);
  }
}

type Deps = { base: string; workspace: string; url: string; signal: AbortSignal };
const START_MS = 120_000;
const AGAIN_MS = 100;
const KEPT_CHARS = 4_000;

async function startMember(name: string, { base, workspace, url, signal }: Deps): Promise<Member> {
  const kind = name.startsWith("serve") ? "serve" : "work";
  const home = join(base, name);
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, "config.json"), JSON.stringify(CONFIG));
  const network = await startTcpProxy({ port: Number(new URL(url).port) });
  const env = { QUARTERDECK_DATABASE_URL: network.through(url), API_SERVER_KEY: TOKEN };
  let port = "0";
  let expected = false;
  const accidents: string[] = [];
  const start = () => {
    const args = kind === "serve" ? ["--port", port] : [];
    const started = startLone(kind, { home, workspace }, { args, env });
    void started.ended.then(async (how) => {
      if (signal.aborted) return;
      if (!expected) accidents.push(`${name} ended by itself (${how}): ${lastOf(started)}`);
      expected = false;
      await delay(AGAIN_MS);
      if (!signal.aborted) lone = start();
    });
    return started;
  };
  let lone = start();
  return {
    name,
    kind,
    network,
    lone: () => lone,
    server() {
      const found = /Serving (\S+)/.exec(lone.output())?.[1];
      if (found) port = new URL(found).port;
      return { url: port === "0" ? "" : `http://127.0.0.1:${port}`, token: TOKEN };
    },
    busy: false,
    accidents,
    expectEnd: () => void (expected = true),
  };
}

/** The end of what it said: a failure may be said a thousand times. */
export function lastOf({ output }: Lone): string {
  return output().slice(-KEPT_CHARS);
}
