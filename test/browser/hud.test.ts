// The activity feed in a real browser: the rows are those of a HUD client, they pulse, open, fold and select.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { encode } from "../../src/kernel/dialect/dialect.ts";
import { hudDialect } from "../../src/windows/hud/wire/hud.ts";
import type { RunEvent } from "../../src/kernel/events/events.ts";
import {
  applyHudFrame,
  emptyHud,
  hudTree,
  type HudNode,
} from "../../src/windows/hud/state/hud-state.ts";
import { until } from "../support/until.ts";
import { openWindow, runIs, say, type Window } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { sessionEvents } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const SCRIPT = [
  "think I look at it first.",
  "write hud.txt One\\nTwo\\n",
  "read hud.txt",
  "delegate Helper: think Inside. ;; say I am done.",
  "exec echo hud",
  "say Over.",
].join("\n");

const sessionOf = (page: Page) => new URL(page.url()).pathname.split("/")[2] ?? "";
const rows = (page: Page) => page.locator("[data-hud] [data-row][data-type]");

async function openFeed({ page }: Window): Promise<void> {
  await page.getByRole("button", { name: "Side panel" }).click();
  await page.getByRole("button", { name: "Activity" }).click();
  await rows(page).first().waitFor();
}

/** Every row as it would be in a HUD client, in the order of the tree. */
async function asClient(sessionId: string): Promise<string[][]> {
  const nodes = hudDialect.begin();
  const hud = (await sessionEvents(program, sessionId))
    .flatMap((event: RunEvent) => encode(hudDialect, event, nodes, { replay: false }))
    .reduce(applyHudFrame, emptyHud());
  const lines = (nodes: readonly HudNode[]): string[][] =>
    nodes.flatMap(({ id, type, state, children }) => [
      [`hud-${id}`, type, state],
      ...lines(children),
    ]);
  return lines(hudTree(hud));
}

function shown(page: Page): Promise<string[][]> {
  return page.evaluate<string[][]>(
    `[...document.querySelectorAll("[data-hud] [data-row][data-type]")]
       .map((row) => [row.id, row.dataset.type, row.dataset.status])`,
  );
}

test("[V1] [W] live or replayed, the feed is what a HUD client shows", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await say(window, "say Hello.");
  await runIs(page, "completed");
  await say(window, SCRIPT);
  await openFeed(window);
  const asking = page.locator("[data-hud]").getByRole("list", { name: "Waits for you" });
  await asking.getByText("waiting for your approval: echo hud").waitFor();
  const exec = page.locator('[data-hud] [data-type="tool"][data-status="running"]');
  await exec.getByText("echo hud").waitFor();
  assert.equal(await exec.getAttribute("data-pulse"), "true");
  const animation = `getComputedStyle(document.querySelector("[data-pulse] > span")).animationName`;
  assert.notEqual(await page.evaluate(animation), "none");
  await page.emulateMedia({ reducedMotion: "reduce" });
  assert.equal(await page.evaluate(animation), "none", "nothing moves for who asked for it");

  await page.getByRole("button", { name: "Allow once" }).click();
  await runIs(page, "completed");
  const client = await asClient(sessionOf(page));
  assert.deepEqual(await shown(page), client);
  const seen = page.locator('[data-hud] :is([data-type="tool"], [data-type="think"])');
  assert.equal(
    await seen.and(page.locator("[data-replay]")).count(),
    0,
    "it was seen as it happened",
  );
  await page.reload();
  const group = page.locator("[data-hud]").getByRole("button", { name: /^Replayed: \d+ rows/ });
  await group.waitFor();
  assert.deepEqual(await shown(page), client);
  assert.equal(await page.locator("[data-hud] [data-replay]").count(), client.length);
  await group.click();
  assert.equal(await rows(page).count(), 0);
  await say(window, "say News.");
  await page.locator('[data-hud] [data-type="turn"]:not([data-replay])').waitFor();
  assert.equal(await page.locator("[data-hud] [data-replay]").count(), 0, "folded and not undone");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] rows open, move by key and select the same thing in every view", async () => {
  const window = await openWindow(browser, program, { colorScheme: "dark" });
  const { page, problems } = window;
  await say(window, "write keys.txt Hello\nread keys.txt\nsay Over.");
  await runIs(page, "completed");
  await openFeed(window);
  const written = page.locator('[data-hud] [data-type="tool"]').first();
  await written.focus();
  await page.keyboard.press("Enter");
  assert.equal(await written.getAttribute("aria-expanded"), "true");
  await page.waitForURL(/\/r\/[^?]+\?.*seq=\d+/);
  assert.equal(await written.getAttribute("aria-current"), "true");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const read = page.locator('[data-hud] [data-type="tool"]').nth(1);
  assert.equal(await read.getAttribute("aria-current"), "true");
  const selected = page.url();
  await page.keyboard.press("Home");
  await page.keyboard.press("Escape");
  await page.locator("[data-hud]").waitFor({ state: "detached" });

  await page.goto(selected); // the other way: what the address selects is marked
  await page
    .locator('[data-hud] [data-type="tool"][data-selected]')
    .getByText("keys.txt")
    .waitFor();
  assert.equal(await page.locator("[data-hud] [data-selected]").count(), 1);
  const all = await rows(page).count();
  await page.goto(`${selected}&at=4`);
  await page.getByText("Event 4 of").waitFor();
  await until(async () => (await rows(page).count()) < all);
  assert.equal(await page.locator("[data-hud] [data-pulse]").count(), 0, "the past stands still");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] only the newest rows are shown, as many as one wants, and a phone has room for them", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page, problems } = window;
  const reads = Array.from({ length: 30 }, () => "list .").join("\n");
  await say(window, `pace 0\n${reads}\nsay Over.`);
  await runIs(page, "completed");
  await openFeed(window);
  const limit = page.getByLabel("Show the last");
  await limit.selectOption("20");
  await until(async () => (await rows(page).count()) <= 21);
  const few = await rows(page).count();
  await page.reload();
  await rows(page).first().waitFor();
  assert.equal(await limit.inputValue(), "20", "remembered");
  assert.equal(await rows(page).count(), few);
  await limit.selectOption("0");
  const client = await asClient(sessionOf(page));
  await until(async () => (await rows(page).count()) === client.length);
  assert.deepEqual(await shown(page), client);
  await rows(page).last().click();
  await fitsPhone(page);
  assert.deepEqual(problems, []);
  await page.context().close();
});
