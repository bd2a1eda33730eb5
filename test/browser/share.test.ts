// A session as a file: what the page shows of it is what the file shows, offline and alone; and the file comes back.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openWindow, runIs, say, type Window } from "./support/browser.ts";
import { overflow, PHONE } from "./support/layout.ts";
import { sessionOf } from "./support/screens.ts";
import { browser, inBrowser, program } from "./support/suite.ts";
import { shownTranscript } from "./support/transcript.ts";

inBrowser();
const folder = mkdtempSync(join(tmpdir(), "qd-share-browser-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const HOSTILE = [
  "</script><script>window.pwned = 1</script>",
  "<img src=x onerror=window.pwned=1>",
  "<!-- <script> ]]> \u2028\u2029",
  "[a](javascript:window.pwned=1)",
];
const work = (file: string) =>
  [
    "think The notes come first.",
    "plan Ship the notes; Write them; Tell",
    "step 1",
    `write ${file} # Notes\\n\\nThe run goes on.\\n`,
    `read ${file}`,
    "together",
    "delegate Read the sources: say I read them.",
    "delegate Count again: say There are two.",
    "end",
    `write ${file} # Notes\\n\\nThe run went on.\\n`,
    "step 2",
    "plan done",
    `say Done: the **notes** are written. ${HOSTILE.join(" ")}`,
  ].join("\n");

let sessions = 0;

async function worked(): Promise<Window> {
  const window = await openWindow(browser, program);
  sessions += 1;
  await say(window, work(`notes-${sessions}.md`)); // one that is not there yet
  await window.page.getByText("the notes are written").last().waitFor();
  await runIs(window.page, "completed");
  return window;
}

/** By the palette, as the sheet is set up when it opens. */
async function exported({ page }: Window, choose: (page: Page) => Promise<void> = async () => {}) {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("export this session");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Export this session" }).waitFor();
  await choose(page);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  const saved = await download;
  const path = join(folder, saved.suggestedFilename());
  await saved.saveAs(path);
  await page.getByRole("button", { name: "Close", exact: true }).last().click();
  return path;
}

const everything = (page: Page) => page.getByRole("radio", { name: /^Everything/ }).check();

async function openFile(path: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    offline: true,
    ...options,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => void dialog.dismiss().then(() => problems.push("a dialog")));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  const url = pathToFileURL(path).href;
  await page.goto(url);
  await page.getByRole("log").waitFor();
  const left = () => asked.filter((each) => each !== url && !each.startsWith("data:"));
  return { page, problems, left };
}

const pwned = (page: Page) => page.evaluate("window.pwned");
const texts = async (page: Page, selector: string) => {
  await page.locator(selector).first().waitFor();
  return (await page.locator(selector).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));
};

test("[Y4] a file shows offline what the page shows: chat, tree, timeline, events, changes, activity", async () => {
  const live = await worked();
  const path = await exported(live, everything);
  const file = await openFile(path);
  await file.page.getByText(/A recording of/).waitFor();
  assert.equal(await file.page.locator("#composer").count(), 0, "nobody can write to it");

  assert.deepEqual(await shownTranscript(file.page), await shownTranscript(live.page));
  for (const [view, selector] of [
    ["Tree", '[role="treeitem"]'],
    ["Timeline", "#view tbody tr"],
  ] as const) {
    for (const { page } of [live, file]) {
      await page.getByRole("tab", { name: view }).click();
      if (view === "Timeline") await page.getByRole("button", { name: "Table" }).click();
    }
    const shown = await texts(live.page, selector);
    assert.ok(shown.length > 3, view);
    assert.deepEqual(await texts(file.page, selector), shown);
  }
  await file.page.getByRole("tab", { name: "Events" }).click();
  await file.page.getByText("session.created").first().waitFor();

  await file.page.getByRole("button", { name: "Side panel" }).click();
  const panel = file.page.getByRole("complementary");
  await panel.getByRole("button", { name: "Changes" }).click();
  await panel.getByText("The run went on.").waitFor();
  assert.equal(await panel.getByRole("button", { name: /Roll/ }).count(), 0);
  await panel.getByRole("button", { name: "Activity" }).click();
  await file.page.locator('[data-panel="hud"] li').first().waitFor();
  assert.equal(await panel.getByRole("button", { name: "Files" }).count(), 0);

  await file.page.getByRole("tab", { name: "Chat" }).click();
  await file.page.keyboard.press("[");
  await file.page.getByRole("button", { name: "Back to now" }).click();
  assert.match(file.page.url(), /^file:.*#\/s\//);
  await file.page.reload();
  await file.page.getByRole("log").waitFor();
  assert.deepEqual([await pwned(file.page), file.left(), file.problems], [undefined, [], []]);
  await file.page.context().close();
  await live.page.context().close();
});

test("[Y4] the text of a shared file does nothing, says what was left out, and fits a phone", async () => {
  const live = await worked();
  const path = await exported(live, async (page) => {
    await page.getByRole("checkbox", { name: "the model's thinking" }).check();
  });
  const raw = readFileSync(path, "utf8");
  assert.ok(!raw.includes("window.pwned = 1</script>"));
  assert.match(raw, /default-src &#39;none&#39;/);
  for (const options of [PHONE, { colorScheme: "dark" } as const]) {
    const { page, problems, left } = await openFile(path, options);
    await page.getByText(/A recording of .* redacted/).click();
    await page.getByText(/Left out: known secrets.*thinking/).waitFor();
    await page.getByText("[left out]").first().waitFor({ state: "attached" });
    assert.deepEqual(await overflow(page), []);
    assert.deepEqual([await pwned(page), left(), problems], [undefined, [], []]);
    await page.context().close();
  }
  await live.page.context().close();
});

test("[Y5, Y6] a file comes back as a session that is only shown, and is known the second time", async () => {
  const live = await worked();
  const sessionId = sessionOf(live.page);
  const path = await exported(live, everything);
  const transcript = await shownTranscript(live.page);
  const { page, problems } = live;
  const choose = async () => {
    await page.goto(`${program.url}/`);
    await page.getByRole("button", { name: "Import a session…" }).click();
    const dialog = page.getByRole("dialog", { name: "Import a session" });
    const chooser = page.waitForEvent("filechooser");
    await dialog.getByRole("button", { name: "Choose a file" }).click();
    return { dialog, chooser: await chooser };
  };
  const first = await choose();
  await first.chooser.setFiles(path);
  await page.waitForURL(/\/s\//);
  const imported = sessionOf(page);
  assert.notEqual(imported, sessionId);
  await page.getByText(/A recording of/).waitFor();
  assert.equal(await page.locator("#composer").count(), 0);
  await page.getByText("Imported recording").first().waitFor();
  await page.getByRole("log").waitFor();
  assert.deepEqual(await shownTranscript(page), transcript);
  await page.reload();
  await page.getByText(/A recording of/).waitFor();
  await page.getByRole("button", { name: "Side panel" }).click();
  await page.getByRole("complementary").getByRole("button", { name: "Changes" }).click();
  await page.getByRole("complementary").getByText("The run went on.").waitFor();

  const again = await choose();
  await again.chooser.setFiles(path);
  await again.dialog.getByText("This session has already been imported.").waitFor();
  await again.dialog.getByRole("button", { name: "Open it" }).click();
  await page.waitForURL((url) => url.pathname.endsWith(encodeURIComponent(imported)));

  const wrong = await choose();
  writeFileSync(join(folder, "wrong.html"), "<!doctype html><script>window.pwned = 1</script>");
  await wrong.chooser.setFiles(join(folder, "wrong.html"));
  await wrong.dialog.getByText("This is not a recording of Quarterdeck.").waitFor();
  assert.equal(await pwned(page), undefined);
  assert.deepEqual(
    problems.filter((problem) => !problem.includes("400")), // the browser tells of the refusal too
    [],
  );
  await page.context().close();
});
