// A server or a runner alone, without the supervisor that would restart it: for tests that stop, starve or replace one of
// them. Disposing kills it, even if it is stopped (SIGSTOP).
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { journalsMade } from "./backend.ts";
import {
  cleanEnvironment,
  kill,
  MAIN,
  quarterdeck,
  tokenOf,
  type TestHome,
  type Status,
} from "./program.ts";
import { rawSql } from "./journal/raw-journal.ts";
import { until } from "./until.ts";

export type Lone = AsyncDisposable & {
  pid: number;
  child: ChildProcess;
  output: () => string;
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
};
export type LoneServer = Lone & { url: string; token: string };
export type LoneOptions = { args?: string[]; env?: Record<string, string> };

export async function startServe(place: TestHome, options: LoneOptions = {}): Promise<LoneServer> {
  await journalsMade();
  const lone = startLone("serve", place, {
    ...options,
    args: ["--port", "0", ...(options.args ?? [])],
  });
  const url = await until(
    () => /Serving (\S+)/.exec(lone.output())?.[1] ?? failIfEnded(lone),
    "serve to listen",
  );
  const token = options.env?.["API_SERVER_KEY"] ?? (await tokenOf(place.home, options));
  return { ...lone, url, token: token.trim() };
}

export async function startWork(place: TestHome, options: LoneOptions = {}): Promise<Lone> {
  await journalsMade();
  const lone = startLone("work", place, options);
  const url = options.env?.["QUARTERDECK_DATABASE_URL"];
  await until(async () => {
    failIfEnded(lone);
    const found = "SELECT pid FROM processes WHERE kind = 'runner' AND pid = ?";
    const rows = await rawSql(url ? { url } : place, found, lone.pid).catch(() => []); // not made yet
    return rows.length > 0;
  }, "the runner to register");
  return lone;
}

export async function statusOf({ home }: TestHome): Promise<Status> {
  const { stdout } = await quarterdeck(["status", "--json", "--home", home]);
  return JSON.parse(stdout) as Status;
}

/** Does not wait until it is ready: it may be starting while its database is away. */
export function startLone(
  name: "serve" | "work" | "gateway",
  place: TestHome,
  { args = [], env }: LoneOptions = {},
): Lone {
  const flags = ["--home", place.home, "--workspace", place.workspace, ...args];
  const child = spawn(process.execPath, [MAIN, name, ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
    env: cleanEnvironment(env),
  });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const ended = once(child, "exit").then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
  );
  const pid = child.pid as number;
  return {
    pid,
    child,
    output: () => printed,
    signal: (signal) => kill(pid, signal),
    ended,
    async [Symbol.asyncDispose]() {
      kill(pid, "SIGKILL");
      await ended;
    },
  };
}

function failIfEnded({ child, output }: Lone): undefined {
  if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${output()}`);
}
