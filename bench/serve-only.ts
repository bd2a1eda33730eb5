// Our server alone, for benchmarks that write to the journal from this process.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export async function serveOnly(home: string, flags: readonly string[] = []) {
  const main = join(import.meta.dirname, "../src/main.ts");
  const child = fork(main, ["serve", "--home", home, "--port", "0", "--workspace", "/", ...flags], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [message] = (await once(child, "message")) as [{ ready: string }];
  const token = readFileSync(join(home, "token"), "utf8").trim();
  return { url: message.ready, token, pid: child.pid, [Symbol.asyncDispose]: () => end(child) };
}

export async function end(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
