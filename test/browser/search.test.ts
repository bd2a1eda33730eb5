// Finding what was said and done: hits of every kind with their marks, narrowed by kind, each a link to its event,
// from the sidebar and from the palette; a late answer never takes the place of a newer one.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { call, startRun } from "../support/http.ts";
import { until } from "../support/until.ts";
import { openWindow } from "./support/browser.ts";
import { fitsPhone, PHONE, smallTargets } from "./support/layout.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const nav = (page: Page) => page.getByRole("navigation", { name: "Sessions" });
const found = (page: Page) => nav(page).getByRole("region", { name: "Found in messages" });
const hits = (page: Page, kind?: string) =>
  found(page).locator(kind === undefined ? "a[data-kind]" : `a[data-kind="${kind}"]`);
const chip = (page: Page, name: string) => nav(page).getByRole("button", { name, exact: true });

async function worked(session_id: string, script: string): Promise<void> {
  await call(program, "POST", "/api/sessions", { session_id });
  await call(program, "POST", `/api/sessions/${session_id}/settings`, { yolo: true });
  await startRun(program, script, { session_id });
  type Details = { session: { active_run_id: string | null; last_status: string | null } };
  await until(async () => {
    const { body } = await call<Details>(program, "GET", `/api/sessions/${session_id}`);
    const { active_run_id, last_status } = body.data.session;
    return active_run_id === null && last_status !== null;
  }, `the end of ${session_id}`);
}

const SCRIPT = [
  "write lantern.txt It hangs in the hold.",
  "read missing-lantern.txt",
  "say The lantern <img src=x onerror=alert(1)> is <b>lit</b>.",
].join("\n");

test("[UX, Q2] hits of every kind, narrowed by kind, lead to their events", async () => {
  await worked("lamps", SCRIPT);
  for (const options of [{}, PHONE]) {
    const { page, problems } = await openWindow(browser, program, options);
    if (options === PHONE) await page.getByRole("button", { name: "Sessions" }).click();
    const field = nav(page).getByRole("searchbox");
    await field.fill("lantern");
    for (const kind of ["message", "tool", "file", "error"]) {
      await hits(page, kind).first().waitFor();
      assert.match(
        await hits(page, kind).first().locator("mark").first().innerText(),
        /^lantern$/i,
      );
    }
    const said = hits(page, "message").filter({ hasText: "is <b>lit</b>." });
    await said.first().waitFor();
    assert.equal(await found(page).locator("img, b").count(), 0, "what was said is text");
    await chip(page, "Files").click();
    await hits(page, "message").first().waitFor({ state: "detached" });
    assert.equal(await hits(page, "file").count(), await hits(page).count());
    assert.equal(await chip(page, "Files").getAttribute("aria-pressed"), "true");
    if (options === PHONE) {
      await fitsPhone(page);
      assert.deepEqual(await smallTargets(page), []);
    }
    await chip(page, "Errors").click();
    await hits(page, "error").first().click();
    await page.waitForURL(/\/s\/lamps\/r\/[^?]+\?seq=\d+$/);
    if (options === PHONE) await page.getByRole("button", { name: "Sessions" }).click();
    await chip(page, "Files").click();
    await field.fill("xyzzy");
    await nav(page).getByText("Nothing found for “xyzzy”.").waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  }
});

test("[UX, Q3] a late answer never takes the place of a newer one, and there is a way further back", async () => {
  await worked("late", "say a slowcoach");
  await worked("early", "say a hastener");
  const { page } = await openWindow(browser, program, { serviceWorkers: "block" }); // what one asks for is not held up
  const held: (() => void)[] = [];
  await page.route("**/api/search?*", async (route) => {
    if (route.request().url().includes("q=slowcoach")) {
      await new Promise<void>((resolve) => held.push(resolve));
    }
    await route.continue().catch(() => undefined); // its page no longer waits for it
  });
  const field = nav(page).getByRole("searchbox");
  await field.fill("slowcoach");
  await until(() => held.length > 0, "the first question");
  await field.fill("hastener");
  await hits(page).filter({ hasText: "hastener" }).first().waitFor();
  for (const go of held) go();
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))");
  assert.equal(await hits(page).filter({ hasText: "slowcoach" }).count(), 0);
  await page.unroute("**/api/search?*");

  const many = Array.from({ length: 45 }, (_, index) => `say buoy number ${index}`);
  await worked("many", many.slice(0, 1).join("\n"));
  for (const script of many.slice(1)) await startRun(program, script, { session_id: "many" });
  await until(async () => {
    const path = "/api/search?q=buoy%20number&kind=message&limit=100";
    const { body } = await call<{ hits: unknown[] }>(program, "GET", path);
    return body.data.hits.length >= 90;
  }, "ninety messages");
  await field.fill("buoy number");
  await until(async () => (await hits(page).count()) === 30, "a page of hits");
  await nav(page).getByRole("button", { name: "Search older messages" }).click();
  await until(async () => (await hits(page).count()) === 60, "another page");
  const links = await hits(page).evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  assert.equal(new Set(links).size, 60);
  await page.context().close();
});

test("[UX, Q2] the palette finds what was said and opens it", async () => {
  await worked("words", "say The palimpsest is old.");
  const { page, problems } = await openWindow(browser, program);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "What to do or where to go" }).fill("palimpsest");
  const group = page.getByRole("group", { name: "Messages" });
  const option = group.getByRole("option").filter({ hasText: "The palimpsest is old." }).first();
  await option.waitFor();
  assert.equal(await option.locator("mark").first().innerText(), "palimpsest");
  await option.click();
  await page.waitForURL(/\/s\/words\/r\/[^?]+\?seq=\d+$/);
  assert.deepEqual(problems, []);
  await page.context().close();
});
