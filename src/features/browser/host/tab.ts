// One session's tab, and what its page does without being asked: dialogs are dismissed, other tabs closed, downloads
// refused, and all of it is told with the next answer. A page that does not stop is closed.
import { setTimeout as delay } from "node:timers/promises";
import type { Dialog, Page } from "playwright-core";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { hostOf } from "../../../kernel/run/permissions/permission-places.ts";
import { settlesWithin } from "../../../kernel/workspace/processes/settles-within.ts";
import { BrowserError } from "./frames.ts";
import type { OpenBrowser } from "./launch.ts";

const MAX_ADDRESS = 8_192;
const MAX_NOTES = 10;
const MAX_DIALOGS = 20; // in one call: a page that asks more often asks for ever
const MAX_POPUPS = 20;
const CLOSE_MS = 2_000;
const SOON_MS = 150; // for a click to become a navigation
const NAVIGATION_MS = 10_000;
const LOAD_MS = 5_000;

export class Tab {
  readonly page: Page;
  /** Why it is gone; undefined while it is there. */
  gone: string | undefined;
  lastUsed = 0;
  /** Hosts that a call in this tab was allowed for: only their pages are read (BR3). */
  readonly #allowed = new Set<string>();
  readonly #place: AsyncDisposable;
  readonly #refused: Map<string, string>;
  #notes: string[] = [];
  #unsaid = 0;
  #dialogs = 0;
  #popups = 0;
  #navigating = false;

  private constructor(page: Page, place: AsyncDisposable, refused: Map<string, string>) {
    this.page = page;
    this.#place = place;
    this.#refused = refused;
    page.on("dialog", (dialog) => void this.#dialog(dialog).catch(() => undefined));
    page.on("popup", (popup) => this.#popup(popup));
    page.on("download", (download) => {
      this.note(`A download was refused: ${download.suggestedFilename()}`);
      void download.cancel().catch(() => undefined);
    });
    page.on("crash", () => void this.close("The page crashed."));
    page.on("close", () => (this.gone ??= "The tab was closed."));
    this.#followNavigation();
  }

  static async open({ context: newContext, mode }: OpenBrowser): Promise<Tab> {
    const refused = new Map<string, string>();
    const place = await newContext((host, why) => {
      if (refused.size < MAX_NOTES) refused.set(host, why);
    });
    try {
      const tab = new Tab(await place.context.newPage(), place, refused);
      // What has no opener is nobody's popup. In a person's own browser such a tab is theirs.
      if (mode === "start") place.context.on("page", (page) => tab.#popup(page));
      return tab;
    } catch (error) {
      await place[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** As much of it as anybody needs to see. */
  get address(): string {
    return this.page.url().slice(0, MAX_ADDRESS);
  }

  get host(): string | null {
    const { protocol } = URL.parse(this.page.url()) ?? {};
    if (protocol !== "http:" && protocol !== "https:") return null;
    return hostOf(this.page.url()) ?? null;
  }

  allow(host: string | undefined): void {
    if (host !== undefined) this.#allowed.add(host);
  }

  /** Whether its page may be read. */
  get isAllowed(): boolean {
    return this.host !== null && this.#allowed.has(this.host);
  }

  /** A call begins: what the page may do without an end is counted anew. */
  begin(now: number): void {
    this.lastUsed = now;
    this.#dialogs = 0;
    this.#popups = 0;
  }

  note(text: string): void {
    if (this.#notes.length >= MAX_NOTES) this.#unsaid += 1;
    else this.#notes.push(visibleLine(text).slice(0, 500));
  }

  /** What happened since it was last asked. */
  takeNotes(): string[] {
    for (const why of this.#refused.values()) this.note(`Not loaded: ${why}`);
    this.#refused.clear();
    const notes = this.#notes;
    if (this.#unsaid > 0) notes.push(`And ${this.#unsaid} more things like that.`);
    this.#notes = [];
    this.#unsaid = 0;
    return notes;
  }

  /** Why the guard let nothing through, where it did not. */
  takeRefusal(): string | undefined {
    const [why] = this.#refused.values();
    this.#refused.clear();
    return why;
  }

  /** Lets what an action began come to an end, as far as pages do. */
  async settled(signal: AbortSignal): Promise<void> {
    await delay(SOON_MS, undefined, { signal });
    if (this.#navigating) {
      const arrived = this.page.waitForEvent("framenavigated", {
        predicate: (frame) => frame === this.page.mainFrame(),
        timeout: NAVIGATION_MS,
      });
      await arrived.catch(() => undefined);
    }
    await this.page.waitForLoadState("load", { timeout: LOAD_MS }).catch(() => undefined);
    signal.throwIfAborted();
  }

  /** After an address that did not open: Chrome's own page about that comes late, and would cut off the next one. */
  async clear(): Promise<void> {
    for (let tries = 0; tries < 3; tries += 1) {
      const blank = this.page.goto("about:blank", { timeout: CLOSE_MS });
      if (
        await blank.then(
          () => true,
          () => false,
        )
      )
        return;
    }
    await this.close("It could not be brought back from an address that did not open.");
  }

  /** An answer of the page, or the end of a page that does not answer. */
  async within<Value>(ms: number, asked: Promise<Value>): Promise<Value> {
    if (await settlesWithin(asked, ms)) return asked;
    asked.catch(() => undefined);
    const problem = `The page did not answer within ${ms / 1_000} s, so it was closed.`;
    await this.close(problem);
    throw new BrowserError("page_hung", `${problem} Open it again if you need it.`);
  }

  async close(why: string): Promise<void> {
    this.gone ??= why;
    await settlesWithin(this.page.close(), CLOSE_MS);
    await settlesWithin(Promise.resolve(this.#place[Symbol.asyncDispose]()), CLOSE_MS);
  }

  async #dialog(dialog: Dialog): Promise<void> {
    this.#dialogs += 1;
    const leaving = dialog.type() === "beforeunload";
    if (!leaving) this.note(`A dialog (${dialog.type()}) was dismissed: ${dialog.message()}`);
    if (this.#dialogs > MAX_DIALOGS) return this.close("It opened one dialog after another.");
    await (leaving ? dialog.accept() : dialog.dismiss());
  }

  #popup(popup: Page): void {
    if (popup === this.page || popup.isClosed()) return;
    this.#popups += 1;
    const url = popup.url();
    this.note(
      `It opened another tab (${url}), which was closed. Open that address if you want it.`,
    );
    void popup.close().catch(() => undefined);
    if (this.#popups > MAX_POPUPS) void this.close("It opened one tab after another.");
  }

  #followNavigation(): void {
    const isMain = (frame: unknown) => frame === this.page.mainFrame();
    this.page.on("request", (request) => {
      if (request.isNavigationRequest() && isMain(request.frame())) this.#navigating = true;
    });
    this.page.on("requestfailed", (request) => {
      if (request.isNavigationRequest() && isMain(request.frame())) this.#navigating = false;
    });
    this.page.on("framenavigated", (frame) => {
      if (isMain(frame)) this.#navigating = false;
    });
  }
}
