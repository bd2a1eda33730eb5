// The list of sessions: found by their words, gone through by keyboard, changed from their rows, and as
// quick with hundreds of them.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { call, startRun } from "../support/http.ts";
import { until } from "../support/until.ts";
import { openWindow, runIs } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const nav = (page: Page) => page.getByRole("navigation", { name: "Sessions" });
const linkTo = (page: Page, title: string) =>
  nav(page).getByRole("link").filter({ hasText: title }).first();
const rowOf = (page: Page, title: string) =>
  nav(page).locator("[data-current]").filter({ hasText: title }).first();

async function ended(sessionId: string): Promise<void> {
  type Details = { session: { active_run_id: string | null; last_status: string | null } };
  await until(async () => {
    const { body } = await call<Details>(program, "GET", `/api/sessions/${sessionId}`);
    const { active_run_id, last_status } = body.data.session;
    return active_run_id === null && last_status !== null;
  }, `the end of ${sessionId}`);
}

async function session(session_id: string, title: string, script = "say done"): Promise<void> {
  await startRun(program, script, { session_id });
  await ended(session_id);
  await call(program, "POST", `/api/sessions/${session_id}/title`, { title });
}

async function menu(page: Page, title: string, item: string): Promise<void> {
  await rowOf(page, title).hover();
  await rowOf(page, title)
    .getByRole("button", { name: `More for ${title}` })
    .click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

test("[UX] titles are found at once, words in messages a moment later, and a hit opens where it was said", async () => {
  await session("chest", "The chest", "say The treasure lies under the old oak.");
  await session("map", "The map", "say Nothing here.");
  for (const options of [{}, PHONE]) {
    const { page, problems } = await openWindow(browser, program, options);
    if (options === PHONE) await page.getByRole("button", { name: "Sessions" }).click();
    const field = nav(page).getByRole("searchbox");
    await field.fill("MAP");
    await linkTo(page, "The map").waitFor();
    assert.equal(await linkTo(page, "The chest").count(), 0);
    await field.fill("treasure oak");
    const found = nav(page).getByRole("region", { name: "Found in messages" });
    await found.getByRole("link").filter({ hasText: "lies under the old oak" }).first().waitFor();
    assert.deepEqual(await found.locator("mark").first().allTextContents(), ["treasure"]);
    await field.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/s\/chest\/r\/[^?]+\?seq=\d+$/);
    if (options === PHONE) await page.getByRole("button", { name: "Sessions" }).click();
    await field.fill("xyzzy");
    await nav(page).getByText("Nothing found for “xyzzy”.").waitFor();
    await field.press("Escape");
    await linkTo(page, "The map").waitFor();
    if (options === PHONE) await fitsPhone(page);
    assert.deepEqual(problems, []);
    await page.context().close();
  }
});

/** A command that ends when the test says so. */
const UNTIL_GO = "until [ -e go ]; do sleep 0.1; done";

test("[UX] a row says what its run is doing, that it needs someone, and what is unread", async () => {
  const { page, problems } = await openWindow(browser, program);
  await startRun(program, "pace 60\ncount 100000", { session_id: "busy" });
  await call(program, "POST", "/api/sessions/busy/title", { title: "Busy one" });
  await rowOf(page, "Busy one")
    .getByText(/^thinking$/)
    .waitFor();
  await rowOf(page, "Busy one")
    .getByText(/^· \d+ s$/)
    .waitFor();
  await startRun(program, `exec npm test; ${UNTIL_GO}`, { session_id: "asks" });
  await call(program, "POST", "/api/sessions/asks/title", { title: "Asking one" });
  const asking = rowOf(page, "Asking one");
  await asking.getByText("waiting for you").waitFor();
  assert.equal(await asking.getAttribute("data-status"), "needs-you");
  await asking.locator('[data-unread="true"]').waitFor();

  await linkTo(page, "Asking one").click();
  await asking.locator('[data-unread="false"]').waitFor();
  await page.getByRole("button", { name: "Allow once" }).click();
  await asking.getByText("running tests").waitFor();
  await linkTo(page, "Busy one").click();
  await page.getByRole("button", { name: /^Stop/ }).first().click();
  await runIs(page, "cancelled");
  await rowOf(page, "Busy one").getByText("Stopped").waitFor();
  assert.equal(await rowOf(page, "Busy one").locator('[data-unread="true"]').count(), 0);
  await writeFile(join(program.workspace, "go"), "");
  await asking.locator('[data-unread="true"]').waitFor(); // it ended while another was open
  await page.reload();
  await asking.locator('[data-unread="true"]').waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] a session is renamed, pinned, marked, deleted and brought back from its row", async () => {
  await session("row", "Row to change");
  const { page, problems } = await openWindow(browser, program);
  await menu(page, "Row to change", "Rename");
  await nav(page).getByRole("textbox", { name: "New title" }).fill("Changed row");
  await page.keyboard.press("Enter");
  await linkTo(page, "Changed row").waitFor();
  assert.equal(await rowOf(page, "Changed row").locator('[data-unread="true"]').count(), 0);
  await menu(page, "Changed row", "Pin");
  const heads = nav(page).getByRole("heading");
  await heads.getByText("Pinned").waitFor();
  assert.equal(await heads.first().textContent(), "Pinned");
  await menu(page, "Changed row", "Mark as unread");
  await rowOf(page, "Changed row").locator('[data-unread="true"]').waitFor();

  await linkTo(page, "Changed row").click();
  await rowOf(page, "Changed row").locator('[data-unread="false"]').waitFor();
  await menu(page, "Changed row", "Delete");
  await page.locator('[data-page="start"]').waitFor();
  await linkTo(page, "Changed row").waitFor({ state: "detached" });
  await nav(page).getByRole("button", { name: "Undo" }).click();
  await linkTo(page, "Changed row").waitFor();
  await menu(page, "Changed row", "Unpin");
  await heads.getByText("Pinned").waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] the same by keyboard alone, and on a phone by finger", async () => {
  await session("keys", "By keys");
  const desk = await openWindow(browser, program);
  const link = linkTo(desk.page, "By keys");
  await link.focus();
  await desk.page.keyboard.press("Tab");
  await desk.page.keyboard.press("Enter");
  await desk.page.keyboard.press("ArrowDown");
  await desk.page.keyboard.press("Enter"); // Rename
  await desk.page.keyboard.type("By keys again");
  await desk.page.keyboard.press("Enter");
  await linkTo(desk.page, "By keys again").waitFor();
  const field = nav(desk.page).getByRole("searchbox");
  await field.fill("keys");
  await field.press("Escape");
  assert.equal(await field.inputValue(), "");
  assert.equal(await field.and(desk.page.locator(":focus")).count(), 1, "once for the words");
  await field.press("Escape");
  assert.equal(await field.and(desk.page.locator(":focus")).count(), 0, "once more to leave");
  await desk.page.context().close();

  const { page, problems } = await openWindow(browser, program, PHONE);
  await page.getByRole("button", { name: "Sessions" }).click();
  const more = nav(page).getByRole("button", { name: "More for By keys again" });
  const box = await more.boundingBox();
  assert.ok(box && box.width >= 44 && box.height >= 44, JSON.stringify(box));
  await more.tap();
  await page.getByRole("menuitem", { name: "Delete" }).tap();
  await nav(page).getByText("Deleted “By keys again”.").waitFor();
  await nav(page).locator("button:focus").getByText("Undo").waitFor();
  await nav(page).getByRole("button", { name: "Undo" }).tap();
  await linkTo(page, "By keys again").waitFor();
  await page.keyboard.press("Escape");
  await fitsPhone(page);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] branches stand beneath their parent and fold away; projects are groups", async () => {
  await session("trunk", "Trunk");
  const branch = { session_id: "twig", title: "Twig" };
  await call(program, "POST", "/api/sessions/trunk/branch", branch);
  await call(program, "POST", "/api/projects", { project_id: "fleet", name: "The fleet" });
  await call(program, "POST", "/api/sessions/trunk/settings", { project_id: "fleet" });
  const { page, problems } = await openWindow(browser, program);
  await nav(page).getByRole("heading", { name: "The fleet" }).waitFor();
  const [trunk, twig] = [linkTo(page, "Trunk"), linkTo(page, "Twig")];
  const at = async (place: typeof trunk) => (await place.boundingBox()) ?? { x: 0, y: 0 };
  const [above, below] = [await at(trunk), await at(twig)];
  assert.ok(below.y > above.y && below.x > above.x, JSON.stringify([above, below]));
  const fold = nav(page).getByRole("button", { name: "1 branch of Trunk" });
  await fold.click();
  await twig.waitFor({ state: "detached" });
  await page.reload();
  await fold.waitFor();
  assert.equal(await twig.count(), 0, "it stays folded");
  await page.goto(`${program.url}/s/twig`);
  await twig.waitFor(); // what is open is never hidden
  await call(program, "POST", "/api/projects/fleet/delete", {});
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] sessions are gone through by keyboard, and the list makes room", async () => {
  const { page, problems } = await openWindow(browser, program);
  await linkTo(page, "Trunk").waitFor();
  const current = nav(page).locator('[aria-current="page"] >> nth=-1');
  await page.getByRole("textbox", { name: "Message" }).focus();
  await page.keyboard.press("Alt+ArrowDown");
  await page.waitForURL(/\/s\//);
  const first = page.url();
  await current.waitFor();
  await page.keyboard.press("Alt+ArrowDown");
  await page.waitForURL((url) => url.href !== first);
  await page.keyboard.press("Alt+ArrowUp");
  await page.waitForURL(first);
  await session("news", "News for you");
  await rowOf(page, "News for you").locator('[data-unread="true"]').waitFor();
  await page.keyboard.press("Alt+Shift+ArrowDown");
  await page.keyboard.press("Alt+Shift+ArrowUp");
  await rowOf(page, "News for you").locator('[data-unread="false"]').waitFor();

  const wide = (await page.locator("main").boundingBox())?.width ?? 0;
  await page.keyboard.press("Control+b");
  await linkTo(page, "News for you").waitFor({ state: "hidden" });
  assert.ok(((await page.locator("main").boundingBox())?.width ?? 0) > wide + 150);
  await page.reload();
  await nav(page).getByRole("button", { name: "Show the sessions" }).click();
  await linkTo(page, "News for you").waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] of hundreds of sessions only those near are drawn, and older ones come as one scrolls", async () => {
  for (let at = 0; at < 450; at += 1) {
    const body = { session_id: `many${at}`, title: `Number ${at}` };
    await call(program, "POST", "/api/sessions", body);
  }
  await call(program, "POST", "/api/sessions/many3/settings", { pinned: true });
  for (let at = 450; at < 660; at += 1) {
    await call(program, "POST", "/api/sessions", { session_id: `many${at}` });
  }
  const { page, problems } = await openWindow(browser, program);
  await nav(page).getByRole("heading", { name: "Pinned" }).waitFor();
  await linkTo(page, "Number 3").waitFor(); // far down, but pinned
  const rows = nav(page).locator("li");
  const heights = new Set<number>();
  await until(async () => {
    const height = await page.evaluate<number>(`(() => {
      const list = document.querySelector("nav ul").parentElement;
      list.scrollTo(0, list.scrollHeight);
      return list.scrollHeight;
    })()`);
    heights.add(height);
    return (await linkTo(page, "The chest").count()) > 0;
  }, "the oldest session");
  assert.ok(heights.size > 2, "in pages");
  assert.ok((await rows.count()) < 60, `${await rows.count()} rows are drawn`);
  assert.deepEqual(problems, []);
  await page.context().close();
});
