// Runs the real program in child processes, the way a user would. Disposing kills everything
// outright: crash is the only shutdown these tests trust.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { until } from "./until.ts";

export const ROOT = join(import.meta.dirname, "../..");
export const MAIN = join(ROOT, "src/main.ts");

export type Place = { home: string; workspace: string };
export type Status = {
  url: string | null;
  epoch: string;
  serve: { pid: number } | null;
  runners: { pid: number; id: string; runs: string[] }[];
};

/** A fresh home and workspace. Settings that only tests need go into its config.json. */
export function newPlace(settings: Record<string, unknown> = {}): Place & Disposable {
  const base = mkdtempSync(join(tmpdir(), "qd-"));
  const place = { home: join(base, "home"), workspace: join(base, "work") };
  mkdirSync(place.home, { mode: 0o700 });
  mkdirSync(place.workspace);
  const config = {
    demo_delay_ms: 2,
    lease_ms: 2_000,
    model_retry_base_ms: 10,
    titles: false, // a side question nobody scripted
    ...settings,
  };
  writeFileSync(join(place.home, "config.json"), JSON.stringify(config));
  return { ...place, [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }) };
}

export type Program = AsyncDisposable & {
  url: string;
  token: string;
  child: ChildProcess;
  output: () => string;
  status(): Promise<Status>;
  /** SIGKILL of one kind of process, or of all of them. Returns the pids. */
  kill(what: "serve" | "work" | "up" | "all"): Promise<number[]>;
};

export async function startProgram(
  place: Place,
  options: { args?: string[]; env?: Record<string, string> } = {},
): Promise<Program> {
  const flags = ["--home", place.home, "--workspace", place.workspace, "--port", "0"];
  const child = spawn(process.execPath, [MAIN, "up", ...flags, ...(options.args ?? [])], {
    stdio: ["ignore", "pipe", "pipe"],
    env: cleanEnvironment(options.env),
  });
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
  const status = () => readStatus(place);
  await until(async () => (await status()).runners.length > 0);

  return {
    url,
    token: readFileSync(join(place.home, "token"), "utf8").trim(),
    child,
    output: () => printed,
    status,
    async kill(what) {
      const { serve, runners } = await status();
      const pids = {
        serve: serve ? [serve.pid] : [],
        work: runners.map(({ pid }) => pid),
        up: [child.pid as number],
        all: [child.pid as number, ...(serve ? [serve.pid] : []), ...runners.map(({ pid }) => pid)],
      }[what];
      for (const pid of pids) kill(pid, "SIGKILL");
      if (what === "all" || what === "up") await ended(child);
      return pids;
    },
    async [Symbol.asyncDispose]() {
      const { serve, runners } = await status().catch(() => ({ serve: null, runners: [] }));
      kill(child.pid as number, "SIGKILL");
      for (const pid of [serve?.pid, ...runners.map((runner) => runner.pid)]) {
        if (pid !== undefined) kill(pid, "SIGKILL");
      }
      await ended(child);
    },
  };
}

/** Runs a command to its end. */
export async function quarterdeck(
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
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

async function readStatus({ home }: Place): Promise<Status> {
  const { stdout } = await quarterdeck(["status", "--json", "--home", home]);
  return JSON.parse(stdout) as Status;
}

/** No key of whoever runs the tests reaches the program under test. */
function cleanEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  const { PATH = "", HOME = "", TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...extra };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}
