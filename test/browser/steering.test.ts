// Changing one's mind: what waits, what was said, what holds for the session.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../support/until.ts";
import { openWindow, runIs, say, type Window } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { sessionEvents } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const sessionOf = (page: Page) => decodeURIComponent(new URL(page.url()).pathname.slice(3));
const answers = (page: Page) => page.locator('[data-item="text"]');
const waiting = (page: Page) => page.getByRole("region", { name: "Queued messages" });

async function queue(window: Window, text: string): Promise<void> {
  await say(window, text);
  await waiting(window.page).getByText(text).waitFor();
}

test("[X1] queued messages are edited, moved and taken back; what is left runs in its order", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page, problems } = window;
  await say(window, "clarify Shall we? | yes");
  await page.getByRole("button", { name: "yes", exact: true }).waitFor();
  for (const text of ["say first", "say second", "say third"]) await queue(window, text);
  await fitsPhone(page);
  assert.equal(await page.getByRole("log").getByText("say second").count(), 0, "shown once");
  const list = waiting(page).getByRole("listitem");
  const row = (text: string) => list.filter({ hasText: text });

  await row("say third").getByRole("button", { name: "Move up" }).focus();
  await page.keyboard.press("Enter");
  await list.nth(1).getByText("say third").waitFor();
  await row("say second").getByRole("button", { name: "Take back" }).click();
  await row("say second").waitFor({ state: "detached" });
  await row("say first").getByRole("button", { name: "Edit" }).click();
  const field = page.getByRole("textbox", { name: "Queued message" });
  await field.fill("say first, but better");
  await fitsPhone(page);
  await page.keyboard.press("Enter");
  await row("say first, but better").getByRole("button", { name: "Move down" }).click();
  await list.nth(0).getByText("say third").waitFor();

  await page.getByRole("button", { name: "yes", exact: true }).click();
  await answers(page).getByText("first, but better").waitFor();
  await waiting(page).waitFor({ state: "detached" });
  const events = await sessionEvents(program, sessionOf(page));
  const said = events
    .filter(({ type }) => type === "message.completed")
    .map(({ payload }) => (payload as { text: string }).text.trim())
    .filter((text) => text !== "");
  assert.deepEqual(said, ["third", "first, but better"]);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[X1] a steer can be changed and taken back until the run has read it", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "clarify Shall we? | yes\nsay over");
  await page.getByRole("button", { name: "yes", exact: true }).waitFor();
  await page.getByText("Steer", { exact: true }).click();
  await queue(window, "please be brief");
  await queue(window, "never mind");
  const list = waiting(page).getByRole("listitem");
  await list.filter({ hasText: "never mind" }).getByRole("button", { name: "Take back" }).click();
  await page.getByText("Deleted before it was read").waitFor();
  await list.filter({ hasText: "brief" }).getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Queued message" }).fill("please be kind");
  await page.getByRole("button", { name: "Save" }).click();
  await list.getByText("please be kind").waitFor();
  await page.getByRole("button", { name: "yes", exact: true }).click();
  await answers(page).getByText("Noted: please be kind").waitFor();
  await waiting(page).waitFor({ state: "detached" });
  await runIs(page, "completed");
  await page.context().close();
});

test("[UX] words written for a message that was read meanwhile are not lost", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "clarify Shall we? | yes");
  await page.getByRole("button", { name: "yes", exact: true }).waitFor();
  await queue(window, "say as it was");
  await waiting(page).getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Queued message" }).fill("say something long");
  await page.getByRole("button", { name: "yes", exact: true }).click();
  await answers(page).getByText("as it was").waitFor();
  const late = page.getByRole("alert").filter({ hasText: "Too late to change it" });
  await late.getByText("say something long").waitFor();
  await late.getByRole("button", { name: "Discard" }).click();
  await waiting(page).waitFor({ state: "detached" });
  await page.context().close();
});

test("[X1] retry and undo leave the exchange readable, and put files back when asked to", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page, problems } = window;
  const note = () => readFile(join(program.workspace, "undo.txt"), "utf8").catch(() => null);
  await say(window, "say something to keep");
  await runIs(page, "completed");
  await say(window, "write undo.txt written\\n\nsay wrote it");
  await answers(page).getByText("wrote it").waitFor();
  await page.getByRole("button", { name: "Retry", exact: true }).click();
  const again = page.getByRole("dialog", { name: "Retry" });
  await again.getByRole("checkbox", { name: "Also roll back the 1 file it changed" }).check();
  await again.getByRole("button", { name: "Retry", exact: true }).click();
  const undone = page.getByRole("button", { name: /^Undone: write undo\.txt/ });
  await undone.waitFor();
  await page.getByRole("button", { name: "Undo", exact: true }).waitFor();
  await fitsPhone(page);

  await undone.click();
  await answers(page).getByText("wrote it").nth(1).waitFor();
  await undone.click();

  await page.getByRole("button", { name: "Undo", exact: true }).click();
  const sheet = page.getByRole("dialog", { name: "Undo" });
  await sheet.getByRole("checkbox", { name: /Also roll back/ }).check();
  await fitsPhone(page);
  assert.equal(await note(), "written\n");
  await sheet.getByRole("button", { name: "Undo", exact: true }).click();
  await undone.nth(1).waitFor();
  await page.getByText("1 file deleted (created by the agent)").nth(1).waitFor();
  await until(async () => (await note()) === null);
  await runIs(page, "completed");

  const undo = page.getByRole("button", { name: "Undo", exact: true });
  await page.context().setOffline(true);
  await undo.click(); // nothing was written: no question
  await page.getByText("The server does not answer. Try again.").waitFor();
  assert.deepEqual(
    problems.splice(0).filter((text) => !text.includes("ERR_INTERNET")),
    [],
  );
  await page.context().setOffline(false);
  await undo.click();
  await page.getByRole("button", { name: "Undone: say something to keep" }).waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[X1] a message is said again in other words, and a branch goes on beside", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await say(window, "say one");
  await runIs(page, "completed");
  const parent = page.url();
  await page.getByText("say one").last().hover();
  await page.getByRole("button", { name: "Edit and rerun" }).click();
  const sheet = page.getByRole("dialog", { name: "Edit and rerun" });
  await sheet.getByRole("textbox", { name: "Your message" }).fill("say two");
  await sheet.getByRole("button", { name: "Rerun" }).click();
  await answers(page).getByText("two").waitFor();
  await page.getByRole("button", { name: "Undone: say one" }).waitFor();
  await runIs(page, "completed");

  await page.getByText("say two").last().hover();
  await page.getByRole("button", { name: "Branch from here" }).click();
  const branch = page.getByRole("dialog", { name: "Branch from here" });
  await branch.getByRole("textbox", { name: "Name (optional)" }).fill("Another way");
  await branch.getByRole("button", { name: "Open the branch" }).click();
  await page.getByRole("heading", { name: "Another way" }).waitFor();
  assert.notEqual(page.url(), parent);
  await page.getByText("Branch of").waitFor();
  await say(window, "say in the branch");
  await answers(page).getByText("in the branch").waitFor();
  await page.locator("main").getByRole("link").first().click();
  await page.waitForURL(parent);
  await answers(page).getByText("two").waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] the goal stands above the transcript, with how it stands; names can be changed", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page } = window;
  await say(window, "say hello");
  await runIs(page, "completed");
  await page.getByRole("button", { name: /Rename/ }).click();
  await page.getByRole("textbox", { name: "Name of the session" }).fill("Goals");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Goals" }).waitFor();

  await page.getByRole("button", { name: "Session settings" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("What should the agent achieve?").fill("Every test passes");
  await sheet.getByRole("button", { name: "Set the goal" }).click();
  await sheet.getByRole("button", { name: "Pause" }).click();
  await sheet.getByRole("button", { name: "Resume" }).waitFor();
  await fitsPhone(page);
  await page.keyboard.press("Escape");
  const bar = page.getByRole("region", { name: "Goal" });
  await bar.getByText("Every test passes").waitFor();
  await bar.getByText("Paused").waitFor();
  await fitsPhone(page);
  await bar.getByRole("button", { name: "Edit" }).click();
  await sheet.getByRole("button", { name: "Clear" }).click();
  await bar.waitFor({ state: "detached" });
  await page.context().close();
});

test("[UX] on a phone, while a run goes on, all that the message field offers stands in one line", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page, problems } = window;
  await say(window, "pace 100\ncount 300");
  const stop = page.getByRole("button", { name: "Stop", exact: true });
  await stop.waitFor();
  const heightOf = async (name: string) =>
    (await page.getByRole("button", { name, exact: true }).boundingBox())?.y;
  assert.equal(await heightOf("Send"), await heightOf("Stop"));
  await stop.click();
  await runIs(page, "cancelled");
  assert.deepEqual(problems, []);
  await page.context().close();
});
