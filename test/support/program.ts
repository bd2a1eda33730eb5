// Runs the real program in child processes, as a user would. Disposing kills all of them: a crash is the only shutdown
// that these tests rely on.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { journalsMade, newJournal } from "./backend.ts";
import { call, type Server } from "./http.ts";
import { kill } from "./kill.ts";
import { PLAIN_SHELL } from "./plain-shell.ts";
import { textOf } from "./runs.ts";
import { until } from "./until.ts";

export { kill };
export const ROOT = join(import.meta.dirname, "../..");
/** `npm test` starts the published bundle; a test that is run by hand starts the sources. */
export const MAIN = process.env["QUARTERDECK_TEST_PROGRAM"] ?? join(ROOT, "src/main.ts");

export type TestHome = { home: string; workspace: string };
export type Status = {
  url: string | null;
  epoch: string;
  serve: { pid: number } | null;
  runners: { pid: number; id: string; runs: string[] }[];
};

/**
 * A fresh home and workspace, with a journal of the kind that is tested. Settings that only tests
 * need go into its config.json.
 */
export function newTestHome(settings: Record<string, unknown> = {}): TestHome & Disposable {
  const base = mkdtempSync(join(tmpdir(), "qd-"));
  const place = { home: join(base, "home"), workspace: join(base, "work") };
  mkdirSync(place.home, { mode: 0o700 });
  mkdirSync(place.workspace);
  const journal = newJournal();
  const config = {
    ...journal.settings,
    demo_delay_ms: 2,
    lease_ms: 8_000, // a tool host may take seconds to start on a busy machine
    model_retry_base_ms: 10,
    titles: false, // a side question nobody scripted
    ...settings,
  };
  writeFileSync(join(place.home, "config.json"), JSON.stringify(config));
  return {
    ...place,
    [Symbol.dispose]() {
      rmSync(base, { recursive: true, force: true });
      journal[Symbol.dispose]();
    },
  };
}

export type Program = AsyncDisposable & {
  url: string;
  token: string;
  child: ChildProcess;
  output: () => string;
  status(): Promise<Status>;
  /** Kills one kind of process, or all of them (SIGKILL). Returns the pids. */
  kill(what: "serve" | "work" | "up" | "all"): Promise<number[]>;
};

export async function startProgram(
  place: TestHome,
  options: { args?: string[]; env?: Record<string, string> } = {},
): Promise<Program> {
  const flags = ["--home", place.home, "--workspace", place.workspace, "--port", "0"];
  await journalsMade();
  const child = spawn(process.execPath, [MAIN, "up", ...flags, ...(options.args ?? [])], {
    stdio: ["ignore", "pipe", "pipe"],
    env: cleanEnvironment(options.env),
  });
  const up = child.pid as number;
  let printed = "";
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on("line", (line) => {
      printed += `${line}\n`;
      const found = /http:\/\/[^\s/#]+/.exec(line)?.[0];
      if (found) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`up ended with ${code}: ${printed}`)));
  });
  const token = await tokenOf(place.home, options);
  const server = { url, token: options.env?.["API_SERVER_KEY"] ?? token };
  await until(async () => (await runnersOf(server)).length > 0, "a runner");

  /** Asks the server; only while it is away, starts `status`, which costs half a second. */
  async function status(): Promise<Status> {
    const emitted = await call<Pick<Status, "runners" | "epoch">>(
      server,
      "GET",
      "/api/status",
    ).catch(() => undefined);
    if (emitted?.status !== 200) return readStatus(place);
    const [pid] = serving(up);
    return { url, serve: pid === undefined ? null : { pid }, ...emitted.body.data };
  }

  /** Only registered processes, not those that are starting. */
  async function pidsOf(what: "serve" | "work" | "up" | "all"): Promise<number[]> {
    if (what === "all") return allOf(up);
    if (what === "up") return [up];
    // The server answers at once; a started program takes so long that a short run has ended.
    const emitted = await runnersOf(server).catch(() => undefined);
    if (emitted) return what === "work" ? emitted.map(({ pid }) => pid) : serving(up);
    const { serve, runners } = await readStatus(place);
    return [...(what === "work" ? runners : serve ? [serve] : [])].map(({ pid }) => pid);
  }

  return {
    url,
    token,
    child,
    output: () => printed,
    status,
    async kill(what) {
      const pids = await pidsOf(what);
      for (const pid of pids) kill(pid, "SIGKILL");
      if (what === "all" || what === "up") await ended(child);
      return pids;
    },
    async [Symbol.asyncDispose]() {
      for (const pid of allOf(up)) kill(pid, "SIGKILL");
      await ended(child);
    },
  };
}

async function runnersOf(server: Server): Promise<Status["runners"]> {
  const status = await call<Pick<Status, "runners">>(server, "GET", "/api/status");
  return status.body.data.runners;
}

/** The supervisor, stopped so that it starts nothing meanwhile, and its children. */
function allOf(up: number): number[] {
  kill(up, "SIGSTOP");
  return [up, ...childrenOf(up)];
}

/** The supervisor's child that serves. */
function serving(up: number): number[] {
  return childrenOf(up).filter((child) =>
    textOf(`/proc/${child}/cmdline`).split("\0").includes("serve"),
  );
}

export function childrenOf(pid: number): number[] {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

/** From the home's file, or from wherever the program keeps it. */
export async function tokenOf(
  home: string,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> },
): Promise<string> {
  const kept = textOf(join(home, "token"));
  const { API_SERVER_KEY: _other, ...rest } = env;
  const token =
    kept || (await quarterdeck(["token", "--home", home, ...args], { env: rest })).stdout;
  return token.trim();
}

/** Runs a command to its end. */
export async function quarterdeck(
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  await journalsMade();
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: cleanEnvironment(options.env),
    cwd: options.cwd ?? ROOT,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
}

async function readStatus({ home }: TestHome): Promise<Status> {
  const { stdout } = await quarterdeck(["status", "--json", "--home", home]);
  return JSON.parse(stdout) as Status;
}

/**
 * No key and no shell of the test runner's user reaches the program under test. The compile cache is shared: each
 * test has a new home, and a program that has to compile itself first takes three times as long to start.
 */
export function cleanEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  const { PATH = "", HOME = "", TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const kept = { ...(TMPDIR && { TMPDIR }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
  return { PATH, HOME, SHELL: PLAIN_SHELL, ...kept, ...extra };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
