// What the agent did to files: shown as a diff, and taken back after a look at what that means.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { openWindow, runIs, say } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const file = (name: string) => join(program.workspace, name);
const content = (name: string) => readFile(file(name), "utf8").catch(() => null);

async function openChanges(page: Page, name: string) {
  await page.getByRole("button", { name }).last().click();
  return page.getByRole("dialog", { name });
}

test("[UX] a card shows its own diff, with nothing hidden in it", async () => {
  await writeFile(file("poem.txt"), "one\ntwo\nthree\n");
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await say(window, "edit poem.txt | two | TWO \u202e hidden\nappend poem.txt four\\n");
  await runIs(page, "completed");
  const card = page.getByRole("article", { name: "Tool edit" });
  await card.getByText("Edit poem.txt:2").waitFor();
  await card.getByRole("button", { name: "Diff" }).click();
  const lines = card.getByLabel("Changed lines");
  await lines.waitFor();
  assert.equal(
    await lines.textContent(),
    ["@@ -1,3 +1,3 @@", " one", "-two", String.raw`+TWO \u{202e} hidden`, " three", ""].join("\n"),
  );
  await card.getByText("+1", { exact: true }).waitFor();
  const all = await openChanges(page, "Changed 1 file");
  await all.getByText("+2", { exact: true }).waitFor(); // both calls together
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] a rollback is looked at first, carried out on a second press, and can itself be rolled back", async () => {
  await writeFile(file("kept.txt"), "before\n");
  const window = await openWindow(browser, program, PHONE);
  const { page, problems } = window;
  await say(window, "edit kept.txt | before | after\nwrite made.txt new\\n");
  await runIs(page, "completed");
  const sheet = await openChanges(page, "Changed 2 files");
  await sheet.getByLabel("Changed lines").first().waitFor();
  await fitsPhone(page);
  await sheet.getByRole("button", { name: "Roll back…" }).click();
  await sheet.getByText("1 file will be restored").waitFor();
  await sheet.getByText("1 file would be removed").waitFor();
  assert.equal(await content("kept.txt"), "after\n", "a look changes nothing");
  await fitsPhone(page);
  await sheet.getByRole("button", { name: "Roll back 2 files" }).click();
  await sheet.getByText("Rolled back.").waitFor();
  assert.equal(await content("kept.txt"), "before\n");
  assert.equal(await content("made.txt"), null);

  await page.keyboard.press("Escape");
  await runIs(page, "completed");
  const undo = await openChanges(page, "Changed 2 files"); // of the rollback, the newest
  await undo.getByRole("button", { name: "Roll back…" }).click();
  await undo.getByRole("button", { name: "Roll back 2 files" }).click();
  await undo.getByText("Rolled back.").waitFor();
  assert.equal(await content("kept.txt"), "after\n");
  assert.equal(await content("made.txt"), "new\n");

  await page.keyboard.press("Escape");
  const looks = page.getByRole("button", { name: "What it would do" });
  await looks.nth(1).waitFor();
  await looks.first().click();
  const open = await looks.evaluateAll((all) => all.map(({ ariaExpanded }) => ariaExpanded));
  assert.deepEqual(open, ["true", "false"], "one press opens one card");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] what somebody else changed since stands in the way, and nothing is rolled back", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "write mine.txt by the agent\\n\nwrite other.txt also\\n");
  await runIs(page, "completed");
  await writeFile(file("mine.txt"), "by a person\n");
  const sheet = await openChanges(page, "Changed 2 files");
  await sheet.getByRole("button", { name: "Roll back…" }).click();
  const conflicts = sheet.getByRole("region", { name: "Conflicts" });
  await conflicts.getByText("mine.txt").waitFor();
  await conflicts.getByText("was changed since, not by this agent").waitFor();
  assert.equal(await sheet.getByRole("button", { name: /^Roll back \d/ }).count(), 0);
  assert.equal(await content("other.txt"), "also\n");

  await sheet.getByRole("button", { name: "Only the other 1 file…" }).click();
  await sheet.getByRole("button", { name: "Roll back 1 file" }).click();
  await sheet.getByText("Rolled back.").waitFor();
  assert.deepEqual(
    [await content("mine.txt"), await content("other.txt")],
    ["by a person\n", null],
  );
  await page.context().close();
});

test("[UX] a command lists what it changed; one that goes on says so", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "exec echo x > by-command.txt\nbackground sleep 30\nclarify Go on? | yes");
  await page.getByRole("button", { name: "Allow once" }).click();
  const card = page.getByRole("article", { name: "Tool exec" }).first();
  await card.getByText("by-command.txt", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Allow once" }).click();
  await page.getByText("Running in the background").waitFor();
  await page.getByRole("button", { name: "yes", exact: true }).click();
  await runIs(page, "completed");
  await page.getByText(/^Ended/).waitFor();
  await page.context().close();
});
