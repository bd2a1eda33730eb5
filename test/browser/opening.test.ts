// A long session opens with the fold a server kept of it; its events come afterwards. What is shown is what
// the journal has, at once, and at every moment of its past.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { startRun } from "../support/http.ts";
import { until } from "../support/until.ts";
import { REDUCER_VERSION } from "../../src/kernel/events/version.ts";
import { openWindow, runIs } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { browser, inBrowser, program } from "./support/suite.ts";
import { foldedTranscript, shownTranscript } from "./support/transcript.ts";

inBrowser({ "config.json": { heartbeat_ms: 300, titles: false } });

const historyOf = (sessionId: string) =>
  `/api/sessions/${encodeURIComponent(sessionId)}/past?fold=${REDUCER_VERSION}`;

/** A session that somebody has watched: the server has kept its fold. */
async function watchedSession(name: string): Promise<string> {
  const { session_id } = await startRun(
    program,
    ["pace 2", "list .", "count 700", "say the end of it"].join("\n"),
    { session_id: name },
  );
  const { page } = await openWindow(browser, program);
  await page.goto(`${program.url}/s/${session_id}`);
  await runIs(page, "completed");
  const headers = { authorization: `Bearer ${program.token}` };
  await until(async () => {
    const past = await fetch(`${program.url}${historyOf(session_id)}`, { headers });
    return (await past.text()).includes('{"feed":"fold"');
  }, "the fold to be kept");
  await page.context().close();
  return session_id;
}

async function opened(sessionId: string, options: BrowserContextOptions = {}) {
  const window = await openWindow(browser, program, options);
  const asked = window.page.waitForRequest((request) =>
    request.url().endsWith(historyOf(sessionId)),
  );
  await window.page.goto(`${program.url}/s/${sessionId}`);
  await runIs(window.page, "completed");
  await asked; // with the fold, as long as the page was built with the server's reducer
  return window;
}

const moveTo = async (page: Page, moment: number) => {
  await page.getByRole("slider", { name: "Moment" }).fill(String(moment));
  await page.getByText(`Event ${moment} of`).waitFor();
};

for (const [width, options] of Object.entries({ wide: {}, phone: PHONE })) {
  test(`[L8, V1, V2] opened with a fold, ${width}: the text is the journal's, and so is every moment`, async () => {
    const sessionId = await watchedSession(`long-${width}`);
    const { page, problems } = await opened(sessionId, options);
    assert.deepEqual(await shownTranscript(page), await foldedTranscript(program, sessionId));
    await moveTo(page, 1);
    await page.locator('[role="log"] [data-item="text"]').waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Back to now" }).click();
    await page.getByText("the end of it").last().waitFor();

    await startRun(program, "say and then more", { session_id: sessionId });
    await page.locator('[data-item="text"]').getByText("and then more").waitFor();
    assert.deepEqual(await shownTranscript(page), await foldedTranscript(program, sessionId));
    if (width === "phone") await fitsPhone(page);
    assert.deepEqual(problems, []);
    await page.context().close();
  });
}

test("[L8, V2] a link to a moment of a long session shows that moment as soon as it can", async () => {
  const sessionId = await watchedSession("long-link");
  const { page, problems } = await openWindow(browser, program);
  await page.goto(`${program.url}/s/${sessionId}?at=5`);
  await page.getByText("Event 5 of").waitFor();
  await page.locator('[role="log"] [data-item="user"]').waitFor();
  assert.equal(await page.locator('[role="log"] [data-item="text"]').count(), 0);
  assert.deepEqual(problems, []);
  await page.context().close();
});

const VIEWS: Readonly<Record<string, (page: Page) => Locator>> = {
  tree: (page) => page.getByRole("tabpanel").getByText("list").first(),
  timeline: (page) => page.getByRole("treegrid", { name: "Spans by lane" }).getByRole("gridcell"),
  events: (page) => page.getByRole("tabpanel").getByText("tool.intent").first(),
};
for (const [view, part] of Object.entries(VIEWS)) {
  test(`[L8] the ${view} of a session that opens with a fold is there with its events`, async () => {
    const sessionId = await watchedSession(`long-${view}`);
    const { page, problems } = await openWindow(browser, program);
    await page.goto(`${program.url}/s/${sessionId}?view=${view}`);
    await part(page).first().waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });
}

test("[L8, UX] while its events are on their way the chat is there, and whatever needs them says so", async () => {
  const sessionId = await watchedSession("long-way");
  const { page, problems } = await openWindow(browser, program, PHONE);
  const arrived = Promise.withResolvers<void>();
  await page.route(/\/past\?to=/, async (route) => {
    await arrived.promise;
    await route.continue();
  });
  await page.goto(`${program.url}/s/${sessionId}`);
  await page.locator('[data-item="text"]').getByText("the end of it").waitFor();
  await page.goto(`${program.url}/s/${sessionId}?view=tree`);
  await page
    .getByRole("status")
    .getByText(/^Reading .* events…$/)
    .waitFor();
  await fitsPhone(page);
  await page.goto(`${program.url}/s/${sessionId}?at=3`);
  await page
    .getByRole("status")
    .getByText(/^Reading .* events…$/)
    .waitFor();
  arrived.resolve();
  await page.locator('[role="log"] [data-item="user"]').waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});
