// The tabs of a browser, one for each session, one call at a time in each. There are only so many: the one that was
// used longest ago goes, and its session is told when it asks again.
import { BrowserError } from "./frames.ts";
import type { OpenBrowser } from "./launch.ts";
import { Tab } from "./tab.ts";

export const MAX_TABS = 8;
const MAX_EMITTED = 100;
const NO_PAGE = "There is no page: open an address with browser_open first.";

export type TabUse = {
  readonly signal: AbortSignal;
  /** Whether a tab is made where there is none. */
  readonly creates: boolean;
};
type Held = {
  tab: Tab | undefined;
  opening: boolean; // it counts before it is there: many may be opened at once
  queue: Promise<unknown>;
  waiting: number;
};

export class Tabs implements AsyncDisposable {
  readonly #browser: OpenBrowser;
  readonly #held = new Map<string, Held>();
  #used = 0;

  constructor(browser: OpenBrowser) {
    this.#browser = browser;
  }

  async use<Value>(name: string, how: TabUse, work: (tab: Tab) => Promise<Value>): Promise<Value> {
    const mine = this.#held.get(name) ?? newHeld();
    this.#held.set(name, mine);
    mine.waiting += 1;
    const turn = mine.queue.then(() => this.#work(mine, how, work));
    mine.queue = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      mine.waiting -= 1;
      if (mine.waiting === 0 && mine.tab === undefined) this.#held.delete(name);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const tabs = [...this.#held.values()].flatMap(({ tab }) => tab ?? []);
    await Promise.all(tabs.map((tab) => tab.close("The browser was closed.")));
  }

  async #work<Value>(
    mine: Held,
    { signal, creates }: TabUse,
    work: (tab: Tab) => Promise<Value>,
  ): Promise<Value> {
    signal.throwIfAborted();
    const tab = await this.#tabOf(mine, creates);
    tab.begin((this.#used += 1));
    // Whatever is under way in a page that nobody waits for any more must not go on.
    const stop = () => void tab.close("It was closed because the run was stopped.");
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await work(tab);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async #tabOf(holder: Held, creates: boolean): Promise<Tab> {
    if (holder.tab && holder.tab.gone === undefined) return holder.tab;
    if (!creates) {
      const why = holder.tab?.gone;
      throw new BrowserError("page_gone", why === undefined ? NO_PAGE : `${why} Open it again.`);
    }
    holder.opening = true;
    try {
      await this.#makeRoom(holder);
      return (holder.tab = await Tab.open(this.#browser));
    } finally {
      holder.opening = false;
    }
  }

  async #makeRoom(mine: Held): Promise<void> {
    this.#forgetGone();
    const live = [...this.#held.values()].filter(
      (each) => each !== mine && (each.opening || (each.tab && each.tab.gone === undefined)),
    );
    if (live.length < MAX_TABS) return;
    const idle = live.flatMap(({ tab, waiting }) =>
      tab && tab.gone === undefined && waiting === 0 ? [tab] : [],
    );
    if (idle.length === 0) {
      throw new BrowserError("browser_error", `All ${MAX_TABS} tabs are in use. Try again later.`);
    }
    const oldest = idle.reduce((a, b) => (b.lastUsed < a.lastUsed ? b : a));
    const why = `Its tab was closed: only ${MAX_TABS} can be open, and others were used later.`;
    await oldest.close(why);
  }

  /** Why a tab is gone is worth telling, and not for ever. */
  #forgetGone(): void {
    const gone = [...this.#held].filter(
      ([, { tab, waiting }]) => waiting === 0 && tab?.gone !== undefined,
    );
    for (const [name] of gone.slice(0, Math.max(0, gone.length - MAX_EMITTED))) {
      this.#held.delete(name);
    }
  }
}

function newHeld(): Held {
  return { tab: undefined, opening: false, queue: Promise.resolve(), waiting: 0 };
}
