// The real program, the way a person starts it, in directories of its own. Disposing kills all of it.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { until } from "../../support/until.ts";

const root = join(import.meta.dirname, "../../..");
const MAIN = join(root, "src/main.ts");
const run = promisify(execFile);

export type Program = Awaited<ReturnType<typeof startProgram>>;

/** `files`: what its home holds from the start, by name. */
export async function startProgram(files: Readonly<Record<string, unknown>> = {}) {
  const home = await mkdtemp(join(tmpdir(), "quarterdeck-browser-"));
  await mkdir(join(home, "home"), { mode: 0o700 });
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(home, "home", name), JSON.stringify(content));
  }
  const places = ["--home", join(home, "home"), "--workspace", home];
  const child = spawn(process.execPath, [MAIN, "up", "--port", "0", ...places], {
    cwd: root,
    detached: true, // its own group: what it starts ends with it
    stdio: ["ignore", "pipe", "inherit"],
  });
  const command = async (...args: string[]) =>
    (await run(process.execPath, [MAIN, ...args, ...places], { cwd: root })).stdout;

  let link: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    link = /http:\S+#login=\S+/.exec(line)?.[0];
    if (link) break;
  }
  if (!link) throw new Error("The program ended without printing a link");
  const token = (await command("token")).trim().split(/\s+/).at(-1) ?? "";
  const url = new URL(link).origin;
  return {
    url,
    link,
    token,
    workspace: home,
    /** Links work once: every window needs its own. */
    async newLink(): Promise<string> {
      const printed = /http:\S+#login=\S+/.exec(await command("token", "--link"))?.[0];
      if (!printed) throw new Error("token --link printed no link");
      return printed;
    },
    /** Kills the server alone; whoever watches it starts another. One that was killed before comes first. */
    async killServer(): Promise<void> {
      type Status = { readonly serve: { readonly pid: number } | null };
      const none = () => '{"serve":null}'; // it says so by failing
      const status = async () =>
        JSON.parse(await command("status", "--json").catch(none)) as Status;
      const { pid } = await until(async () => (await status()).serve, "a server");
      process.kill(pid, "SIGKILL");
    },
    /** Settles when a server answers (again). */
    async serves(): Promise<void> {
      const isUp = () =>
        fetch(`${url}/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      while (!(await isUp()));
    },
    /** Kills every runner; whoever watches them starts another. */
    async killRunner(): Promise<void> {
      const { runners } = JSON.parse(await command("status", "--json")) as {
        runners: { pid: number }[];
      };
      for (const { pid } of runners) process.kill(pid, "SIGKILL");
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.pid !== undefined) {
        const gone = once(child, "exit");
        process.kill(-child.pid, "SIGKILL"); // the group: a crash is the only shutdown tests trust
        await gone;
      }
      await rm(home, { recursive: true, force: true });
    },
  };
}
