// A server and a runner in the test's own process, with the journal and tool hosts of a real program. They cost a tenth of
// a started program. A process that is to be killed runs separately, and is restarted, as `up` does.
import { dirname, extname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type * as Commands from "../../src/cli/commands.ts";
import type * as Configs from "../../src/config.ts";
import { journalsMade } from "./backend.ts";
import { call, type Server } from "./http.ts";
import { startLone, startServe, startWork, type Lone, type LoneOptions } from "./processes.ts";
import { cleanEnvironment, kill, MAIN, tokenOf, type TestHome, type Status } from "./program.ts";
import { until } from "./until.ts";

type Role = "serve" | "work";
export type Pair = Server &
  AsyncDisposable & {
    /** The output of this process and of the separate ones. */
    output(): string;
    /** Rejects while the server is away. */
    status(): Promise<Pick<Status, "runners" | "epoch">>;
    /** The pid of a separate process. */
    pid(what: Role): number;
    /** Kills a separate process (SIGKILL) once it is ready. Returns its pid when it is gone. */
    kill(what: Role): Promise<number>;
    /** Kills both (SIGKILL), if both are separate. Neither is restarted. */
    killAll(): Promise<void>;
  };
export type ServerHere = Server & AsyncDisposable & { output(): string };
type Running = AsyncDisposable & {
  /** The current separate process; undefined if it runs in this process. */
  apart?: () => Lone;
};

/** The output of this process, including the server and the runner in it. */
let printed = "";
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
    printed += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return write(chunk, ...rest);
  };
}

/** `npm test` uses the published bundle here, too. */
async function load<Module>(name: string): Promise<Module> {
  return (await import(join(dirname(MAIN), `${name}${extname(MAIN)}`))) as Module;
}
const program = async () => (await load<typeof Commands>("cli/commands")).COMMANDS;

export async function openPair(
  place: TestHome,
  { apart = [], ...options }: LoneOptions & { apart?: readonly Role[] } = {},
): Promise<Pair> {
  await using unfinished = new AsyncDisposableStack();
  const serving = await (apart.includes("serve") ? serveApart : serveHere)(place, options);
  unfinished.use(serving);
  const server = { url: serving.url, token: await tokenFor(place, options) };
  const status = async () =>
    (await call<Pick<Status, "runners" | "epoch">>(server, "GET", "/api/status")).body.data;
  const working = unfinished.use(
    await (apart.includes("work") ? workApart : workHere)(place, options),
  );
  await until(async () => (await status()).runners.length > 0, "a runner");
  const open = unfinished.move();
  const aliveOf = (what: Role) => {
    const { apart: alive } = what === "serve" ? serving : working;
    if (!alive) throw new Error(`${what} does not run apart`);
    return alive;
  };

  return {
    ...server,
    output: () => printed,
    status,
    pid: (what) => aliveOf(what)().pid,
    async kill(what) {
      const alive = aliveOf(what);
      const isReady = async () =>
        what === "serve"
          ? alive().output().includes("Serving")
          : (await status()).runners.some(({ pid }) => pid === alive().pid);
      await until(isReady, `${what} to be there`);
      const { pid, ended } = alive();
      kill(pid, "SIGKILL");
      await ended;
      return pid;
    },
    async killAll() {
      for (const role of ["serve", "work"] as const) aliveOf(role);
      await open.disposeAsync();
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** A server alone. */
export async function openServer(place: TestHome, options: LoneOptions = {}): Promise<ServerHere> {
  const serving = await serveHere(place, options);
  return { ...serving, token: await tokenFor(place, options), output: () => printed };
}

async function tokenFor(place: TestHome, { args = [], env = {} }: LoneOptions): Promise<string> {
  return env["API_SERVER_KEY"] ?? (await tokenOf(place.home, { args, env }));
}

async function configOf(place: TestHome, { args = [], env }: LoneOptions) {
  await journalsMade();
  const flags = ["--home", place.home, "--workspace", place.workspace, "--port", "0", ...args];
  const { readConfig } = await load<typeof Configs>("config");
  return readConfig(flags, cleanEnvironment(env)).config;
}

async function serveHere(
  place: TestHome,
  options: LoneOptions,
): Promise<Running & { url: string }> {
  const config = await configOf(place, options);
  const { serve } = await (await program()).serve.load();
  const end = new AbortController();
  const listening = Promise.withResolvers<string>();
  const ended = serve(config, end.signal, listening.resolve);
  ended.catch(listening.reject);
  return { url: await listening.promise, ...endedBy(end, ended) };
}

async function workHere(place: TestHome, options: LoneOptions): Promise<Running> {
  const config = await configOf(place, options);
  const { work } = await (await program()).work.load();
  const end = new AbortController();
  const name = `${process.pid}.work`;
  return endedBy(end, work(config, { stop: end.signal, drain: end.signal, name }));
}

function endedBy(end: AbortController, ended: Promise<void>): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      await ended;
    },
  };
}

async function serveApart(place: TestHome, options: LoneOptions) {
  const first = await startServe(place, options);
  const again = [...(options.args ?? []), "--port", new URL(first.url).port];
  const running = kept(first, () => startLone("serve", place, { ...options, args: again }));
  return { url: first.url, ...running };
}

async function workApart(place: TestHome, options: LoneOptions): Promise<Running> {
  return kept(await startWork(place, options), () => startLone("work", place, options));
}

const PAUSE_MS = 50; // as `up` does: clients see that it is away

function kept(first: Lone, again: () => Lone): Running {
  let [lone, over] = [first, false];
  const keeping = (async () => {
    for (;;) {
      await lone.ended;
      if (over) return;
      await delay(PAUSE_MS);
      if (over) return;
      lone = again();
    }
  })();
  return {
    apart: () => lone,
    async [Symbol.asyncDispose]() {
      over = true;
      await lone[Symbol.asyncDispose]();
      await keeping;
    },
  };
}
