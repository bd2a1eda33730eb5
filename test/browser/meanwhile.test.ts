// What somebody has begun is not taken from them by what comes in between: an answer that is late, a change from
// elsewhere, a key that belongs to the input method.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { call, startRun } from "../support/http.ts";
import { until } from "../support/until.ts";
import { openWindow, runIs, say } from "./support/browser.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const nav = (page: Page) => page.getByRole("navigation", { name: "Sessions" });
const linkTo = (page: Page, title: string) =>
  nav(page).getByRole("link").filter({ hasText: title }).first();

async function session(session_id: string, title: string): Promise<void> {
  await startRun(program, "say done", { session_id });
  await call(program, "POST", `/api/sessions/${session_id}/title`, { title });
}

async function choose(page: Page, title: string, item: string): Promise<void> {
  await nav(page)
    .getByRole("button", { name: `More for ${title}` })
    .click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

/** A key as it comes while an input method puts a word together. */
const composing = (key: string, more = "isComposing: true") =>
  `document.activeElement.dispatchEvent(new KeyboardEvent("keydown",
     { key: "${key}", bubbles: true, cancelable: true, ${more} }))`;

test("[UX] what is done to a second session while the first is still being asked for is done too", async () => {
  for (const at of ["one", "two", "three"]) await session(`slow-${at}`, `Slow ${at}`);
  const { page, problems } = await openWindow(browser, program);
  await linkTo(page, "Slow one").waitFor();
  const held = Promise.withResolvers<void>();
  await page.route("**/api/sessions/slow-one/**", (route) =>
    held.promise.then(() => route.continue()),
  );
  await choose(page, "Slow one", "Delete");
  await choose(page, "Slow two", "Delete");
  await choose(page, "Slow three", "Rename");
  await nav(page).getByRole("textbox", { name: "New title" }).fill("Quick three");
  await page.keyboard.press("Enter");
  held.resolve();
  await linkTo(page, "Quick three").waitFor();
  for (const title of ["Slow one", "Slow two"]) {
    await linkTo(page, title).waitFor({ state: "detached" });
  }
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] a pinned session that another window deleted is gone from the list", async () => {
  await session("pinned", "Pinned one");
  await call(program, "POST", "/api/sessions/pinned/settings", { pinned: true });
  const { page, problems } = await openWindow(browser, program);
  await linkTo(page, "Pinned one").waitFor();
  await call(program, "POST", "/api/sessions/pinned/settings", { deleted: true });
  await linkTo(page, "Pinned one").waitFor({ state: "detached" });
  await call(program, "POST", "/api/sessions/pinned/settings", { deleted: false });
  await linkTo(page, "Pinned one").waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] a key that chooses a word of an input method sends, renames and closes nothing", async () => {
  await session("ime", "Written by parts");
  const { page, problems } = await openWindow(browser, program);
  await choose(page, "Written by parts", "Rename");
  const field = nav(page).getByRole("textbox", { name: "New title" });
  await field.fill("日本");
  for (const key of ["Enter", "Escape"]) await page.evaluate(composing(key));
  assert.equal(await field.inputValue(), "日本");
  await page.keyboard.press("Escape");

  await linkTo(page, "Written by parts").click();
  await page.getByRole("button", { name: /\. Rename$/ }).click();
  const name = page.getByRole("textbox", { name: "Name of the session" });
  await page.evaluate(composing("Escape"));
  assert.equal(await name.count(), 1);
  await page.keyboard.press("Escape");

  const composer = page.locator("#composer");
  await composer.fill("説明");
  // Safari ends the composition before the key that ends it: only this number is left of it.
  await page.evaluate(composing("Enter", "keyCode: 229"));
  assert.equal(await composer.inputValue(), "説明");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] Enter that is held down does not confirm what it has just been asked about", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await say(window, "say done");
  await runIs(page, "completed");
  await page.locator("#composer").fill("/nonsense");
  await page.keyboard.down("Enter");
  await page.keyboard.down("Enter"); // it repeats
  await page.keyboard.up("Enter");
  await page.getByText("There is no command /nonsense").waitFor();
  assert.equal(await page.locator("#composer").inputValue(), "/nonsense");
  await page.keyboard.press("Enter");
  await page.getByRole("log").getByText("/nonsense").first().waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] what is chosen in the palette stays chosen when more is found", async () => {
  await session("pal", "Palette harbour");
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await say(window, "write harbour.txt ships\nsay The harbour is full.");
  await runIs(page, "completed");
  const held = Promise.withResolvers<void>();
  await page.route("**/find?*", (route) => held.promise.then(() => route.continue()));
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "What to do or where to go" });
  await field.fill("harbour");
  const said = page.getByRole("group", { name: "Messages" }).getByRole("option");
  await said.first().waitFor();
  const chosen = page.locator('[role="option"][aria-selected="true"]');
  const words = await said.first().textContent();
  await until(async () => {
    await page.keyboard.press("ArrowDown");
    return (await chosen.textContent()) === words;
  }, "one of them is chosen");
  held.resolve();
  await page.getByRole("group", { name: "Files" }).getByRole("option").first().waitFor();
  assert.equal(await chosen.textContent(), words);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] words that are written while a command is answered are not taken for the command", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await say(window, "say done");
  await runIs(page, "completed");
  const held = Promise.withResolvers<void>();
  await page.route("**/api/sessions/*/goal", (route) => held.promise.then(() => route.continue()));
  const composer = page.locator("#composer");
  await composer.fill("/goal be done");
  await page.keyboard.press("Enter");
  await composer.fill("Now for something else");
  held.resolve();
  await page.locator("#composer-keys + [role=status]").filter({ hasText: /\S/ }).waitFor();
  assert.equal(await composer.inputValue(), "Now for something else");
  assert.deepEqual(problems, []);
  await page.context().close();
});
