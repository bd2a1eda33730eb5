// The journal as a list: filtering, opening, walking, scrubbing, and following a run that goes on.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../support/until.ts";
import { openWindow, runIs, say, type Window } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { sessionEvents } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const SCRIPT = ["say Hello", "write notes.md one", "delegate Lookout: say clear water", "say Bye"];
const grid = (page: Page) => page.getByRole("grid", { name: "Events" });
const rows = (page: Page) => grid(page).locator('[role="row"][data-seq]');
const typed = (page: Page, type: string) => grid(page).locator(`[data-type="${type}"]`);
const count = (page: Page) => page.getByRole("status", { name: "Events" });
const sessionOf = (page: Page) => new URL(page.url()).pathname.split("/")[2] ?? "";

async function finished(window: Window): Promise<void> {
  await say(window, SCRIPT.join("\n"));
  await runIs(window.page, "completed");
  await window.page.getByRole("tab", { name: "Events" }).click();
  await grid(window.page).waitFor();
}

test("[UX] every event is there; words and kinds narrow the list; one run can be looked at alone", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await finished(window);
  const events = await sessionEvents(program, sessionOf(page));
  await count(page).getByText(`${events.length} events`).waitFor();

  await page.locator("body").click({ position: { x: 5, y: 5 } });
  await grid(page).press("/");
  const field = page.getByRole("searchbox", { name: "Find in the events" });
  await field.waitFor();
  assert.equal(await page.evaluate("document.activeElement.type"), "search");
  await page.keyboard.type("CLEAR water");
  const matching = events.filter(({ type, run_id, payload }) => {
    const text = `${type} ${run_id} ${JSON.stringify(payload)}`.toLowerCase();
    return text.includes("clear") && text.includes("water");
  });
  assert.ok(matching.length > 1);
  await count(page).getByText(`${matching.length} of ${events.length} events`).waitFor();
  await page.keyboard.press("Escape");

  await page.getByRole("combobox", { name: "Kind of event" }).selectOption("Plans and subagents");
  await count(page).getByText(`2 of ${events.length} events`).waitFor();
  await typed(page, "subagent.started").waitFor();
  await page.getByRole("combobox", { name: "Kind of event" }).selectOption("All kinds");
  await page.getByRole("button", { name: "Only this run" }).click();
  const inRuns = events.filter(({ run_id, session_id }) => run_id !== session_id).length;
  await count(page).getByText(`${inRuns} of ${events.length} events`).waitFor();
  await field.fill("nothing is like this");
  await page.getByText("No event is like this.").waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] keys walk the events, open them whole, and what is chosen is chosen in the tree", async () => {
  const window = await openWindow(browser, program, {
    permissions: ["clipboard-read", "clipboard-write"],
    viewport: { width: 1280, height: 2_400 },
  });
  const { page, problems } = window;
  await finished(window);
  const events = await sessionEvents(program, sessionOf(page));
  const done = events.find(
    ({ type, payload }) => type === "tool.done" && (payload as { name: string }).name === "write",
  );
  assert.ok(done);
  const row = grid(page).locator(`[data-seq="${done.session_seq - 1}"]`);
  await row.click();
  await page.keyboard.press("j");
  const current = grid(page).locator("[data-current]");
  await grid(page).locator(`[data-current][data-seq="${done.session_seq}"]`).waitFor();
  assert.equal(await current.getAttribute("data-type"), "tool.done");
  await page.waitForURL((url) => url.searchParams.get("seq") !== null);
  const whole = grid(page).locator('[role="row"][aria-selected="true"]');
  assert.ok((await whole.count()) >= 3, "every event of the call is marked");

  await current.focus();
  await page.keyboard.press("Enter");
  const json = page.getByLabel("Whole event", { exact: true });
  assert.deepEqual(JSON.parse((await json.textContent()) ?? ""), done);
  await current.getByText(`${done.hash.slice(0, 16)}…`, { exact: true }).waitFor();
  await current.getByRole("button", { name: "Copy the link" }).click();
  await current.getByRole("button", { name: "Copied" }).waitFor();
  const link = await page.evaluate<string>("navigator.clipboard.readText()");
  assert.match(link, new RegExp(`/s/.+/r/${done.run_id}\\?seq=${done.seq}&view=events$`));

  await page.getByRole("tab", { name: "Tree" }).click();
  const chosen = page.getByRole("treeitem", { selected: true });
  await chosen.waitFor();
  assert.match((await chosen.textContent()) ?? "", /^Write notes\.md/);
  await page.goto(link);
  await grid(page).locator(`[data-current][data-seq="${done.session_seq}"]`).waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] the scrubber moves to an event: what came later is told apart, and the chat is as it was", async () => {
  const window = await openWindow(browser, program, { colorScheme: "dark" });
  const { page, problems } = window;
  await finished(window);
  const done = typed(page, "message.completed").first();
  const seq = Number(await done.getAttribute("data-seq"));
  await done.click();
  await page.keyboard.press("m");
  await page.waitForURL((url) => url.searchParams.get("at") === String(seq));
  const later = grid(page).locator("[data-later]").first();
  assert.equal(await later.getAttribute("data-seq"), String(seq + 1));
  await page.getByRole("tab", { name: "Chat" }).click();
  await page.getByRole("log").getByText("Hello").first().waitFor();
  assert.equal(await page.getByRole("log").getByText("Bye", { exact: true }).count(), 0);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] the list follows a run that goes on, until somebody reads further up", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await say(window, "pace 15\ncount 400");
  await runIs(page, "running");
  await page.getByRole("tab", { name: "Events" }).click();
  const last = async () => Number(await rows(page).last().getAttribute("data-seq"));
  await rows(page).first().waitFor();
  const before = await last();
  await until(async () => (await last()) > before + 5, "the list to follow");
  await grid(page).hover();
  await page.mouse.wheel(0, -400);
  const jump = page.getByRole("button", { name: "To the end" });
  await jump.waitFor();
  const third = rows(page).nth(2); // the first is there for the keyboard, wherever one reads
  const shown = await third.getAttribute("data-seq");
  await runIs(page, "completed");
  assert.equal(await third.getAttribute("data-seq"), shown, "it stayed where it was");
  await jump.click();
  await typed(page, "done").waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] on a phone an event is two lines, and everything fits", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page, problems } = window;
  await finished(window);
  await fitsPhone(page);
  await typed(page, "tool.intent")
    .first()
    .getByRole("button", { name: /Whole event/ })
    .click();
  await page.getByLabel("Whole event", { exact: true }).waitFor();
  await fitsPhone(page);
  assert.deepEqual(problems, []);
  await page.context().close();
});
