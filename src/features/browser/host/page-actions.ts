// What can be done in a tab. Actions happen only on the host that the call was allowed for, and only pages of hosts that
// some call was allowed for are read; what an action led to elsewhere is named and not read (BR3).
import type { Locator } from "playwright-core";
import { hostOf } from "../../../kernel/run/permissions/permission-places.ts";
import {
  AddressRefused,
  createResolver,
  HostNotFound,
} from "../../../kernel/run/web/resolve-host.ts";
import { BrowserError, type BrowserAction, type PageAnswer } from "./frames.ts";
import { pageText } from "./page-text.ts";
import type { Tab } from "./tab.ts";

export type Doing = {
  readonly tab: Tab;
  readonly signal: AbortSignal;
  readonly allowPrivateHosts: readonly string[];
  /** Throws when the claim ran out: nothing begins then. */
  readonly mayBegin: () => void;
};
type RequestOf<Name extends BrowserAction["action"]> = Extract<BrowserAction, { action: Name }>;

const OPEN_MS = 30_000;
const READY_MS = 3_000; // for an element to be there and free
const ACT_MS = 5_000;
const LOOK_MS = 8_000;
const MAX_HEIGHT = 8_000;
const MAX_PNG = 15_000_000;

export async function perform(request: BrowserAction, doing: Doing): Promise<PageAnswer> {
  switch (request.action) {
    case "open":
      return open(request, doing);
    case "read":
      expectAllowed(doing.tab);
      return { ...(await look(doing, request.selector)), status: null };
    case "click":
      return click(request, doing);
    case "type":
      return type(request, doing);
    case "screenshot":
      return screenshot(request, doing);
  }
}

async function open({ url }: RequestOf<"open">, doing: Doing): Promise<PageAnswer> {
  const { tab, signal } = doing;
  const address = URL.parse(url);
  if (address?.protocol !== "http:" && address?.protocol !== "https:")
    throw new BrowserError("invalid_url", "Only http and https addresses can be opened.");
  if (address.username !== "" || address.password !== "")
    throw new BrowserError("invalid_url", "Addresses with a user name are not opened.");
  await checkAddress(address, doing);
  doing.mayBegin();
  tab.allow(hostOf(address.href));
  let status: number | null = null;
  try {
    const wanted = { waitUntil: "domcontentloaded", timeout: OPEN_MS, signal } as const;
    status = (await tab.page.goto(address.href, wanted))?.status() ?? null;
  } catch (error) {
    signal.throwIfAborted();
    const problem = notOpened(error as Error, tab);
    await tab.clear();
    throw problem;
  }
  await tab.settled(signal);
  return { ...(await look(doing)), status };
}

async function checkAddress(address: URL, { allowPrivateHosts }: Doing): Promise<void> {
  try {
    await createResolver({ allowPrivateHosts })(address.hostname);
  } catch (error) {
    if (error instanceof AddressRefused) throw new BrowserError("address_refused", error.message);
    if (error instanceof HostNotFound) throw new BrowserError("host_not_found", error.message);
    throw error;
  }
}

function notOpened(error: Error, tab: Tab): BrowserError {
  const refusal = tab.takeRefusal();
  if (refusal !== undefined) return new BrowserError("address_refused", refusal);
  if (error.name === "TimeoutError") {
    const late = `The page did not come within ${OPEN_MS / 1_000} s; it may have had its effect.`;
    return new BrowserError("no_answer", late);
  }
  if (error.message.includes("Download is starting")) {
    return new BrowserError("navigation_failed", "It is a download, which is refused.");
  }
  const [line = ""] = error.message.replace(/^page\.goto: /, "").split("\n");
  const also = tab.takeNotes().join(" ");
  return new BrowserError("navigation_failed", `${line} ${also}`.trim().slice(0, 1_000));
}

async function click({ host, target }: RequestOf<"click">, doing: Doing): Promise<PageAnswer> {
  const { tab, signal } = doing;
  expectHost(tab, host);
  const element = await elementOf(target, doing);
  try {
    await element.click({ trial: true, timeout: READY_MS, signal });
  } catch (error) {
    throw notReady(error as Error, target, doing);
  }
  expectHost(tab, host); // it may have gone on while it was waited for
  doing.mayBegin();
  await acted(element.click({ timeout: ACT_MS, signal }), "click", doing);
  return after(doing);
}

async function type(request: RequestOf<"type">, doing: Doing): Promise<PageAnswer> {
  const { tab, signal } = doing;
  const { host, target, text, submit } = request;
  expectHost(tab, host);
  const element = await elementOf(target, doing);
  const tag = await tab.within(
    LOOK_MS,
    element.evaluate(({ nodeName }) => nodeName),
  );
  const isChoice = String(tag).toUpperCase() === "SELECT";
  if (
    !isChoice &&
    !(await tab.within(
      LOOK_MS,
      element.isEditable().catch(() => false),
    ))
  ) {
    throw new BrowserError("no_element", `Nothing can be typed into ${target}.`);
  }
  expectHost(tab, host); // it may have gone on while it was looked at
  doing.mayBegin();
  const options = { timeout: ACT_MS, signal };
  const typing = isChoice ? element.selectOption(text, options) : element.fill(text, options);
  await acted(typing, "typing", doing);
  if (submit) {
    expectHost(tab, host);
    await acted(element.press("Enter", options), "Enter", doing);
  }
  return after(doing);
}

async function screenshot(request: RequestOf<"screenshot">, doing: Doing): Promise<PageAnswer> {
  const { tab, signal } = doing;
  expectAllowed(tab);
  const { page } = tab;
  const clip = request.full_page ? await wholePage(tab) : undefined;
  const options = { type: "png", timeout: LOOK_MS, signal, animations: "disabled" } as const;
  const shot = page.screenshot(clip ? { ...options, fullPage: true, clip } : options);
  const png = await tab.within(2 * LOOK_MS, shot);
  if (png.byteLength > MAX_PNG) throw new BrowserError("too_large", "The picture is too large.");
  expectAllowed(tab); // what was drawn is what was allowed
  const title = await titleOf(tab);
  const about = { url: tab.address, host: tab.host, title, status: null, notes: tab.takeNotes() };
  return { ...about, text: null, truncated: clip?.cut === true, png: png.toString("base64") };
}

/** A page can be endless: its picture is not. */
async function wholePage(tab: Tab) {
  const size = await tab.within(
    LOOK_MS,
    tab.page.evaluate(
      "[document.documentElement.clientWidth, document.documentElement.scrollHeight]",
    ),
  );
  const [width, height] = (Array.isArray(size) ? size : []).map(Number);
  const bounded = (value: number | undefined, most: number) =>
    Math.min(Math.max(1, Math.ceil(value || 1)), most);
  const [w, h] = [bounded(width, 4_000), bounded(height, MAX_HEIGHT)];
  return { x: 0, y: 0, width: w, height: h, cut: (height ?? 0) > MAX_HEIGHT };
}

/** The call was decided on this host: the page must be there. */
function expectHost(tab: Tab, wanted: string): void {
  const host = webHost(tab);
  if (host !== hostOf(`http://${wanted}`)) {
    const where = `The page is at ${host} now, not at ${wanted}, so nothing was done.`;
    throw new BrowserError("other_host", `${where} Say host ${host} if that is the page you mean.`);
  }
  tab.allow(host);
}

function expectAllowed(tab: Tab): void {
  const host = webHost(tab);
  if (tab.isAllowed) return;
  const where = `The page went to ${host}, which nobody has allowed yet, so it was not read.`;
  throw new BrowserError("other_host", `${where} Open ${tab.address} if you want it.`);
}

function webHost({ host }: Tab): string {
  if (host !== null) return host;
  throw new BrowserError("page_gone", "The tab shows no page of the web. Open an address first.");
}

type Found = NonNullable<Awaited<ReturnType<Locator["elementHandle"]>>>;
const REF = /^(?:f\d+)?e\d+$/;

/**
 * The element itself, and not a way to find it: what is looked for again while a page goes on would be found, and
 * clicked, on a page of another host.
 */
async function elementOf(target: string, { tab }: Doing): Promise<Found> {
  const element = tab.page.locator(REF.test(target) ? `aria-ref=${target}` : target);
  const count = await tab.within(
    LOOK_MS,
    element.count().catch((error: Error) => error.message.split("\n")[0] ?? "wrong"),
  );
  const taken = async () => element.elementHandle({ timeout: READY_MS }).catch(() => null);
  const handle = count === 1 ? await tab.within(LOOK_MS, taken()) : null;
  if (handle) return handle;
  if (typeof count === "string")
    throw new BrowserError("no_element", `${target} cannot be looked for: ${count.slice(0, 300)}`);
  const many = count < 2 ? "Nothing on the page is" : `${count} elements of the page are`;
  throw new BrowserError("no_element", `${many} ${target}. Read the page again and use a ref.`);
}

function notReady(error: Error, target: string, { tab, signal }: Doing): BrowserError {
  signal.throwIfAborted();
  if (tab.gone !== undefined) return new BrowserError("page_gone", tab.gone);
  const why = /intercepts pointer events/.test(error.message)
    ? "something covers it"
    : "it is not visible, enabled and still";
  return new BrowserError("no_element", `${target} could not be clicked: ${why}.`);
}

/** Once it was sent, a page that does not answer may have done it all the same. */
async function acted(
  action: Promise<unknown>,
  what: string,
  { tab, signal }: Doing,
): Promise<void> {
  try {
    await tab.within(ACT_MS + 2_000, action);
  } catch (error) {
    signal.throwIfAborted();
    if (!tab.page.context().browser()?.isConnected()) throw error; // unknown, and told so
    const why = tab.gone ?? "The page did not answer in time.";
    const words = `The ${what} was sent, and it may have had its effect. ${why} Look before you repeat it.`;
    throw new BrowserError("no_answer", words);
  }
}

async function after(doing: Doing): Promise<PageAnswer> {
  const { tab, signal } = doing;
  await tab.settled(signal);
  try {
    return { ...(await look(doing)), status: null };
  } catch (error) {
    signal.throwIfAborted();
    // What was done is done: that the page cannot be read is another matter.
    if (!(error instanceof BrowserError)) throw error;
    const notes = [...tab.takeNotes(), `The page could not be read afterwards: ${error.message}`];
    const about = { url: tab.address, host: tab.host, title: null, status: null };
    return { ...about, text: null, truncated: false, notes };
  }
}

/** The page as it is now. Of a host that nobody allowed only the address is told. */
async function look({ tab }: Doing, selector?: string): Promise<Omit<PageAnswer, "status">> {
  if (tab.gone !== undefined) throw new BrowserError("page_gone", tab.gone);
  const { host } = tab;
  const url = tab.address;
  if (!tab.isAllowed) {
    const place = host ?? "a place that is no page of the web";
    const elsewhere = `It led to ${place}. Nothing of that page was read: open its address if you want it.`;
    const notes = [...tab.takeNotes(), elsewhere];
    return { url, host, title: null, text: null, truncated: false, notes };
  }
  const { text, truncated } = await tab.within(LOOK_MS, pageText(tab.page, selector));
  const title = await titleOf(tab);
  expectAllowed(tab); // it may have gone on while it was read
  return { url: tab.address, host, title, text, truncated, notes: tab.takeNotes() };
}

async function titleOf(tab: Tab): Promise<string> {
  return (await tab.within(LOOK_MS, tab.page.title())).slice(0, 500);
}
