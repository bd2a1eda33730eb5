// Which browser agents may use. The choice is an event of the system log; the view follows from it, from the
// journal's runs and from the browser itself.
import { browserChoice, type BrowserChoice } from "../store/browser-choice.ts";
import type { Journal } from "../../../kernel/journal/journal.ts";
import { loadRun } from "../../../kernel/journal/read/load-run.ts";
import type { BrowserView, ConnectBrowser } from "../records.ts";
import { ApiError } from "../../../kernel/events/errors.ts";
import type { RunState } from "../../../kernel/state/run/state.ts";
import { values } from "../../../kernel/state/vector.ts";
import type { AppDeps } from "../../../kernel/server/app.ts";
import type { BrowserService } from "./service.ts";

export type BrowserAccess = {
  view(): Promise<BrowserView>;
  connect(asked: ConnectBrowser, by: string): Promise<BrowserView>;
  disconnect(by: string): Promise<BrowserView>;
};

export function browserAccess({ journal, browser }: AppDeps): BrowserAccess {
  const service = () => {
    if (browser) return browser;
    throw new ApiError("unavailable", "This server knows nothing of browsers.");
  };
  const view = async () => viewOf(journal, service(), await browserChoice(journal));
  return {
    view,
    async connect(asked, by) {
      const { mode, cdp_url } = await checked(asked, service());
      await journal.systemLog.note([{ type: "browser.connected", payload: { by, mode, cdp_url } }]);
      return view();
    },
    async disconnect(by) {
      service();
      if (await browserChoice(journal)) {
        await journal.systemLog.note([{ type: "browser.disconnected", payload: { by } }]);
      }
      return view();
    },
  };
}

type Chosen = { mode: "start" | "connect"; cdp_url: string | null };

/** What could not be used changes nothing. */
async function checked(
  { mode, cdp_url }: ConnectBrowser,
  service: BrowserService,
): Promise<Chosen> {
  const { library, missing } = service.requirements();
  const isLive = (mode ?? (cdp_url ? "connect" : "start")) === "connect";
  if (!isLive) {
    if (cdp_url) throw new ApiError("invalid_request", "cdp_url: only of a live browser (connect)");
    if (missing.length > 0)
      throw new ApiError("conflict", missing.join(" "), { missing: [...missing] });
    return { mode: "start", cdp_url: null };
  }
  if (!cdp_url) throw new ApiError("invalid_request", "cdp_url: the address of the live browser");
  const found = service.address(cdp_url);
  if ("problem" in found) throw new ApiError("invalid_request", `cdp_url: ${found.problem}`);
  if (!library) throw new ApiError("conflict", missing.join(" "), { missing: [...missing] });
  if ((await service.version(found.url)) !== null) return { mode: "connect", cdp_url: found.url };
  const problem = `No browser answers at ${found.url}. Start Chrome with --remote-debugging-port and try again.`;
  throw new ApiError("conflict", problem, { cdp_url: found.url });
}

async function viewOf(
  journal: Journal,
  service: BrowserService,
  choice: BrowserChoice | null,
): Promise<BrowserView> {
  const { library, executable, missing, notes } = service.requirements();
  const isLive = choice?.mode === "connect";
  const version = isLive && choice.cdpUrl !== null ? await service.version(choice.cdpUrl) : null;
  const ready = library && (isLive || executable !== null);
  return {
    mode: choice?.mode ?? null,
    connected: choice !== null,
    cdp_url: choice?.cdpUrl ?? null,
    reachable: choice !== null && (isLive ? version !== null : ready),
    requirements_ok: ready,
    missing: isLive ? missing.filter(() => !library) : [...missing],
    notes: [...notes],
    executable,
    version,
    active_sessions: choice ? await activeSessions(journal) : 0,
    since: choice?.since ?? null,
    by: choice?.by ?? null,
  };
}

/** Counted from the runs that runners hold right now: nobody else knows, and nobody has to remember. */
async function activeSessions(journal: Journal): Promise<number> {
  const sessions = new Set<string>();
  for (const runId of [...(await journal.registry.owned()).values()].flat()) {
    const state = await loadRun(journal, runId);
    if (state && usesBrowser(state)) sessions.add(state.sessionId);
  }
  return sessions.size;
}

function usesBrowser({ items }: RunState): boolean {
  for (const item of values(items)) {
    if (item.kind === "tool" && item.name.startsWith("browser_") && item.attempt > 0) return true;
  }
  return false;
}
