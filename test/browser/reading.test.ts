// Where the view stands, and what has the focus: nothing moves from under a reader, and what is opened over
// the page has the keys.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { call } from "../support/http.ts";
import { openWindow, runIs, say } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { sessionOf } from "./support/screens.ts";
import { sessionEvents } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const steps = (from: number) =>
  Array.from({ length: 12 }, (_, at) => `say step ${from + at}\nread missing-${from + at}`);
const status = (page: Page, is: "following" | "reading") =>
  page.locator(`[role="log"][data-status="${is}"]`).waitFor();
/** Until the page has drawn that often: what it does by itself is done by then. */
const frames = (page: Page, count: number) =>
  page.evaluate(
    `new Promise((done) => { let left = ${count}; const next = () => (left-- > 0 ? requestAnimationFrame(next) : done()); next(); })`,
  );

test("[UX] a view that moves by itself loses nobody the end; who sends something is taken to it", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  const script = ["pace 0", ...steps(0), "clarify Shall I go on? | yes", ...steps(12)];
  await say(window, script.join("\n"));
  await page.getByRole("button", { name: "yes", exact: true }).waitFor();
  await status(page, "following");
  await page.evaluate("document.querySelector('[role=log]').scrollTop -= 400");
  await frames(page, 5);
  await status(page, "following");
  await page.getByRole("button", { name: "yes", exact: true }).click();
  await runIs(page, "completed");
  await page.getByText("step 23").waitFor();
  await status(page, "following");

  await page.getByRole("log").hover();
  await page.mouse.wheel(0, -900);
  await status(page, "reading");
  await page.getByRole("textbox", { name: "Message" }).fill("say mine");
  await page.keyboard.press("Enter");
  await status(page, "following");
  await page.locator('[data-item="text"]').getByText("mine").waitFor();
  await status(page, "following");
  assert.deepEqual(window.problems, []);
  await page.context().close();
});

test("[UX] what a link opened stays where it is when something above it grows late", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, ["pace 0", ...steps(0), "say the one", ...steps(12)].join("\n"));
  await runIs(page, "completed");
  const events = await sessionEvents(program, sessionOf(page));
  const said = events.find(
    ({ type, payload }) => type !== "message.user" && JSON.stringify(payload).includes("the one"),
  );
  assert.ok(said);
  await page.goto(`${program.url}/s/${sessionOf(page)}/r/${said.run_id}?seq=${said.seq}`);
  const selected = page.locator("[data-selected]");
  await selected.getByText("the one").waitFor();
  await frames(page, 60); // it has been brought into view
  const before = await selected.boundingBox();
  const grow = `(() => {
    const row = document.querySelector("[data-selected]").closest("[data-index]");
    const above = document.querySelector('[data-index="' + (row.dataset.index - 1) + '"]');
    above.firstElementChild.style.minHeight = "240px";
  })()`;
  await page.evaluate(grow);
  await frames(page, 10);
  const later = await selected.boundingBox();
  assert.ok(before && later && Math.abs(before.y - later.y) <= 2, `${before?.y} and ${later?.y}`);

  await page.getByRole("button", { name: /new|To the end/ }).click();
  await status(page, "following");
  await frames(page, 10);
  await status(page, "following");
  assert.deepEqual(window.problems, []);
  await page.context().close();
});

test("[UX] the drawer of a phone has the focus and the keys until it is closed", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page } = window;
  await say(window, "pace 20\ncount 5000");
  await page.getByText(/1 2 3/).waitFor();
  const opener = page.getByRole("button", { name: "Sessions" });
  await opener.click();
  const inDrawer = `document.activeElement?.closest("nav")?.getAttribute("aria-label") ?? ""`;
  assert.equal(await page.evaluate(inDrawer), "Sessions");
  assert.equal(await page.evaluate("document.getElementById('main').inert"), true);
  await page.keyboard.press("Escape");
  await page.locator('nav[data-status="closed"]').waitFor({ state: "attached" });
  assert.equal(await page.evaluate("document.getElementById('main').inert"), false);
  assert.equal(
    await page.evaluate("document.activeElement.getAttribute('aria-label')"),
    "Sessions",
  );
  await runIs(page, "running"); // Escape was the drawer's
  await page.getByRole("button", { name: "Stop" }).click();
  await runIs(page, "cancelled");
  await fitsPhone(page);
  assert.deepEqual(window.problems, []);
  await page.context().close();
});

test("[UX] a deleted session that is still open says so, and is brought back from there", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "say kept");
  await runIs(page, "completed");
  await call(program, "POST", `/api/sessions/${sessionOf(page)}/settings`, { deleted: true });
  const bar = page.getByRole("status").filter({ hasText: "This session was deleted." });
  await bar.waitFor();
  await page.reload();
  await bar.getByRole("button", { name: "Restore" }).click();
  await bar.waitFor({ state: "detached" });
  await page.goto(`${page.url()}?panel=files&path=nowhere.txt`);
  const file = page.getByRole("region", { name: "File" });
  await file.getByText("There is no such file.").waitFor();
  assert.equal(await file.getByRole("button", { name: "Try again" }).count(), 0);
  await page.context().close();
});

test("[UX] what was said to a run that works is shown once: where it can be changed, then where it was said", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "clarify Shall we? | yes\nsay over");
  await page.getByRole("button", { name: "yes", exact: true }).waitFor();
  await page.getByText("Steer", { exact: true }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("please be brief");
  await page.keyboard.press("Enter");
  const list = page.getByRole("region", { name: "Queued messages" });
  await list.getByText("please be brief").waitFor();
  await page.getByRole("log").getByText("not read yet").waitFor();
  assert.equal(await page.getByText("please be brief", { exact: true }).count(), 1);
  await page.getByRole("button", { name: "yes", exact: true }).click();
  await runIs(page, "completed");
  await page.getByRole("log").getByText("please be brief", { exact: true }).waitFor();
  assert.deepEqual(window.problems, []);
  await page.context().close();
});
