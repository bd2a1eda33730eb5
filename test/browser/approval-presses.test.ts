// A key or a press answers what a person has before their eyes and meant: nothing else is allowed by it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestRecord } from "../../src/kernel/api/records/inbox.ts";
import { call } from "../support/http.ts";
import { until } from "../support/until.ts";
import { openWindow, runIs, say } from "./support/browser.ts";
import { sessionEvents } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const pendingIn = async (sessionId: string) => {
  const { body } = await call<{ pending: RequestRecord[] }>(program, "GET", "/api/pending");
  return body.data.pending.filter((request) => request.session_id === sessionId);
};
const sessionOf = (url: string) => decodeURIComponent(new URL(url).pathname.slice(3));

test("[UX, S] keys answer the card that waits longest: no letter alone, nothing before all was shown", async () => {
  const window = await openWindow(browser, program, { viewport: { width: 1280, height: 1400 } });
  const { page, problems } = window;
  await say(window, `exec echo ${"word ".repeat(300)}`);
  const card = page.getByRole("region", { name: "Approval" });
  await card.getByRole("button", { name: "Show all of it to decide" }).waitFor();
  await page.getByRole("log").focus();
  await page.keyboard.press("Alt+a");
  await page.keyboard.press("Alt+s");
  assert.equal(await card.count(), 1, "it was not allowed unseen");
  await card.getByRole("button", { name: "Show all of it to decide" }).click();
  await page.getByRole("log").focus();
  await page.keyboard.type("asd");
  assert.equal(await card.getAttribute("data-status"), "open", "a letter alone is no answer");
  await page.keyboard.press("Alt+a");
  await page.getByText("Allowed once").waitFor();
  await runIs(page, "completed");

  await say(window, "exec echo twice\nexec echo twice");
  await card.locator("pre").getByText("echo twice").waitFor();
  assert.equal(
    await card.getByRole("button", { name: "Allow in this" }).getAttribute("aria-keyshortcuts"),
    "Alt+S",
  );
  await page.keyboard.press("Alt+s");
  await page.getByText("Allowed in this session").waitFor();
  await runIs(page, "completed"); // the second is not asked about
  await say(window, "exec echo never");
  await card.locator("pre").getByText("echo never").waitFor();
  await page.keyboard.press("Alt+d");
  await page.locator('article[data-status="denied"]').waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[S, UX] who goes on typing after the first message writes in the session and allows nothing", async () => {
  const { page, problems } = await openWindow(browser, program);
  const held = Promise.withResolvers<void>();
  await page.route("**/api/sessions/*/messages", (route) =>
    held.promise.then(() => route.continue()),
  );
  await page.route("**/api/runs", (route) => held.promise.then(() => route.continue()));
  await page.getByRole("textbox", { name: "Message" }).click();
  await page.keyboard.type("exec echo unmeant");
  await page.keyboard.press("Enter");
  await page.keyboard.type("a sad ");
  held.resolve();
  await page.waitForURL(/\/s\//);
  await page.locator("#composer:focus").waitFor();
  const card = page.getByRole("region", { name: "Approval" });
  await card.waitFor();
  await page.keyboard.type("day");
  assert.equal(await page.locator("#composer").inputValue(), "a sad day");
  assert.equal(await card.getAttribute("data-status"), "open");
  const events = await sessionEvents(program, sessionOf(page.url()));
  assert.equal(events.filter(({ type }) => type === "tool.started").length, 0);
  await page.goto(program.url);
  await page.locator('[data-page="start"]').waitFor();
  assert.equal(await page.locator("#composer").inputValue(), "", "it went along");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[S] a key answers nothing that is off the screen: it shows it, and the next press answers", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await say(window, `say ${"a line of words\\n\\n".repeat(60)}\nexec echo far below`);
  const card = page.getByRole("region", { name: "Approval" });
  await card.waitFor();
  const log = page.getByRole("log");
  await log.focus();
  await log.hover();
  await page.mouse.wheel(0, -700);
  await page.locator('[role="log"][data-status="reading"]').waitFor();
  const isBelow = `document.querySelector('section[aria-label="Approval"]').getBoundingClientRect().top > innerHeight`;
  await until(() => page.evaluate<boolean>(isBelow), "the card is below the window");
  await page.keyboard.down("Alt");
  for (let press = 0; press < 3; press += 1) await page.keyboard.down("a"); // held: it repeats
  await page.keyboard.up("a");
  await page.keyboard.up("Alt");
  await page.locator('section[aria-label="Approval"]:focus').waitFor();
  assert.ok(((await card.boundingBox())?.y ?? 800) < 700, "it was brought into view");
  assert.equal(await card.getAttribute("data-status"), "open", "and not answered");
  await page.getByRole("button", { name: "Session settings" }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Alt+a");
  assert.equal(await card.getAttribute("data-status"), "open", "nor behind a sheet");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("Alt+a");
  await page.getByText("Allowed once").waitFor();
  await runIs(page, "completed");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[S] a key that was pressed for what another window has just answered does not allow what comes next", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await say(window, "together\nexec echo first\nexec echo second\nend");
  const card = (command: string) =>
    page.getByRole("region", { name: "Approval" }).filter({ hasText: command });
  await card("echo second").waitFor();
  // The hints of the keys move to the other card: in that moment the key comes.
  await page.evaluate(`new MutationObserver((_, watch) => {
    const cards = [...document.querySelectorAll('section[aria-label="Approval"]')];
    const next = cards.find((card) => card.textContent.includes("echo second"));
    if (!next?.querySelector("[aria-keyshortcuts]")) return;
    watch.disconnect();
    setTimeout(() => dispatchEvent(new KeyboardEvent("keydown", { key: "a", code: "KeyA", altKey: true })));
  }).observe(document.body, { subtree: true, childList: true, attributes: true })`);
  const [first] = await pendingIn(sessionOf(page.url()));
  const path = `/api/runs/${first?.run_id}/approvals/${first?.request_id}`;
  await call(program, "POST", path, { choice: "once" });
  await page.locator('section[aria-label="Approval"]:focus pre').getByText("echo second").waitFor();
  assert.equal((await pendingIn(sessionOf(page.url()))).length, 1, "not answered");
  await until(async () => {
    await page.keyboard.press("Alt+a"); // who reads it and means it presses again
    return (await pendingIn(sessionOf(page.url()))).length === 0;
  });
  await runIs(page, "completed");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[S] a press that was meant for one card does not answer the one that has just moved there", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  const pending = () => pendingIn(sessionOf(page.url()));
  await say(window, "together\nexec echo first\nexec echo second\nend\nexec echo third");
  const cards = page.getByRole("region", { name: "Approval" });
  const allow = (command: string) =>
    cards.filter({ hasText: command }).getByRole("button", { name: "Allow once" });
  await allow("echo second").waitFor();
  const [first] = await pending();
  const press = `[...document.querySelectorAll('section[aria-label="Approval"]')]
    .find((card) => card.textContent.includes("echo second"))
    ?.querySelector('[title^="Run this now; ask again"]')
    ?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 }))`;
  // As soon as there is one card only, a press comes that was under way.
  await page.evaluate(`void (window.pressed = new Promise((done) => new MutationObserver((_, watch) => {
    if (document.querySelectorAll('section[aria-label="Approval"]').length !== 1) return;
    watch.disconnect();
    setTimeout(() => done(${press}));
  }).observe(document.body, { subtree: true, childList: true })))`);
  await call(program, "POST", `/api/runs/${first?.run_id}/approvals/${first?.request_id}`, {
    choice: "once",
  });
  assert.equal(await page.evaluate("window.pressed"), false, "it was held back");
  assert.equal(await cards.getAttribute("data-status"), "open", "not answered");
  await until(async () => {
    await page.evaluate(press); // who reads it and means it presses again
    return (await allow("echo third").count()) > 0;
  }, "the third");
  const at = await allow("echo third").boundingBox();
  assert.ok(at);
  await page.mouse.move(at.x + 5, at.y + 5);
  await page.mouse.down({ clickCount: 2 }); // the first press of the two was on another card
  await page.mouse.up({ clickCount: 2 });
  assert.equal(
    await cards.getAttribute("data-status"),
    "open",
    "not by the rest of a double press",
  );
  await allow("echo third").click();
  await runIs(page, "completed");
  assert.deepEqual(problems, []);
  await page.context().close();
});
