// Two runs side by side: a message said in other words, runs of another session, and where there is no room.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openWindow, runIs, say, type Window } from "../support/browser.ts";
import { fitsPhone, PHONE } from "../support/layout.ts";
import { browser, inBrowser, program } from "../support/suite.ts";

inBrowser();

const FIRST = "say Hello you\nread a.md\nwrite b.md one two three\nsay Bye";
const SECOND = "say Hello you\nread a.md\nwrite b.md one 2 three\nlist .\nsay Bye";
const region = (page: Page) => page.getByRole("region", { name: "Comparison" });
const step = (page: Page, kind: string) =>
  region(page).locator(`[role="listitem"][data-kind="${kind}"]`);
const written = (page: Page) =>
  step(page, "changed").filter({
    has: page.getByRole("link", { name: "Write b.md", exact: true }),
  });

/** A session whose message was said again in other words. */
async function rerun(options: BrowserContextOptions = {}): Promise<Window> {
  const window = await openWindow(browser, program, options);
  const { page } = window;
  await say(window, FIRST);
  await runIs(page, "completed");
  await page.getByRole("button", { name: "Edit and rerun" }).first().click();
  await page.getByRole("textbox", { name: "Your message" }).fill(SECOND);
  await page.getByRole("button", { name: "Rerun", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await runIs(page, "completed");
  await page.getByRole("tab", { name: "Tree" }).click();
  await page.getByRole("tree").waitFor();
  return window;
}

test("[UX] a rerun stands beside the attempt before: equal, changed, and only on one side", async () => {
  const { page, problems } = await rerun();
  await page.getByRole("treeitem").first().getByRole("button", { name: "Compare" }).click();
  await page.getByRole("button", { name: /Compare with run 1, the attempt before/ }).click();
  await page.waitForURL(/view=compare.*with=run_/);
  await region(page).waitFor();
  const row = written(page);
  const cells = row.locator("div[data-side]").filter({ has: page.getByLabel("Text") });
  assert.deepEqual(await cells.nth(0).locator("mark").allTextContents(), ["two"]);
  assert.deepEqual(await cells.nth(1).locator("mark").allTextContents(), ["2"]);
  await step(page, "right").getByText(/^List/).waitFor();
  const said = page.getByRole("status", { name: "Differences" });
  await said.getByText("1 only in B").waitFor();
  await said.getByText("0 only in A").waitFor();
  const totals = page.getByRole("table", { name: "Totals of both runs" });
  await totals.getByRole("row", { name: /^Tool calls 2 3 \+1$/ }).waitFor();
  await totals.getByRole("row", { name: /^Outcome Done Done the same$/ }).waitFor();

  await page.getByRole("button", { name: "Swap" }).click();
  await step(page, "left").getByText(/^List/).waitFor();
  await page.keyboard.press("j");
  await region(page).locator("[data-current]").waitFor();
  const address = page.url();
  await page.reload();
  await step(page, "left").getByText(/^List/).waitFor();
  assert.equal(page.url(), address);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] a run of another session can be chosen, and its address opens the same", async () => {
  const other = await openWindow(browser, program, { colorScheme: "dark" });
  await say(other, "say Hello you\nread a.md\nsay Farewell");
  await runIs(other.page, "completed");
  const { page, problems } = await rerun();
  await page.goto(`${page.url().split("?")[0]}?view=compare`);
  const sessions = page.getByRole("combobox", { name: "Session of run B" });
  const title = await other.page.title();
  await sessions.selectOption({ label: title.replace(" · Quarterdeck", "") });
  await page.getByRole("combobox", { name: "Run B", exact: true }).selectOption({ index: 1 });
  await region(page).waitFor();
  const bye = step(page, "changed").filter({ hasText: "Bye" });
  await bye.getByText("Farewell").first().waitFor();
  await page.reload();
  await bye.getByText("Farewell").first().waitFor();
  await page.goto(page.url().replace(/with=[^&]*/, "with=run_nobody"));
  await page
    .getByRole("alert")
    .getByText(/cannot be read/)
    .waitFor();
  await page.getByRole("button", { name: "Choose another" }).click();
  await page.getByText("Choose the run to compare with.").waitFor();
  // What the server answers to a run nobody has is told as an error by the browser itself.
  assert.deepEqual(
    problems.filter((problem) => !/404/.test(problem)),
    [],
  );
  await page.context().close();
  await other.page.context().close();
});

test("[UX] on a phone the sides stand below each other, with their letters", async () => {
  const { page, problems } = await rerun(PHONE);
  await page.getByRole("treeitem").first().getByRole("button", { name: "Compare" }).click();
  await page.getByRole("button", { name: /Compare with run 1, the attempt before/ }).click();
  await region(page).waitFor();
  const row = written(page);
  await row.scrollIntoViewIfNeeded();
  const [one, two] = await row.locator("div[data-side]").filter({ visible: true }).all();
  const boxes = [await one?.boundingBox(), await two?.boundingBox()];
  assert.ok((boxes[1]?.y ?? 0) >= (boxes[0]?.y ?? 0) + (boxes[0]?.height ?? 0) - 1);
  await fitsPhone(page);
  assert.deepEqual(problems, []);
  await page.context().close();
});
