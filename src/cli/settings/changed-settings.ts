// Notices changes of config.json or the keys of a home, so that the supervisor can restart its processes. A change
// with which they could not start is reported and otherwise ignored.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const FILES = ["config.json", "secrets.json"];
const LOOK_MS = 1_000;

export type Watching = {
  readonly home: string;
  /** Throws when nothing could be started with what is there now. */
  readonly check: () => void;
  readonly changed: () => void;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly everyMs?: number;
};

export function watchSettings(watching: Watching): void {
  const { home, check, changed, say, signal, everyMs = LOOK_MS } = watching;
  let known = contentOf(home);
  const timer = setInterval(() => {
    const now = contentOf(home);
    if (now === known) return;
    known = now;
    try {
      check();
    } catch (error) {
      return say(`The settings were changed and cannot be used: ${(error as Error).message}`);
    }
    say("The settings were changed; starting anew with them.");
    changed();
  }, everyMs);
  signal.addEventListener("abort", () => clearInterval(timer));
}

function contentOf(home: string): string {
  return FILES.map((name) => {
    try {
      return readFileSync(join(home, name), "utf8");
    } catch {
      return "";
    }
  }).join("\0");
}
