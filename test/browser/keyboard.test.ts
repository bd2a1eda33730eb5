// No pointer at all: send, approve, deny, answer, stop, rewind, search, palette. And what a screen reader is
// told meanwhile: milestones, never tokens.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { openWindow, runIs } from "./support/browser.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

/** Leaves the field, so that letters are keys. */
async function toKeys(page: Page): Promise<void> {
  await page.getByRole("log").focus();
}

async function write(page: Page, lines: readonly string[]): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "What to do or where to go" }).waitFor();
  await page.keyboard.type("write a message");
  await page.keyboard.press("Enter");
  await page.locator("#composer:focus").waitFor();
  for (const [at, line] of lines.entries()) {
    if (at > 0) await page.keyboard.press("Shift+Enter");
    await page.keyboard.type(line);
  }
  await page.keyboard.press("Enter");
}

test("[UX] a session by keys alone: send, approve, deny, answer, stop, rewind, find", async () => {
  const { page, problems } = await openWindow(browser, program);
  await write(page, ["exec echo yes", "exec echo no", "clarify Which way?|left|right", "say over"]);
  await page.waitForURL(/\/s\//);
  await page.getByText("Needs approval").first().waitFor();
  await toKeys(page);
  await page.keyboard.press("Alt+a");
  await page.getByText("Allowed once").waitFor();
  await page.getByText("Needs approval").first().waitFor();
  await toKeys(page);
  await page.keyboard.press("Alt+d");
  await page.getByRole("button", { name: "left" }).first().waitFor();
  await toKeys(page);
  await page.keyboard.press("Alt+1");
  await page.getByText("Answer: left").waitFor();
  await runIs(page, "completed");

  await write(page, ["pace 30", "count 2000"]);
  await page.getByText(/ 10 11 /).waitFor();
  await page.keyboard.press("Escape");
  await runIs(page, "cancelled");

  await page.locator("#composer").focus();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  const turns = page.getByRole("dialog");
  await turns.waitFor();
  await page.keyboard.press("Escape");
  await turns.waitFor({ state: "detached" });

  await toKeys(page);
  await page.keyboard.press("Control+Shift+f");
  await page.locator('[type="search"]:focus, [role="searchbox"]:focus').waitFor();
  await page.keyboard.type("Which way");
  await page
    .getByRole("navigation")
    .getByRole("link", { name: /Which way/ })
    .first()
    .waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] a screen reader hears milestones and no token", async () => {
  const { page } = await openWindow(browser, program);
  await page.evaluate(`
    window.heard = [];
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target.nodeType === 1 ? target : target.parentElement;
        const live = element?.closest('[aria-live]:not([aria-live="off"]), [role="status"], [role="alert"]');
        if (live && !live.closest('[aria-live="off"]')) heard.push(live.textContent.trim());
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });`);
  await write(page, ["pace 10", "count 60", "exec echo asked"]);
  await page.waitForURL(/\/s\//);
  await page.getByText("Needs approval").first().waitFor();
  await toKeys(page);
  await page.keyboard.press("Alt+a");
  await runIs(page, "completed");
  await page.getByRole("status", { name: "Milestones" }).getByText("The run is done.").waitFor();
  const heard = await page.evaluate<string[]>("[...new Set(heard)]");
  assert.ok(
    heard.some((words) => /needs/i.test(words)),
    heard.join(" | "),
  );
  assert.deepEqual(
    heard.filter((words) => /\b1 2 3\b/.test(words)),
    [],
  );
  await page.context().close();
});
