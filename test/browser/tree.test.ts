// The run as a tree: its parts, its keys, what waits in it, and that a selection is the same everywhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { openWindow, runIs, say, type Window } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { sessionEvents } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const SCRIPT = [
  "think Let me see.",
  "plan Show; Write; Ask; Run; Rest",
  "step 1",
  "say First a file.",
  "write notes.md one",
  "read missing.md",
  "step 2",
  "together",
  "delegate Lookout: think ahead ;; say clear water",
  "delegate Navigator: say on course",
  "end",
  "step 3",
  "exec ls -la",
  "say over",
].join("\n");

const tree = (page: Page) => page.getByRole("tree", { name: "Execution tree" });
const item = (page: Page, name: RegExp | string) => tree(page).getByRole("treeitem", { name });
/** The words of the row that has the keyboard. */
const focused = (page: Page) => page.evaluate<string>(`document.activeElement?.textContent ?? ""`);
const sessionOf = (page: Page) => new URL(page.url()).pathname.split("/")[2] ?? "";

/** A session whose run waits for an approval, shown as a tree. */
async function waitingTree(window: Window, script = SCRIPT): Promise<void> {
  const { page } = window;
  await say(window, script);
  await runIs(page, "awaiting_approval");
  await page.getByRole("tab", { name: "Tree" }).click();
  await tree(page).waitFor();
}

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

test("[UX] plan steps, turns, calls and subagents are one tree, walked by keyboard alone", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await waitingTree(window);
  await item(page, /^think Let me see/)
    .first()
    .focus();
  await press(page, "End");
  assert.match(await focused(page), /^Step: Rest\s*Not begun/, "what is to come stands last");
  await press(page, "ArrowUp");
  assert.match(await focused(page), /^ls -la\s*Needs approval/);
  await press(page, "ArrowLeft");
  assert.match(await focused(page), /^Turn \d+ · demo\/demo/);
  await press(page, "ArrowLeft");
  assert.equal(await item(page, /^ls -la/).count(), 0, "closed");
  await press(page, "ArrowLeft");
  assert.match(await focused(page), /^Step: Run\s*Running/);

  await press(page, "Home", "l", "o", "o");
  assert.match(await focused(page), /^Lookout\s*Done\s*1 turn/);
  assert.equal(await item(page, /^Lookout/).getAttribute("aria-expanded"), "false");
  await press(page, "*");
  await item(page, /^clear water/).waitFor();
  await item(page, /^on course/).waitFor();
  assert.equal(await item(page, /^clear water/).getAttribute("aria-level"), "6");
  await press(page, "ArrowRight", "ArrowRight", "ArrowDown");
  assert.match(await focused(page), /^Turn 1/);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] what waits and what failed can be shown alone, and answered where it stands", async () => {
  const window = await openWindow(browser, program, { colorScheme: "dark" });
  const { page, problems } = window;
  await waitingTree(window);
  await page.getByRole("button", { name: /Problems and waiting \(\d+\)/ }).click();
  await item(page, /^Read missing\.md Failed/).waitFor();
  assert.equal(await item(page, /^Write notes/).count(), 0);
  await item(page, /^ls -la\s*Needs approval/).click();
  const details = page.getByRole("region", { name: "Details of the selection" });
  await details.getByLabel("Arguments of exec").getByText("ls -la").waitFor();
  await details.getByRole("button", { name: "Allow once" }).click();
  await runIs(page, "completed");
  await item(page, /^ls -la/).waitFor({ state: "detached" });
  await page.getByRole("button", { name: /Problems and waiting/ }).click();
  await item(page, /^ls -la Done/).waitFor();
  await details.getByLabel("Output").getByText("notes.md").waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] a selection is in the address: other views, other windows and the scrubber follow it", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await waitingTree(window);
  await item(page, /^Write notes\.md/).click();
  await page.waitForURL(/\/r\/.*seq=\d+/);
  const events = await sessionEvents(program, sessionOf(page));
  const intent = events.find(
    ({ type, payload }) => type === "tool.intent" && (payload as { name: string }).name === "write",
  );
  assert.equal(new URL(page.url()).searchParams.get("seq"), String(intent?.seq));

  const thought = events.find(
    ({ type, run_id }) => type === "reasoning.delta" && run_id !== intent?.run_id,
  );
  const second = await openWindow(browser, program);
  await second.page.goto(
    `${program.url}/s/${sessionOf(page)}/r/${thought?.run_id}?seq=${thought?.seq}&view=tree`,
  );
  const inside = item(second.page, /^Thinking: ahead/);
  await inside.waitFor();
  assert.equal(await inside.getAttribute("aria-selected"), "true");

  await page.getByRole("button", { name: "Move the scrubber here" }).click();
  await page.waitForURL(/at=\d+/);
  await item(page, /^Write notes\.md Planned/).waitFor();
  assert.equal(await item(page, /^Read missing/).count(), 0, "it has not happened yet");
  await page.getByRole("button", { name: "Back to now" }).click();
  await item(page, /^Write notes\.md Done/).waitFor();

  await item(page, /^First a file/).focus();
  await press(page, "Enter");
  await page.getByRole("log").waitFor();
  assert.match(page.url(), /seq=\d+/);
  assert.deepEqual([...problems, ...second.problems], []);
  await page.context().close();
  await second.page.context().close();
});

test("[UX] on a phone the tree fits, and details open over it", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page, problems } = window;
  await waitingTree(window, "say First\nread missing.md\nexec ls -la");
  await fitsPhone(page);
  await page.getByRole("button", { name: /Problems and waiting/ }).click();
  await item(page, /^ls -la/).click();
  await page.getByRole("button", { name: "Details", exact: true }).click();
  const sheet = page.getByRole("dialog", { name: "ls -la" });
  await sheet.getByRole("button", { name: "Raw events" }).waitFor();
  await fitsPhone(page);
  await press(page, "Escape");
  await sheet.waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
  await page.context().close();
});
