// `up`: starts a server and a runner, and a gateway where a messenger is switched on; keeps them running, and prints
// the one-use link.
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Config, Parsed } from "../config.ts";
import { VERSION } from "../kernel/events/version.ts";
import { watchSettings } from "./settings/changed-settings.ts";
import { aborted, lifetime } from "./lifetime.ts";
import { LINK_LIFE, newLoginLink } from "./login-link.ts";
import { openJournal } from "./open-journal.ts";
import { ensureWorkspace } from "./workspace-folder.ts";
import { typed } from "./typed.ts";

export const flags = {};

const MAIN = process.argv[1] ?? "";
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;
const HEALTHY_AFTER_MS = 2_000;

export async function command(parsed: Parsed, argv: readonly string[]): Promise<number> {
  const { config } = parsed;
  ensureWorkspace(config);
  const stop = new AbortController();
  const signal = AbortSignal.any([lifetime(), stop.signal]);
  const opened = await openJournal(config, { patient: "start", signal });
  await opened[Symbol.asyncDispose](); // refuses a bad home or a newer journal before anything starts
  const ready = Promise.withResolvers<string>();
  const running = new Set<ChildProcess>();
  let gateway: Promise<number> | undefined;
  let port = String(config.port);
  const serve = supervise({
    name: "serve",
    argv: () => [...argv, "--port", port],
    signal,
    running,
    ready: (url) => {
      port = portIn(url); // a restarted server keeps the address its clients know
      ready.resolve(url);
    },
    messengers: () => {
      gateway ??= supervise({
        name: "gateway",
        argv: () => [...argv],
        signal,
        running,
        ready: () => {},
      });
    },
  });
  const work = supervise({ name: "work", argv: () => [...argv], signal, running, ready: () => {} });
  watchSettings({
    home: config.home,
    check: parsed.reread,
    changed: () => running.forEach((child) => child.kill("SIGTERM")), // a runner hands its runs over
    say: (text) => console.error(text),
    signal,
  });
  const ended = Promise.race([serve, work]); // only when there is no point in starting it again
  const started = await Promise.race([ready.promise, ended, aborted(signal)]);
  if (typeof started === "string") {
    await announce(
      config,
      config.no_auth ? (config.public_url ?? started) : await newLink(config, started),
    );
    await Promise.race([aborted(signal), ended]);
  }
  stop.abort(); // nothing stays behind, whoever was the first to go
  return Math.max(...(await Promise.all([serve, work, gateway ?? 0])));
}

/** An address leaves out the port that its scheme has anyway. */
function portIn(url: string): string {
  const { port, protocol } = new URL(url);
  return port || (protocol === "https:" ? "443" : "80");
}

async function newLink(config: Config, url: string): Promise<string> {
  await using journal = await openJournal(config);
  return await newLoginLink(journal, config, url);
}

async function announce(config: Config, address: string): Promise<void> {
  const model = config.model;
  const demo = model.startsWith("demo/");
  const lines = [
    `Quarterdeck ${VERSION}`,
    `  Open       ${address}`,
    config.no_auth
      ? "             no login (--no-auth)"
      : `             ${LINK_LIFE}; for another: ${typed("token --link")}`,
    `  Model      ${demo ? "demo, scripted; README says how to bring a real one" : model}`,
    `  Workspace  ${config.workspace}`,
    `  Journal    ${await placeOfJournal(config)}`,
    ...config.found.map(({ name, detail }) => `  Found      ${name} (${detail})`),
    "Ctrl+C stops; runs go on from where they are at the next start.",
  ];
  console.log(lines.join("\n"));
}

async function placeOfJournal({ home, database }: Config): Promise<string> {
  if (database === undefined) return home;
  const { shownUrl } = await import("../kernel/journal/postgres/wait-for-database.ts");
  return shownUrl(database); // without its password
}

type Watched = {
  name: "serve" | "work" | "gateway";
  argv: () => readonly string[];
  signal: AbortSignal;
  running: Set<ChildProcess>; // what is alive, of all that are watched
  ready: (message: string) => void;
  /** A messenger is switched on. */
  messengers?: () => void;
};

/** Restarts the child whenever it dies. Settles with an exit code when there is no point in it. */
async function supervise(watched: Watched): Promise<number> {
  let wait = FIRST_WAIT_MS;
  let everReady = false;
  while (!watched.signal.aborted) {
    const born = performance.now();
    const child = start(watched, () => (everReady = true));
    watched.running.add(child);
    const code = await ended(child, watched.signal);
    watched.running.delete(child);
    if (watched.signal.aborted) return 0;
    if (!everReady && (code === 2 || code === 3)) return code; // it said why: a restart changes nothing
    wait =
      performance.now() - born > HEALTHY_AFTER_MS
        ? FIRST_WAIT_MS
        : Math.min(wait * 2, LONGEST_WAIT_MS);
    console.error(`${watched.name} ended (${code ?? child.signalCode}); starting it again`);
    await delay(wait, undefined, { signal: watched.signal }).catch(() => undefined);
  }
  return 0;
}

function start({ name, argv, ready, messengers }: Watched, isReady: () => void): ChildProcess {
  const options = existsSync(MAIN) ? process.execArgv : [];
  const child = spawn(process.execPath, [...options, MAIN, name, ...argv()], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  child.on("message", (message) => {
    if ("messengers" in (message as object)) return messengers?.();
    isReady();
    ready((message as { ready: string }).ready);
  });
  return child;
}

/** A SIGTERM lets a runner drain; whatever else ends us, and a second signal, ends it at once. */
async function ended(child: ChildProcess, signal: AbortSignal): Promise<number | null> {
  const stop = () => {
    child.kill(signal.reason === "SIGTERM" ? "SIGTERM" : "SIGINT");
    for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => child.kill("SIGINT"));
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await new Promise((resolve) => {
      child.once("exit", (code) => resolve(code));
      child.once("error", () => resolve(70));
    });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
