// A separate Chrome with a debugging port, as a person would start it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromiumPath } from "../../src/features/browser/host/test-support.ts";
import { kill } from "./kill.ts";
import { textOf } from "./runs.ts";
import { until } from "./until.ts";

export type LiveChrome = AsyncDisposable & {
  readonly url: string;
  /** The addresses of its tabs. */
  tabs(): Promise<string[]>;
  /** Until it is disposed of. */
  end(): Promise<void>;
};

export async function liveChrome(): Promise<LiveChrome> {
  const directory = mkdtempSync(join(tmpdir(), "qd-live-"));
  const flags = ["--headless", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-sync"];
  const where = [`--user-data-dir=${directory}`, "--remote-debugging-port=0", "about:blank"];
  const child = spawn(await chromiumPath(), [...flags, ...where], {
    stdio: "ignore",
    detached: true,
  });
  const gone = once(child, "exit");
  const port = await until(
    () => textOf(join(directory, "DevToolsActivePort")).split("\n")[0],
    "a debugging port",
  );
  const url = `http://127.0.0.1:${port}`;
  const end = async () => {
    kill(-(child.pid as number), "SIGKILL");
    await gone;
  };
  return {
    url,
    end,
    async tabs() {
      const list = (await (await fetch(`${url}/json/list`)).json()) as {
        type: string;
        url: string;
      }[];
      return list.filter(({ type }) => type === "page").map((tab) => tab.url);
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await end();
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
