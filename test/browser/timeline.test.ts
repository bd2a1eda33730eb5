// The timeline in a real page: what it shows of the tour, while it runs and after, by pointer, by key, on
// a phone, in the dark, and at a moment of the past.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { openWindow, runIs, say, type Window } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { until } from "../support/until.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

let tour = ""; // its address, once it is over
inBrowser();

const tab = (page: Page, name: string) => page.getByRole("tab", { name });
const chart = (page: Page) => page.getByRole("treegrid", { name: "Spans by lane" });
const bar = (page: Page, name: RegExp) => chart(page).getByRole("gridcell", { name });
const selected = (page: Page) => chart(page).locator('[role="gridcell"][aria-selected="true"]');
const CONTENT = `document.querySelector('[role="treegrid"]').parentElement`;
const widthOf = (page: Page) => page.evaluate<number>(`${CONTENT}.offsetWidth`);

/** Waits until the bar, the same element all the time, is wider by more than a few pixels. */
async function grows(cell: Locator): Promise<void> {
  const element = await cell.elementHandle();
  const width = async () => (await element?.boundingBox())?.width ?? 0;
  const first = await width();
  await until(async () => (await width()) > first + 4);
}

/** Lanes of a run and subagents, from top to bottom. */
const names = async (page: Page) =>
  (await chart(page).getByRole("rowheader").allInnerTexts()).filter((name) => name !== "");

async function onTimeline(options = {}): Promise<Window> {
  const window = await openWindow(browser, program, options);
  await window.page.goto(`${tour}?view=timeline`);
  await chart(window.page).waitFor();
  return window;
}

/** Two fingers go apart: it zooms, and the page does not. */
async function pinch(page: Page, y: number): Promise<void> {
  const before = await widthOf(page);
  const session = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", apart: number) =>
    session.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: type === "touchEnd" ? [] : [-1, 1].map((side) => ({ x: 195 + side * apart, y })),
    });
  await touch("touchStart", 30);
  for (const apart of [40, 55, 70, 90]) await touch("touchMove", apart);
  await touch("touchEnd", 0);
  await until(async () => (await widthOf(page)) > before * 1.5);
  assert.equal(await page.evaluate("visualViewport.scale"), 1);
  await page.getByRole("button", { name: "Fit" }).tap();
}

async function noViolations(page: Page): Promise<void> {
  const source = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  await page.evaluate(await readFile(source, "utf8"));
  const found = await page.evaluate<string[]>(`axe.run("#view").then(({ violations }) =>
    violations.map(({ id, nodes }) => id + " " + nodes.map(({ html }) => html).join(" ")))`);
  assert.deepEqual(found, []);
}

test("[UX] the tour as it happens: what goes on grows with the clock, and the chart is not drawn anew", async () => {
  const { page, problems } = await openWindow(browser, program);
  await page.getByRole("button", { name: "Start the demo" }).click();
  await page.waitForURL(/\/s\//);
  tour = page.url();
  await page.getByText("I write it slowly on purpose").waitFor();
  await tab(page, "Timeline").click();
  const turn = bar(page, /^Turn \d+, Model, Running/);
  await turn.waitFor();
  await grows(turn); // it was not drawn anew
  await chart(page).locator("[data-now]").waitFor();
  await tab(page, "Chat").click();
  await page.getByRole("button", { name: "The timeline" }).click({ timeout: 60_000 });
  await page.getByRole("button", { name: "Allow once" }).click({ timeout: 60_000 });
  await runIs(page, "completed");
  await tab(page, "Timeline").click();
  await chart(page).waitFor();
  assert.equal(await chart(page).locator("[data-now]").count(), 0, "nothing goes on any more");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] lanes for plan, model, tools, a person and the queue, and two subagents side by side", async () => {
  const { page, problems } = await onTimeline();
  const lanes = ["Plan", "Model", "Tools", "Waiting for you", "Queue"];
  assert.deepEqual(await names(page), [...lanes, "Lookout", "Navigator"]);
  await bar(page, /^What would you like to see.*Waiting for you.*Answered$/).waitFor();
  await bar(page, /^Allow exec\?, Waiting for you/).waitFor();
  await bar(page, /^Write a note, Plan/).waitFor();
  const [lookout, navigator] = await Promise.all(
    [/Subagent: Lookout/, /Subagent: Navigator/].map((name) => bar(page, name).boundingBox()),
  );
  assert.ok(lookout && navigator);
  assert.ok(lookout.x < navigator.x + navigator.width && navigator.x < lookout.x + lookout.width);
  assert.ok(lookout.y < navigator.y);

  await page.getByRole("button", { name: "Lookout" }).click();
  assert.deepEqual(await names(page), [...lanes, "Lookout", "Model", "Queue", "Navigator"]);
  const sums = page.getByLabel("Where the time went");
  assert.match(await sums.innerText(), /Wall time\s+\d+ s\s+Model\s.*\s+Tools\s.*\s+You\s/s);
  await noViolations(page);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] selecting in the timeline selects in all views; Enter opens it in the chat; J, K, H, L walk", async () => {
  const { page, problems } = await onTimeline();
  await page.keyboard.press("j");
  assert.match((await selected(page).getAttribute("aria-label")) ?? "", /^Queued/);
  await page.keyboard.press("j");
  assert.match((await selected(page).getAttribute("aria-label")) ?? "", /^Turn 1/);
  const seq = new URL(page.url()).searchParams.get("seq");
  await page.keyboard.press("j");
  assert.notEqual(new URL(page.url()).searchParams.get("seq"), seq);
  await page.keyboard.press("k");
  assert.equal(new URL(page.url()).searchParams.get("seq"), seq);

  await bar(page, /Subagent: Lookout/).click();
  await page.keyboard.press("l"); // into it: it opens
  assert.match(new URL(page.url()).pathname, /\/r\/run_\w+\.t/);
  await page.keyboard.press("h");
  assert.match((await selected(page).getAttribute("aria-label")) ?? "", /^Subagent: Lookout/);
  const call = new URL(page.url());
  await chart(page).focus();
  assert.equal(
    await chart(page).getAttribute("aria-activedescendant"),
    await selected(page).getAttribute("id"),
  );
  await page.keyboard.press("Enter");
  await page.getByRole("log").first().waitFor();
  const there = new URL(page.url());
  assert.deepEqual(
    [there.pathname, there.searchParams.get("seq"), there.searchParams.get("view")],
    [call.pathname, call.searchParams.get("seq"), null],
  );
  await tab(page, "Timeline").click();
  assert.match((await selected(page).getAttribute("aria-label")) ?? "", /^Subagent: Lookout/);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] Enter on a button presses the button, whatever is selected", async () => {
  const { page } = await onTimeline();
  await bar(page, /^Turn 1,/).click();
  await page.getByRole("button", { name: "Critical path" }).focus();
  await page.keyboard.press("Enter");
  assert.equal(
    await page.getByRole("button", { name: "Critical path" }).getAttribute("aria-pressed"),
    "true",
  );
  await chart(page).waitFor();
  await page.context().close();
});

test("[UX] zoom by key, button and wheel keeps its place; fit shows everything again", async () => {
  const { page, problems } = await onTimeline();
  const fit = await widthOf(page);
  await bar(page, /^Allow exec\?/).click();
  const before = await selected(page).boundingBox();
  await page.keyboard.press("+");
  const zoomed = await widthOf(page);
  assert.ok(zoomed > fit * 1.6, `${zoomed} after ${fit}`);
  const kept = await selected(page).boundingBox();
  assert.ok(Math.abs((kept?.x ?? 0) - (before?.x ?? 0)) < 3, "what is selected stays where it is");
  await page.keyboard.press("-");
  assert.ok(Math.abs((await widthOf(page)) - fit) < 3);
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.keyboard.press("f");
  assert.ok(Math.abs((await widthOf(page)) - fit) < 3);

  const at = await bar(page, /^Turn 1,/).boundingBox();
  await page.mouse.move((at?.x ?? 0) + 10, (at?.y ?? 0) + 8);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -600);
  await page.keyboard.up("Control");
  await until(async () => (await widthOf(page)) > fit * 2);
  await page.getByRole("group", { name: "Pointed at" }).getByText("Turn 1").waitFor();
  await page.getByRole("button", { name: "Fit" }).click();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] idle time is compressed and the critical path marked on request, and remembered", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await say(window, "clarify Now? | Yes\nexec echo sooner\nsay Done.");
  const yes = page.getByRole("button", { name: "Yes", exact: true });
  await yes.waitFor();
  await tab(page, "Timeline").click();
  await bar(page, /^Now\?, Waiting for you, Waiting$/).waitFor();
  await grows(bar(page, /^Now\?, Waiting for you/));
  await tab(page, "Chat").click();
  await yes.click();
  await page.getByRole("button", { name: "Allow once" }).click();
  await runIs(page, "completed");
  await tab(page, "Timeline").click();
  await chart(page).waitFor();
  const question = bar(page, /^Now\?, Waiting for you/);
  const wide = (await question.boundingBox())?.width ?? 0;
  await page.keyboard.press("c");
  const mark = chart(page).locator("[data-gap]").first();
  await mark.waitFor({ state: "attached" });
  assert.ok(((await question.boundingBox())?.width ?? wide) < wide / 2);
  await page.keyboard.press("p");
  assert.equal(await question.getAttribute("data-path"), "true");
  assert.equal(await bar(page, /^Turn 1/).getAttribute("data-path"), "true");
  await page.reload();
  await mark.waitFor({ state: "attached" });
  await page.keyboard.press("c");
  await page.keyboard.press("p");
  assert.equal(await question.getAttribute("data-path"), null);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] the table says the same as the chart, and selects as well", async () => {
  const { page, problems } = await onTimeline();
  await page.keyboard.press("t");
  const table = page.getByRole("table");
  const row = table.getByRole("row", { name: /Allow exec\?/ });
  assert.match(await row.innerText(), /Waiting for you\s+This run\s+.*\s+Answered/s);
  await table.getByRole("row", { name: /Turn 1.*Lookout/ }).waitFor();
  assert.ok((await table.getByRole("row").count()) > 30);
  await row.getByRole("button").click();
  assert.equal(await row.getAttribute("aria-current"), "true");
  assert.match(page.url(), /\/r\/run_\w+\?seq=\d+/);
  await noViolations(page);
  await page.getByRole("button", { name: "Table" }).click();
  assert.match((await selected(page).getAttribute("aria-label")) ?? "", /Allow exec\?|exec|ls/);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] the scrubber moves it: at a past moment spans end there, on the same axis", async () => {
  const { page, problems } = await onTimeline();
  const turn = bar(page, /^Turn 1,/);
  const whole = await turn.boundingBox();
  const all = await chart(page).getByRole("gridcell").count();
  await page.goto(`${tour}?view=timeline&at=20`);
  await chart(page).locator("[data-moment]").waitFor();
  const running = bar(page, /^Turn 1, Model, Running/);
  const part = await running.boundingBox();
  assert.ok(whole && part);
  assert.ok(Math.abs(part.x - whole.x) < 3, "the axis stands still");
  assert.ok(part.width < whole.width);
  assert.ok((await chart(page).getByRole("gridcell").count()) < all);
  await page.keyboard.press(".");
  await page.waitForURL((url) => !url.searchParams.has("at"));
  assert.ok(Math.abs(((await turn.boundingBox())?.width ?? 0) - whole.width) < 3);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] a session with several runs: one is chosen by name", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "say First.");
  await runIs(page, "completed");
  await page.getByRole("textbox", { name: "Message" }).fill("say Second.");
  await page.keyboard.press("Enter");
  await page.getByText("Second.", { exact: true }).waitFor();
  await runIs(page, "completed");
  await tab(page, "Timeline").click();
  const runs = page.getByRole("combobox", { name: "Run" });
  await runs.selectOption({ label: "1. say First." });
  await bar(page, /^Turn 1, Model/).click();
  const first = new URL(page.url()).pathname;
  await runs.selectOption({ label: "2. say Second." });
  await bar(page, /^Turn 1, Model/).click();
  assert.notEqual(new URL(page.url()).pathname, first);
  await page.context().close();
});

test("[UX] on a phone the name stands above its bar, all can be reached by finger; in the dark as well", async () => {
  const window = await openWindow(browser, program, { ...PHONE, colorScheme: "dark" });
  const { page, problems } = window;
  await say(window, "delegate Lookout: say Clear water.\nsay Done.");
  await runIs(page, "completed");
  await tab(page, "Timeline").tap();
  await chart(page).getByRole("button", { name: "Lookout" }).tap();
  assert.deepEqual(await names(page), ["Model", "Queue", "Lookout", "Model", "Queue"]);
  await fitsPhone(page);
  const name = await chart(page).getByRole("rowheader", { name: "Model" }).first().boundingBox();
  const turn = bar(page, /^Turn 1,/).first();
  const first = await turn.boundingBox();
  assert.ok(name && first);
  assert.ok(name.y + name.height <= first.y + 1);
  assert.ok(first.height >= 44);
  await pinch(page, name.y + 100);
  await turn.tap();
  await page.getByRole("group", { name: "Selected" }).getByText("Turn 1").waitFor();
  await noViolations(page);
  await page.getByRole("button", { name: "Table" }).tap();
  await page.getByRole("table").waitFor();
  await fitsPhone(page);
  await noViolations(page);
  assert.deepEqual(problems, []);
  await page.context().close();
});

/** What is painted above the sheet, from its top to its bottom. */
const COVERED = `(() => {
  const sheet = document.querySelector('[data-panel="details"]');
  const { left, right, top, bottom } = sheet.getBoundingClientRect();
  for (let y = top + 2; y < Math.min(bottom, innerHeight); y += 8) {
    const here = document.elementFromPoint((left + right) / 2, y);
    if (here && !sheet.contains(here)) return here.outerHTML.slice(0, 80);
  }
  return "";
})()`;

test("[UX] on a phone the sheet of a panel covers the chart, its ruler included", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page, problems } = window;
  await say(window, "say Done.");
  await runIs(page, "completed");
  await tab(page, "Timeline").tap();
  await chart(page).waitFor();
  const address = new URL(page.url());
  address.searchParams.set("panel", "details");
  await page.goto(address.href);
  await page.locator('[data-panel="details"]').getByText("Workspace").waitFor();
  await chart(page).waitFor();
  assert.equal(await page.evaluate(COVERED), "");
  assert.deepEqual(problems, []);
  await page.context().close();
});
