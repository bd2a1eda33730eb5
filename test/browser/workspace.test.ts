// The workspace beside the run: files, search, changes with their way back, and what background commands
// print. Everything here is also a phone's.
import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { ChangesView } from "../../src/kernel/api/records/records.ts";
import { call } from "../support/http.ts";
import { openWindow, runIs, say, type Window } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

const at = (name: string) => join(program.workspace, name);
inBrowser({}, async () => {
  await mkdir(at("src/deep"), { recursive: true });
  await writeFile(at("src/main.ts"), "// A comment\nexport const answer = 42;\n");
  await writeFile(at("src/deep/needle.md"), "# Title\n\nthe haystack\n");
  await writeFile(at(".secret"), "dot\n");
  const numbered = Array.from({ length: 100_000 }, (_, line) => `line ${line + 1}`);
  await writeFile(at("long.log"), `${numbered.join("\n")}\n`);
  await writeFile(at("picture.png"), Buffer.from([0x89, 0, 1]));
  await writeFile(at("gpj.\u202egnp"), "bidi <script>alert(1)</script>\n");
});

async function session(message: string, options: BrowserContextOptions = {}): Promise<Window> {
  const window = await openWindow(browser, program, options);
  await say(window, message);
  return window;
}

async function openPanel(page: Page, panel: "files" | "changes" | "processes"): Promise<void> {
  const address = new URL(page.url());
  address.searchParams.set("panel", panel);
  await page.goto(address.href);
  await page.locator(`[data-panel="${panel}"]`).waitFor();
}

const asked = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const item = (page: Page, name: string) => page.getByRole("treeitem", { name });
const lineOf = (page: Page, line: number) => page.locator(`[data-line="${line}"]`);

for (const [where, options] of [
  ["a desk", {}],
  ["a phone", PHONE],
] as const) {
  test(`[UX] on ${where}: the tree opens folders by key and by press, marks changes, and opens a file`, async () => {
    const { page, problems } = await session("edit src/main.ts | 42 | 43", options);
    await runIs(page, "completed");
    await openPanel(page, "files");
    const tree = page.getByRole("tree", { name: "Files" });
    await item(page, "src").waitFor();
    assert.equal(await item(page, ".secret").count(), 0);
    await page.getByRole("button", { name: "Hidden" }).click();
    await item(page, ".secret").waitFor();
    await tree.focus();
    await page.keyboard.press("Home");
    while (
      (await page.locator('[role="treeitem"][aria-selected="true"]').textContent()) !==
      "src1 changed"
    ) {
      await page.keyboard.press("ArrowDown");
    }
    await page.keyboard.press("ArrowRight");
    await item(page, "main.ts").getByText("+1").waitFor();
    await item(page, "main.ts").getByText("−1").waitFor();
    if (where === "a phone") await fitsPhone(page);
    await page.keyboard.type("mai");
    await page.keyboard.press("Enter");
    await lineOf(page, 2).getByText("export const answer = 43;").waitFor();
    await lineOf(page, 1).locator('[data-token="comment"]').waitFor();
    assert.equal(asked(page, "path"), "src/main.ts");
    await page.getByText("2 lines").waitFor();
    if (where === "a phone") await fitsPhone(page);
    await writeFile(at("src/main.ts"), "// A comment\nexport const answer = 42;\n");
    await page.getByRole("button", { name: "Read the file again" }).click();
    await lineOf(page, 2).getByText("export const answer = 42;").waitFor();
    await page.getByRole("button", { name: "Back to all files" }).click();
    await item(page, "main.ts").waitFor(); // as it was left
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test(`[UX] on ${where}: files and lines are found, by text and by expression, and opened at their line`, async () => {
    const { page, problems } = await session("say hello", options);
    await openPanel(page, "files");
    const box = page.getByRole("textbox", { name: "Find in files" });
    await box.fill("needle");
    await page.getByRole("button", { name: "needle.md src/deep" }).waitFor();
    await box.fill("haystack");
    const hit = page.getByRole("button", { name: "Line 3 the haystack" });
    await hit.waitFor();
    if (where === "a phone") await fitsPhone(page);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await lineOf(page, 3).getByText("the haystack").waitFor();
    assert.equal(asked(page, "line"), "3");
    await page.getByRole("button", { name: "Back to what was found" }).click();
    await hit.waitFor();
    await box.fill("^line (77|78)$");
    await page.getByText("No results.").waitFor();
    await page.getByRole("button", { name: "Search options" }).click();
    await page.getByLabel("Regular expression").check();
    await page.getByRole("button", { name: "Line 78 line 78" }).waitFor();
    await box.fill("(");
    await page.getByRole("alert").waitFor();
    await box.press("Escape");
    await page.getByRole("button", { name: "Back to all files" }).click();
    await item(page, "src").waitFor();
    assert.deepEqual(
      problems.filter((problem) => !problem.includes("400")),
      [],
    );
    await page.context().close();
  });

  test(`[UX] on ${where}: an address opens a line of a very long file, and only what is seen is drawn`, async () => {
    const { page, problems } = await session("say hello", options);
    await openPanel(page, "files");
    await page.goto(`${page.url()}&path=long.log&line=54321`);
    await lineOf(page, 54_321).getByText("line 54321").waitFor();
    assert.equal(await lineOf(page, 54_321).getAttribute("data-selected"), "true");
    assert.ok((await page.locator("[data-line]").count()) < 200);
    await lineOf(page, 54_322).getByRole("link", { name: "Line 54322" }).click();
    assert.equal(asked(page, "line"), "54322");
    await lineOf(page, 54_324)
      .getByRole("link")
      .click({ modifiers: ["Shift"] });
    await page.getByText("lines 54322–54324").waitFor();
    const field = page.getByRole("textbox", { name: "Go to line" });
    await field.fill("100000");
    await field.press("Enter");
    await lineOf(page, 100_000).getByText("line 100000").waitFor();
    await page.getByRole("button", { name: "Wrap" }).click();
    await lineOf(page, 100_000).getByText("line 100000").waitFor();
    if (where === "a phone") await fitsPhone(page);
    await page.getByRole("button", { name: "Wrap" }).click();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test(`[UX] on ${where}: changes are shown by session, run and checkpoint, and taken back and forth`, async () => {
    const kept = `kept-${where.slice(2)}.txt`;
    await writeFile(at(kept), "one\ntwo\n");
    const script = `edit ${kept} | one | ONE\nwrite made-${where.slice(2)}.txt new\\n`;
    const window = await session(script, options);
    const { page, problems } = window;
    await runIs(page, "completed");
    await say(window, `append ${kept} three\\n`);
    await page.getByText("Append").first().waitFor();
    await runIs(page, "completed");
    await openPanel(page, "changes");
    const panel = page.locator('[data-panel="changes"]');
    await panel.getByText("2 files").first().waitFor();
    await panel.getByText("+3", { exact: true }).waitFor();
    if (where === "a phone") await fitsPhone(page);
    const scope = panel.getByRole("combobox", { name: "Changes of" });
    await scope.selectOption({ label: `2. append ${kept} three\\n` });
    await panel.getByText("1 file").first().waitFor();
    await panel.getByText("+three").waitFor();
    await panel.getByRole("button", { name: "Roll back…" }).click();
    await panel.getByRole("button", { name: "Roll back 1 file" }).click();
    await panel.getByText("Rolled back.").waitFor();
    assert.equal(await readFile(at(kept), "utf8"), "ONE\ntwo\n");
    await panel.getByRole("button", { name: "Undo this rollback…" }).click();
    await panel.getByRole("button", { name: "Roll back…" }).click();
    await panel.getByRole("button", { name: "Roll back 1 file" }).click();
    await panel.getByText("Rolled back.").waitFor();
    assert.equal(await readFile(at(kept), "utf8"), "ONE\ntwo\nthree\n");
    if (where === "a phone") await fitsPhone(page);
    await scope.selectOption({ label: "The whole session" });
    await panel.getByRole("button", { name: "Roll back…" }).click();
    await panel.getByRole("button", { name: "Roll back 2 files" }).click();
    await panel.getByText("Rolled back.").waitFor();
    assert.equal(await readFile(at(kept), "utf8"), "one\ntwo\n");
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test(`[UX] on ${where}: what a background command prints is there as it prints it, in colours only`, async () => {
    const log = `log-${where.slice(2)}.txt`;
    await writeFile(at(log), "\u001b[31mred\u001b[0m first\u001b[2J\n");
    const { page, problems } = await session(
      `background tail -n +1 -f ${log}\nclarify Go on? | yes\nsay done`,
      options,
    );
    await page.getByRole("button", { name: "Allow once" }).click();
    await page.getByRole("button", { name: "yes", exact: true }).waitFor();
    await openPanel(page, "processes");
    const output = page.getByRole("log", { name: /^Output of tail/ });
    await output.getByText("first").waitFor();
    await output.locator('[data-color="red"]', { hasText: "red" }).waitFor();
    assert.equal(await output.textContent(), "red first\n");
    const status = page.locator('[data-panel="processes"] [data-status]');
    await status.getByText("Running").waitFor();
    for (let line = 0; line < 200; line += 1) await appendFile(at(log), `more ${line}\n`);
    await output.getByText("more 199").waitFor();
    assert.equal(await output.getAttribute("data-status"), "following");
    await output.focus();
    await page.keyboard.press("Home");
    await page.getByRole("button", { name: "To the end" }).waitFor();
    if (where === "a phone") await fitsPhone(page);
    await page.getByRole("button", { name: "Show the call" }).click();
    assert.ok(asked(page, "seq"));
    await page.getByRole("button", { name: "Close the panel" }).click();
    await page.getByRole("button", { name: "yes", exact: true }).click();
    await runIs(page, "completed");
    await openPanel(page, "processes");
    await status.getByText(/^Ended by/).waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });
}

test("[S, UX] a name and a content that try something are shown as what they are", async () => {
  const { page, problems } = await session("say hello");
  await openPanel(page, "files");
  await item(page, String.raw`gpj.\u{202e}gnp`).click();
  await lineOf(page, 1).getByText("bidi <script>alert(1)</script>").waitFor();
  await page.goto(page.url().replace(/path=[^&]*/, "path=picture.png"));
  await page.getByText("A binary file: there is no text to show.").waitFor();
  await page.goto(page.url().replace(/path=[^&]*/, "path=..%2Fhome%2Ftoken"));
  await page.getByRole("alert").getByText("outside the workspace").waitFor();
  await page.goto(page.url().replace(/path=[^&]*/, "path=home%2Ftoken"));
  await page.getByRole("alert").getByText("not for tools").waitFor();
  assert.deepEqual(
    problems.filter((problem) => !problem.includes("403")),
    [],
  );
  await page.context().close();
});

for (const [where, options] of [
  ["a desk", {}],
  ["a phone", PHONE],
] as const) {
  test(`[UX, T4] on ${where}: at a moment of the past tree, file and changes are those of then`, async () => {
    const name = where.split(" ")[1];
    const old = `old-${name}.txt`;
    await writeFile(at(old), "as it was\n");
    const gone = `write ${name}-gone.txt 3\\n\nexec rm ${name}-gone.txt`;
    const message = `write ${name}.txt 1\\n\nedit ${old} | was | is\nwrite later-${name}/a.txt 2\\n\n${gone}`;
    const { page, problems } = await session(message, options);
    await page.getByRole("button", { name: "Allow once" }).click();
    await runIs(page, "completed");
    await openPanel(page, "changes");
    const panel = page.locator('[data-panel="changes"]');
    await panel.getByText("3 files").first().waitFor();
    const sessionId = new URL(page.url()).pathname.split("/")[2];
    const { body } = await call<ChangesView>(program, "GET", `/api/sessions/${sessionId}/changes`);
    await page.goto(`${page.url()}&at=${body.data.changes[0]?.session_seq}`);
    await panel.getByText("1 file").first().waitFor();
    await panel.getByText("A rollback is about now.").waitFor();
    await panel.getByText(`${name}.txt`, { exact: true }).waitFor();
    await panel.getByText(old, { exact: true }).waitFor({ state: "detached" });
    await openPanel(page, "files");
    await page.getByText("1 file changed by then").waitFor();
    await item(page, `${name}.txt`).first().waitFor();
    await item(page, `later-${name}`).waitFor({ state: "detached" });
    await item(page, old).click();
    await lineOf(page, 1).getByText("as it was").waitFor();
    await page.getByText("as it was then").waitFor();
    const files = page.locator('[data-panel="files"]');
    assert.equal(await files.getByRole("button", { name: "Edit" }).count(), 0, "the past is over");
    if (where === "a phone") await fitsPhone(page);
    await page.goto(page.url().replace(`path=${old}`, `path=later-${name}%2Fa.txt`));
    await page.getByText("There was no such file at this moment.").waitFor();
    await page.getByRole("button", { name: "Later change" }).click();
    await lineOf(page, 1).getByText("2").waitFor();
    await page.getByRole("button", { name: "Earlier change" }).click();
    await page.getByText("There was no such file at this moment.").waitFor();
    if (where === "a phone") await fitsPhone(page);
    await page.getByRole("button", { name: "Now", exact: true }).click();
    await lineOf(page, 1).getByText("2").waitFor();
    assert.equal(asked(page, "at"), null);
    await page.goto(page.url().replace(/path=[^&]*/, `path=${name}-gone.txt`));
    await page.getByText("There is no such file.").waitFor();
    await page.getByRole("button", { name: "Show it as it was" }).click();
    await lineOf(page, 1).getByText("3").waitFor();
    assert.deepEqual(
      problems.filter((problem) => !problem.includes("404")),
      [],
    );
    await page.context().close();
  });
}

test("[UX] the scrubber goes where it is dragged, and the open file changes without a blank between", async () => {
  const edits = Array.from({ length: 8 }, (_, edit) => `edit drag.txt | ${edit} | ${edit + 1}`);
  const { page, problems } = await session(["write drag.txt 0", ...edits].join("\n"));
  await runIs(page, "completed");
  await openPanel(page, "files");
  await page.goto(`${page.url()}&path=drag.txt`);
  await lineOf(page, 1).getByText("8").waitFor();
  await page.evaluate(`window.seen = [];
    const look = () => {
      const line = document.querySelector('[data-line="1"] code')?.textContent ?? "blank";
      if (line !== seen.at(-1)) seen.push(line);
      requestAnimationFrame(look);
    };
    look();`);
  const slider = page.getByRole("slider", { name: "Moment" });
  const box = await slider.boundingBox();
  assert.ok(box);
  const moments: number[] = [];
  const drag = async (part: number) => {
    await page.mouse.move(box.x + box.width * part, box.y + box.height / 2);
    moments.push(Number(await slider.inputValue()));
  };
  await drag(0.99);
  await page.mouse.down();
  for (let part = 0.98; part > 0.3; part -= 0.02) await drag(part);
  assert.deepEqual(
    moments,
    moments.toSorted((one, other) => other - one),
    "never back to now",
  );
  await page.mouse.up();
  const moment = Number(asked(page, "at"));
  assert.ok(moment > 0 && moment < Math.max(...moments) / 2);
  await page.getByText("as it was then").waitFor();
  const sessionId = new URL(page.url()).pathname.split("/")[2];
  const { body } = await call<ChangesView>(program, "GET", `/api/sessions/${sessionId}/changes`);
  const edited = body.data.changes.filter(({ session_seq }) => session_seq <= moment).length - 1;
  await lineOf(page, 1).getByText(String(edited), { exact: true }).waitFor();
  const seen = await page.evaluate<string[]>("seen");
  assert.deepEqual(seen, seen.toSorted().toReversed(), "no blank, and none twice");
  assert.deepEqual(problems, []);
  await page.context().close();
});
