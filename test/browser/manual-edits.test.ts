// What a person does in the workspace beside the agent: changing a file, looking through git, typing into a
// command that runs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openWindow, runIs, say, type Window } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

const at = (name: string) => join(program.workspace, name);
const content = (name: string) => readFile(at(name), "utf8");
inBrowser();

async function session(message: string, options: BrowserContextOptions = {}): Promise<Window> {
  const window = await openWindow(browser, program, options);
  await say(window, message);
  return window;
}

async function open(page: Page, query: Record<string, string>): Promise<void> {
  const address = new URL(page.url());
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  await page.goto(address.href);
}

const field = (page: Page) => page.getByRole("textbox", { name: "Content of the file" });

for (const [where, options] of [
  ["a desk", {}],
  ["a phone", PHONE],
] as const) {
  test(`[UX, H12] on ${where}: a file is edited and saved, line ends as they were`, async () => {
    await writeFile(at("notes.txt"), "one\r\ntwo\r\n");
    const { page, problems } = await session("say hello", options);
    await runIs(page, "completed");
    await open(page, { panel: "files", path: "notes.txt" });
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await field(page).waitFor();
    assert.equal(await field(page).inputValue(), "one\ntwo\n");
    const save = page.getByRole("button", { name: "Save", exact: true });
    assert.equal(await save.isDisabled(), true);
    await field(page).fill("one\ntwo\nthree ⛵\n");
    if (where === "a phone") await fitsPhone(page);
    if (where === "a phone") await save.click();
    else await page.keyboard.press("ControlOrMeta+s");
    await page.locator('[data-line="3"]').getByText("three ⛵").waitFor();
    assert.equal(await content("notes.txt"), "one\r\ntwo\r\nthree ⛵\r\n");
    await open(page, { panel: "changes" });
    await page.getByLabel("Diff of notes.txt").getByText("three ⛵").waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });
}

test("[UX, H12] what somebody else changed meanwhile is not saved over unseen, and no word is lost", async () => {
  await writeFile(at("shared.txt"), "mine\n");
  const { page, problems } = await session("say hello");
  await runIs(page, "completed");
  await open(page, { panel: "files", path: "shared.txt" });
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await field(page).fill("my long work\n");
  await writeFile(at("shared.txt"), "theirs\n");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("your text is still here").waitFor();
  assert.equal(await content("shared.txt"), "theirs\n");
  assert.equal(await field(page).inputValue(), "my long work\n");

  page.once("dialog", (dialog) => void dialog.accept()); // the browser asks before it leaves
  await page.reload();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  assert.equal(await field(page).inputValue(), "my long work\n", "it outlives a reload");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("your text is still here").waitFor(); // still not over theirs
  assert.equal(await content("shared.txt"), "theirs\n");
  await page.getByRole("button", { name: "Overwrite" }).click();
  await page.locator('[data-line="1"]').getByText("my long work").waitFor();
  assert.equal(await content("shared.txt"), "my long work\n");

  await writeFile(at("mixed.txt"), "a\r\nb\n");
  await open(page, { panel: "files", path: "mixed.txt" });
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByText("This file mixes line endings").waitFor();
  await page.getByRole("button", { name: "Back to the file" }).click();
  await page.locator('[data-line="1"]').waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX, H11] git beside the changes: no repository, then what is not committed, diffs and commits", async () => {
  const { page, problems } = await session("say hello", PHONE);
  await runIs(page, "completed");
  await open(page, { panel: "changes" });
  const part = page.getByRole("region", { name: "Git" });
  await part.getByText("The workspace is in no repository.").waitFor();
  const git = (...args: string[]) => execFileSync("git", args, { cwd: program.workspace });
  await writeFile(at("code.ts"), "const a = 1;\n");
  git("init", "-q", "-b", "main");
  git("add", "code.ts");
  git("-c", "user.name=P", "-c", "user.email=p@example.org", "commit", "-qm", "Begin <b>here</b>");
  await writeFile(at("code.ts"), "const a = 2;\n");
  await writeFile(at("fresh.txt"), "new\n");
  await part.getByRole("button", { name: "Refresh" }).click();
  await part.getByText("main", { exact: true }).waitFor();
  const list = part.getByRole("list", { name: "Not committed" });
  await list.getByRole("button", { name: /code\.ts/ }).click();
  const lines = list.getByLabel("Changed lines");
  assert.equal(await lines.textContent(), "@@ -1 +1 @@\n-const a = 1;\n+const a = 2;\n");
  await fitsPhone(page);
  await part.getByRole("button", { name: /Begin <b>here<\/b>/ }).click();
  await part.getByRole("list", { name: "Last commits" }).getByText("+const a = 1;").waitFor();
  await list.getByRole("button", { name: /fresh\.txt/ }).click();
  await page.locator('[data-line="1"]').getByText("new").waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX, H13] a command that runs is typed into and ended", async () => {
  const { page, problems } = await session("background cat\nclarify Go on? | yes", PHONE);
  await page.getByRole("button", { name: "Allow once" }).click();
  await page.getByText("Running in the background").waitFor();
  await open(page, { panel: "processes" });
  await page.getByRole("textbox", { name: "Type into it" }).fill("hello cat");
  await page.keyboard.press("Enter");
  await page.getByRole("log", { name: "Output of cat" }).getByText("hello cat").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Type into it" }).inputValue(), "");
  await fitsPhone(page);
  await page.getByRole("button", { name: "End it" }).click();
  await page.locator('[data-status="exited"]').first().waitFor();
  assert.equal(await page.getByRole("button", { name: "End it" }).count(), 0);
  assert.deepEqual(problems, []);
  await page.context().close();
});
