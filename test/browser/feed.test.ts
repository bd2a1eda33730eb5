// One connection per tab: more tabs than a browser has connections to a host, tabs that sleep, lose the
// network, are hidden, or are told something wrong. What they show is what the journal has.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContext, Page, WebSocket } from "playwright-core";
import type { FeedRequest } from "../../src/kernel/api/records/feed.ts";
import type { RunEvent } from "../../src/kernel/events/events.ts";
import { call, startRun } from "../support/http.ts";
import { until } from "../support/until.ts";
import { openWindow, runIs, say } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { foldedTranscript, shownTranscript } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser({ "config.json": { heartbeat_ms: 500, titles: false } });

const addressOf = (sessionId: string) => `${program.url}/s/${encodeURIComponent(sessionId)}`;
const pill = (page: Page, state: string) => page.locator(`header [data-status="${state}"]`);

/** Another tab of the same browser: the same cookie, the same connections per host. */
async function openTab(context: BrowserContext, sessionId: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(addressOf(sessionId));
  return page;
}

/** What the tab asks its feed for. */
function requestsOf(page: Page): FeedRequest[] {
  const asked: FeedRequest[] = [];
  page.on("websocket", (socket) =>
    socket.on("framesent", ({ payload }) => {
      asked.push(JSON.parse(String(payload)) as FeedRequest);
    }),
  );
  return asked;
}

/** Answers that many questions, once they are asked. */
async function sayYes(count: number): Promise<void> {
  type Pending = { readonly pending: readonly { run_id: string; request_id: string }[] };
  const asked = await until(async () => {
    const { pending } = (await call<Pending>(program, "GET", "/api/pending")).body.data;
    return pending.length === count ? pending : null;
  }, "the questions");
  for (const { run_id, request_id } of asked) {
    const path = `/api/runs/${run_id}/clarifications/${request_id}`;
    await call(program, "POST", path, { response: "yes" });
  }
}

async function showsTheJournal(page: Page, sessionId: string): Promise<void> {
  assert.deepEqual(await shownTranscript(page), await foldedTranscript(program, sessionId));
}

test("[L1, V1] nine tabs of one browser are all live, on different sessions, through a killed server", async () => {
  const { page, problems } = await openWindow(browser, program);
  const context = page.context();
  const ids = ["tab-0", "tab-1", "tab-2"];
  for (const session_id of ids) {
    await startRun(program, "pace 40\ncount 100\nclarify Go on? | yes\nsay all said", {
      session_id,
    });
  }
  const tabs: { page: Page; id: string }[] = [];
  for (let n = 0; n < 9; n += 1) {
    const id = ids[n % 3] as string;
    tabs.push({ id, page: await openTab(context, id) });
  }
  for (const tab of tabs) {
    await pill(tab.page, "live").waitFor();
    await tab.page.getByText(/1 2 3 4 5/).waitFor();
  }
  await program.killServer();
  await program.serves();
  await sayYes(ids.length); // only now can the runs end: a tab that says so came back by itself
  for (const tab of tabs) {
    await runIs(tab.page, "completed");
    await pill(tab.page, "live").waitFor();
    await showsTheJournal(tab.page, tab.id);
  }
  // And an ordinary request still gets through from the last of them.
  const last = tabs[8]?.page as Page;
  await say({ page: last, problems }, "say the ninth can talk");
  await last.locator('[data-item="text"]').getByText("the ninth can talk").waitFor();
  const beside = tabs[5]?.page as Page; // the same session
  await beside.locator('[data-item="text"]').getByText("the ninth can talk").waitFor();
  await context.close();
});

test("[L1] going back to a session is instant and live: nothing is read again", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await page.reload(); // the socket is seen from here on
  const asked = requestsOf(page);
  await page.reload();
  await page.locator('[data-page="start"]').waitFor();
  await say(window, "say the first session");
  await runIs(page, "completed");
  const first = decodeURIComponent(new URL(page.url()).pathname.slice(3));
  await page.getByRole("link", { name: "New session" }).first().click();
  await say(window, "say the second session");
  await runIs(page, "completed");
  await startRun(program, "say meanwhile", { session_id: first });
  await page.goBack();
  await page.goBack();
  await page.locator('[data-item="text"]').getByText("meanwhile").waitFor();
  await showsTheJournal(page, first);
  const watches = asked.filter(
    (request) => request.type === "watch" && request.session_id === first,
  );
  assert.equal(watches.length, 1);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[L7, V1] without a network the page says so and how old it is; with one it is live by itself", async () => {
  const first = await openWindow(browser, program);
  const { page } = first;
  await say(first, "pace 30\ncount 60\nsay over");
  const id = decodeURIComponent(new URL(page.url()).pathname.slice(3));
  const second = await openTab(page.context(), id);
  for (const each of [page, second]) await each.getByText(/1 2 3/).waitFor();
  await page.context().setOffline(true);
  for (const each of [page, second]) {
    await each
      .locator("header")
      .getByText(/shown as of/)
      .waitFor();
    await each
      .locator('header [data-status="reconnecting"], header [data-status="offline"]')
      .waitFor();
  }
  await page.context().setOffline(false);
  for (const each of [page, second]) {
    await pill(each, "live").waitFor();
    await runIs(each, "completed");
    await showsTheJournal(each, id);
  }
  await page.context().close();
});

/** Lets a test decide whether the tab is looked at; the page is told as a browser tells it. */
const SIGHT = `{
  let seen = "visible";
  Object.defineProperty(document, "visibilityState", { get: () => seen });
  Object.defineProperty(document, "hidden", { get: () => seen === "hidden" });
  globalThis.setSight = (next) => {
    seen = next;
    document.dispatchEvent(new Event("visibilitychange"));
  };
  // Of the text that streams. What is measured after a drawing belongs to it: it follows within a moment.
  globalThis.changes = 0;
  let last = 0;
  const inText = ({ target }) => (target.closest ? target : target.parentElement)?.closest('[data-item="text"]');
  const changed = (records) => {
    if (!records.some(inText) || performance.now() - last < 250) return;
    last = performance.now();
    globalThis.changes += 1;
  };
  const all = { subtree: true, childList: true, characterData: true };
  addEventListener("DOMContentLoaded", () => new MutationObserver(changed).observe(document.body, all));
}`;

test("[UX] a hidden tab draws at most once a second, and is right the moment it is looked at", async () => {
  const { page, problems } = await openWindow(browser, program);
  await page.addInitScript(SIGHT);
  await startRun(program, "pace 20\ncount 400\nsay seen again", { session_id: "hidden" });
  await page.goto(addressOf("hidden"));
  await page.getByText(/1 2 3 4 5/).waitFor();
  const drawn = () => page.evaluate<number>("globalThis.changes");
  const during = async (ms: number) => {
    const from = await drawn();
    await page.evaluate(`new Promise((resolve) => setTimeout(resolve, ${ms}))`);
    return (await drawn()) - from;
  };
  const looked = await during(1_500);
  await page.evaluate("setSight('hidden')");
  await during(1_100); // what was on its way
  const hidden = await during(3_000);
  assert.ok(looked >= 4, `${looked} drawings in 1.5 s while it is looked at`);
  assert.ok(hidden <= 4, `${hidden} drawings in 3 s while it is not`);
  await page.evaluate("setSight('visible')");
  await runIs(page, "completed");
  await showsTheJournal(page, "hidden");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] hidden for a minute, a tab follows only what it shows, and all of it again when looked at", async () => {
  const { page } = await openWindow(browser, program);
  const asked = requestsOf(page);
  const sockets: WebSocket[] = [];
  page.on("websocket", (socket) => sockets.push(socket));
  await page.clock.install();
  await page.addInitScript(SIGHT);
  for (const session_id of ["rest-a", "rest-b"]) await startRun(program, "say hi", { session_id });
  await page.goto(addressOf("rest-a"));
  await runIs(page, "completed");
  await page.locator('a[href="/s/rest-b"]').first().click();
  await page.locator('[data-item="text"]').getByText("hi").waitFor();
  await page.evaluate("setSight('hidden')");
  for (let seconds = 0; seconds < 55; seconds += 11) {
    assert.ok(!asked.some(({ type }) => type === "unwatch"), "not at once");
    await page.clock.fastForward(11_000);
    const [socket] = sockets.slice(-1);
    await socket?.waitForEvent("framereceived"); // or the jump would look like a dead connection
  }
  await page.clock.fastForward(11_000);
  const changes = () =>
    asked.flatMap((request) => {
      if (request.type === "ping" || request.session_id !== "rest-a") return [];
      return [request.type === "watch" ? `watch after ${request.after > 0}` : request.type];
    });
  await until(() => changes().includes("unwatch"), "the one that is not shown to be let go");
  await page.evaluate("setSight('visible')");
  await until(() => changes().at(-1) === "watch after true", "it to go on where it was");
  assert.ok(!asked.some((one) => one.type === "unwatch" && one.session_id === "rest-b"));
  await page.context().close();
});

for (const [where, options] of [
  ["at full width", {}],
  ["at 390 px", PHONE],
] as const) {
  test(`[L5] a page that was told something wrong repairs itself and says so, ${where}`, async () => {
    const { page, problems } = await openWindow(browser, program, options);
    const session_id = `drift-${where.replaceAll(/\W/g, "-")}`;
    await startRun(program, "say what really was said", { session_id });
    let lying = true;
    const altered = (line: string) => {
      const emitted = JSON.parse(line) as RunEvent | { feed: string };
      if ("feed" in emitted || emitted.type !== "message.user" || !lying) return line;
      return JSON.stringify({
        ...emitted,
        payload: { ...emitted.payload, text: "what never was said" },
      });
    };
    await page.route(/\/past\?/, async (route) => {
      const body = await (await route.fetch()).text();
      const lines = body.split("\n").map((line) => (line === "" ? line : altered(line)));
      lying = false; // only the first time
      await route.fulfill({ body: lines.join("\n") });
    });
    await page.goto(addressOf(session_id));
    await page.locator('header [data-status="drift"]').getByText("Repaired").waitFor();
    await runIs(page, "completed");
    await showsTheJournal(page, session_id);
    assert.ok(!lying, "it was asked for again");
    assert.equal(await page.getByText("what never was said").count(), 0);
    if (where === "at 390 px") await fitsPhone(page);
    assert.equal(problems.length, 1, problems.join("\n"));
    assert.match(problems[0] ?? "", /was not as the journal has it/);
    await page.context().close();
  });
}

test("[L8, L3] a session that is not there, and one whose past cannot be read, are told by the feed", async () => {
  const { page, problems } = await openWindow(browser, program);
  await page.goto(addressOf("never-was"));
  await page.locator('[data-page="missing"]').getByText("There is no session").waitFor();
  assert.deepEqual(problems, []);
  await startRun(program, "say told by the feed alone", { session_id: "no-past" });
  let asked = 0;
  await page.route(/\/past\?/, (route) => {
    asked += 1;
    return route.abort();
  });
  await page.goto(addressOf("no-past"));
  await runIs(page, "completed");
  await pill(page, "live").waitFor();
  await showsTheJournal(page, "no-past");
  assert.equal(asked, 1, "once, and then the feed was asked");
  await page.context().close();
});

test("[L8] a session that is opened in the page is read in one piece too, and once", async () => {
  const { page, problems } = await openWindow(browser, program);
  const read: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith("/past")) read.push(pathname);
  });
  for (const session_id of ["past-a", "past-b"]) {
    await startRun(program, `say in ${session_id}`, { session_id });
  }
  const asked = requestsOf(page);
  await page.goto(addressOf("past-a"));
  await runIs(page, "completed");
  await page.locator('a[href="/s/past-b"]').first().click();
  await page.locator('[data-item="text"]').getByText("in past-b").waitFor();
  await runIs(page, "completed");
  await showsTheJournal(page, "past-b");
  assert.deepEqual(read, ["/api/sessions/past-a/past", "/api/sessions/past-b/past"]);
  const watches = asked.flatMap((request) => (request.type === "watch" ? [request] : []));
  assert.deepEqual(
    watches.map(({ session_id, after }) => [session_id, after > 0]),
    [
      ["past-a", true],
      ["past-b", true],
    ],
  );
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[L6] the list of sessions follows what happens elsewhere, without asking for it", async () => {
  const { page, problems } = await openWindow(browser, program);
  await page.waitForLoadState("networkidle"); // the lists of its beginning
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await startRun(program, "say unasked", { session_id: "elsewhere" });
  const row = page.getByRole("link", { name: /say unasked/ });
  await row.waitFor();
  assert.ok(!asked.includes("/api/sessions"), asked.join(" "));
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] on a phone, too, there is a way from a session that is not there to those that are", async () => {
  const { page, problems } = await openWindow(browser, program, PHONE);
  await page.goto(addressOf("never-was"));
  await page.locator('[data-page="missing"]').waitFor();
  await fitsPhone(page);
  await page.getByRole("button", { name: "Sessions", exact: true }).click();
  await page.getByRole("link", { name: "New session", exact: true }).waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});
