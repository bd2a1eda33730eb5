// The browser of a runner. Which one is a choice in the system log, so every call looks it up. It is started when
// first needed, and ended when the choice changes or the runner ends.
import type { BrowserChoice } from "../store/browser-choice.ts";
import { browserChoice } from "../store/browser-choice.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { SYSTEM_LOG } from "../../../kernel/events/system-events.ts";
import {
  BrowserConnection,
  browserFailure,
  type BrowserCall,
  type BrowserReply,
} from "./connection.ts";
import { browserRequirements } from "./requirements.ts";

export type BrowserHosts = AsyncDisposable & {
  /** Whether a browser was chosen: otherwise no model is offered one. */
  chosen(): Promise<boolean>;
  call(request: BrowserCall): Promise<BrowserReply>;
  /** Of the host process, while there is one. */
  readonly pid: number | undefined;
};
export type BrowserSettings = {
  readonly journal: Pick<Journal, "systemLog" | "watch">;
  readonly executable: string | undefined;
  readonly allowPrivateHosts: readonly string[];
  readonly logError: (message: string, error: unknown) => void;
};

type Current = {
  readonly seq: number;
  readonly starting: Promise<BrowserConnection>;
  connection?: BrowserConnection;
};

const NOT_CONNECTED =
  "No browser is connected. A person can start one or connect a running Chrome on the page Browser (/browser).";
const NOTHING = async () => undefined;

export function browserHosts(settings: BrowserSettings): BrowserHosts {
  const { journal, logError } = settings;
  let current: Current | undefined;
  let disposed = false;

  async function leave(host: Current): Promise<void> {
    if (current === host) current = undefined;
    await (await host.starting.catch(NOTHING))?.[Symbol.asyncDispose]();
  }

  /** A browser nobody wants any more ends now, and not with the next call. */
  async function look(): Promise<void> {
    const choice = current && (await browserChoice(journal));
    if (current && current.seq !== choice?.seq) await leave(current);
  }
  const unwatch = journal.watch((wake) => {
    if (!current || (wake !== "all" && wake.logId !== SYSTEM_LOG)) return;
    look().catch((error: unknown) => logError("the browser's choice could not be read", error));
  });

  async function connected(choice: BrowserChoice): Promise<BrowserConnection | BrowserReply> {
    if (current && current.seq !== choice.seq) await leave(current);
    if (current?.connection?.isOpen === false) await leave(current);
    if (disposed) return browserFailure("cannot_start", "The runner is ending.");
    const host = (current ??= begin(choice, settings));
    try {
      const connection = (host.connection = await host.starting);
      const ready = await connection.ready;
      if (ready.ok) return connection;
      await leave(host);
      return browserFailure("cannot_start", notStarted(choice, ready.message));
    } catch (error) {
      await leave(host);
      return browserFailure("cannot_start", (error as Error).message);
    }
  }

  return {
    chosen: async () => (await browserChoice(journal)) !== null,
    async call(request) {
      const choice = await browserChoice(journal);
      if (!choice) return browserFailure("not_connected", NOT_CONNECTED);
      const host = await connected(choice);
      return host instanceof BrowserConnection ? host.call(request) : host;
    },
    get pid() {
      return current?.connection?.pid;
    },
    async [Symbol.asyncDispose]() {
      disposed = true;
      unwatch();
      if (current) await leave(current);
    },
  };
}

function begin({ seq, mode, cdpUrl }: BrowserChoice, settings: BrowserSettings): Current {
  const { library, executable, missing } = browserRequirements(settings.executable);
  const usable = library && (mode === "connect" || executable !== null);
  const wanted = {
    mode,
    cdp_url: cdpUrl,
    executable,
    allow_private_hosts: settings.allowPrivateHosts,
  };
  const starting = usable
    ? BrowserConnection.start(wanted)
    : Promise.reject(new Error(missing.join(" ")));
  starting.catch(NOTHING); // whoever asked is told
  return { seq, starting };
}

function notStarted({ mode, cdpUrl }: BrowserChoice, why: string): string {
  return mode === "start"
    ? `The browser could not be started: ${why}`
    : `The browser at ${cdpUrl} could not be reached: ${why}`;
}
