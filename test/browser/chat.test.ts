// The chat: calls in groups, items that can be selected and linked to, prose with code, formulas and
// diagrams. On a wide screen and on a phone.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { startRun } from "../support/http.ts";
import { openWindow, runIs, say, type Window } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { foldedTranscript, sessionEvents, shownTranscript } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser({}, async () => {
  await writeFile(join(program.workspace, "notes.md"), "one\ntwo\nthree\n");
});

const sessionOf = (page: Page) =>
  decodeURIComponent(new URL(page.url()).pathname.split("/")[2] ?? "");
const heads = (page: Page) => page.locator("[data-group]");
const cards = (page: Page) => page.locator('[data-item="tool"]');
const DONE = "pace 0";

async function everyWidth(
  flow: (window: Window, isPhone: boolean) => Promise<void>,
): Promise<void> {
  const widths: BrowserContextOptions[] = [{}, PHONE];
  for (const options of widths) {
    const window = await openWindow(browser, program, options);
    await flow(window, options === PHONE);
    if (options === PHONE) await fitsPhone(window.page);
    assert.deepEqual(window.problems, []);
    await window.page.context().close();
  }
}

/** Asked once per frame. (`waitForFunction` needs what the page's policy forbids.) */
async function until(page: Page, isTrue: string): Promise<void> {
  for (let frame = 0; frame < 600; frame += 1) {
    if (await page.evaluate(isTrue)) return;
    await page.evaluate("new Promise(requestAnimationFrame)");
  }
  assert.fail(`never: ${isTrue}`);
}

async function inView(item: Locator): Promise<void> {
  await item.waitFor();
  await until(
    item.page(),
    `(() => {
      const box = document.querySelector("[data-selected]").getBoundingClientRect();
      const log = document.querySelector('[role="log"]').getBoundingClientRect();
      return box.bottom > log.top && box.top < log.bottom;
    })()`,
  );
}

test("[UX] [V1] calls that follow each other are one row that says what they did; a press shows them", async () => {
  await everyWidth(async (window, isPhone) => {
    const { page } = window;
    const made = isPhone ? "small.md" : "wide.md";
    const script = [
      "read notes.md",
      "list .",
      `write ${made} new`,
      "read notes.md",
      "say that was it",
    ];
    await say(window, [DONE, ...script].join("\n"));
    await runIs(page, "completed");
    await heads(page).getByText("Read 1 file, edited 1 file, listed 1 folder").waitFor();
    assert.equal(await cards(page).count(), 0, "folded away");
    await heads(page).click();
    await cards(page).nth(3).waitFor();
    await page
      .getByRole("article", { name: "Tool read" })
      .first()
      .getByText("Read notes.md:L1–3")
      .waitFor();
    await page.getByRole("article", { name: "Tool write" }).getByText("+1 −0").waitFor();
    await heads(page).click();
    await cards(page).first().waitFor({ state: "detached" });
    assert.deepEqual(await shownTranscript(page), await foldedTranscript(program, sessionOf(page)));
  });
});

test("[UX] two calls are no group; a call that failed or waits for somebody is in none", async () => {
  await everyWidth(async (window) => {
    const { page } = window;
    const three = ["read notes.md", "read notes.md", "list ."];
    const script = [
      DONE,
      "read notes.md",
      "list .",
      "say first",
      ...three,
      "read missing.md",
      ...three,
      "exec echo asks",
    ];
    await say(window, script.join("\n"));
    await page.getByRole("button", { name: "Allow once" }).waitFor();
    await page.locator('article[data-status="failed"]').waitFor();
    assert.equal(await heads(page).count(), 2);
    assert.equal(await cards(page).count(), 4, "two alone, one failed, one waiting");
    await page.getByRole("button", { name: "Deny" }).click();
    await page.locator('article[data-status="denied"]').waitFor();
    await runIs(page, "completed");
    assert.equal(await heads(page).count(), 2);
  });
});

async function yolo(page: Page): Promise<void> {
  const answer = await fetch(
    `${program.url}/api/sessions/${encodeURIComponent(sessionOf(page))}/settings`,
    {
      method: "POST",
      headers: { authorization: `Bearer ${program.token}`, "content-type": "application/json" },
      body: JSON.stringify({ yolo: true }),
    },
  );
  assert.ok(answer.ok, await answer.text());
}

test("[UX] while calls run, the newest of them names the group", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "say hello");
  await runIs(page, "completed");
  await yolo(page);
  const gate = join(program.workspace, "gate");
  await say(
    window,
    `${DONE}\nread notes.md\nlist .\nexec while [ ! -e ${gate} ]; do sleep 0.1; done\nsay through`,
  );
  const running = page.locator('[data-status="running"] [data-group]');
  await running.getByText("while [ ! -e").waitFor();
  await running.getByText("3 calls").waitFor();
  await writeFile(gate, "");
  await runIs(page, "completed");
  await heads(page).getByText("Ran 1 command, read 1 file, listed 1 folder").waitFor();
  assert.deepEqual(window.problems, []);
  await page.context().close();
});

test("[UX] what was unfolded stays unfolded when it is scrolled away and back", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  const filler = Array.from({ length: 60 }, (_, at) => `say filler ${at}\nread missing-${at}`);
  await say(
    window,
    [DONE, "think deep thought", "read notes.md", "list .", "read notes.md", ...filler].join("\n"),
  );
  await runIs(page, "completed");
  const log = page.getByRole("log");
  await log.focus();
  await page.keyboard.press("Home");
  await page.getByText("Thought for").first().click();
  await page.getByText("deep thought", { exact: true }).waitFor();
  await heads(page).first().click();
  await page
    .getByRole("article", { name: "Tool list_files" })
    .getByRole("button", { name: "Raw" })
    .click();
  await page.getByText("SHA-256 of the plan").waitFor();
  await log.focus();
  await page.keyboard.press("End");
  await page.getByText("filler 59").waitFor();
  await page.getByText("SHA-256 of the plan").waitFor({ state: "detached" });
  await page.keyboard.press("Home");
  await page.getByText("SHA-256 of the plan").waitFor();
  await page.getByText("deep thought", { exact: true }).waitFor();
  assert.deepEqual(window.problems, []);
  await page.context().close();
});

test("[UX] an item is selected by its link, marked, and its address copied; the address opens it", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const filler = Array.from({ length: 40 }, (_, at) => `say filler ${at}\nread missing-${at}`);
  await say(
    window,
    [DONE, "read notes.md", "list .", "read notes.md", "say after", ...filler].join("\n"),
  );
  await runIs(page, "completed");
  const events = await sessionEvents(program, sessionOf(page));
  const listed = events.find(
    ({ type, payload }) =>
      type === "tool.intent" && (payload as { name?: string }).name === "list_files",
  );
  assert.ok(listed, "the call is in the journal");

  await page.goto(
    `${program.url}/s/${encodeURIComponent(sessionOf(page))}/r/${encodeURIComponent(listed.run_id)}?seq=${listed.seq}`,
  );
  const selected = page.locator('[data-item="tool"][data-selected]');
  await inView(selected);
  await selected.getByRole("article", { name: "Tool list_files" }).waitFor();
  assert.equal(await page.getByRole("log").getAttribute("data-status"), "reading");
  await selected.getByRole("button", { name: "Copy link" }).click();
  await selected.getByText("Copied").waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), page.url());

  await heads(page).first().click(); // folding it gives the selection up
  await selected.waitFor({ state: "detached" });
  assert.ok(!page.url().includes("seq="));
  const answer = page.locator('[data-item="text"]').filter({ hasText: "after" });
  await answer.hover();
  const top = await page.evaluate("document.querySelector('[role=log]').scrollTop");
  await answer.getByRole("link", { name: "Select this answer" }).click();
  await page.locator('[data-item="text"][data-selected]').waitFor();
  assert.match(page.url(), /\/r\/.*seq=\d+/);
  assert.equal(
    await page.evaluate("document.querySelector('[role=log]').scrollTop"),
    top,
    "nothing jumps",
  );
  assert.deepEqual(window.problems, []);
  await page.context().close();
});

test("[UX] what is selected stays in view while a run goes on below it", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, `${DONE}\nsay the one to keep`);
  await runIs(page, "completed");
  const kept = page.locator('[data-item="text"]').filter({ hasText: "the one to keep" });
  await kept.hover();
  await kept.getByRole("link", { name: "Select this answer" }).click();
  await page.locator("[data-selected]").waitFor();
  const more = Array.from({ length: 30 }, (_, at) => `say more ${at}\nread missing-${at}`);
  // From elsewhere: who says something here is taken to the end.
  await startRun(program, [DONE, ...more].join("\n"), { session_id: sessionOf(page) });
  await runIs(page, "running");
  await runIs(page, "completed");
  await inView(page.locator("[data-selected]"));
  assert.equal(await page.getByRole("log").getAttribute("data-status"), "reading");
  assert.deepEqual(window.problems, []);
  await page.context().close();
});

test("[UX] a link opens what it names inside an undone run and inside a subagent's card", async () => {
  await everyWidth(async (window) => {
    const { page } = window;
    const filler = Array.from({ length: 30 }, (_, at) => `say filler ${at}`);
    await say(
      window,
      [
        DONE,
        "delegate Looking: read notes.md ;; list . ;; read notes.md ;; say found",
        ...filler,
      ].join("\n"),
    );
    await runIs(page, "completed");
    const sessionId = sessionOf(page);
    const events = await sessionEvents(program, sessionId);
    const inner = events.find(
      ({ type, payload }) =>
        type === "tool.intent" && (payload as { name?: string }).name === "list_files",
    );
    assert.ok(inner);
    const link = `${program.url}/s/${encodeURIComponent(sessionId)}/r/${encodeURIComponent(inner.run_id)}?seq=${inner.seq}`;
    await page.goto(link);
    const nested = page.locator('[data-item="tool"] [data-item="tool"][data-selected]');
    await inView(nested);
    await nested.getByRole("article", { name: "Tool list_files" }).waitFor();

    await page.getByRole("button", { name: "To the end" }).click();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByRole("button", { name: "Undone:" }).waitFor();
    await page.goto(link);
    await inView(nested);
    assert.equal(
      await page.getByRole("button", { name: "Undone:" }).getAttribute("aria-expanded"),
      "true",
    );
  });
});

const PROSE = [
  "# Heading",
  "",
  "Energy is $E = mc^2$ and lunch is $5 or $6.",
  "",
  "$$",
  String.raw`\sum_{i=1}^{n} i = \frac{n(n+1)}{2}`,
  "$$",
  "",
  "```ts",
  `const answer: number = 42; // ${"long ".repeat(60)}`,
  "```",
  "",
  "```mermaid",
  "graph TD",
  "A[Start] --> B[End]",
  "```",
  "",
  "| a | b |",
  "|---|---|",
  "| 1 | 2 |",
].join(String.raw`\n`);

test("[UX] [S] prose has formulas, coloured code and diagrams, and loads nothing for them from elsewhere", async () => {
  await everyWidth(async (window, isPhone) => {
    const { page } = window;
    await say(window, `${DONE}\nsay ${PROSE}`);
    await runIs(page, "completed");
    const answer = page.locator('[data-item="text"]');
    await answer.locator("math msup").waitFor();
    assert.equal(await answer.locator("math").count(), 2);
    assert.match((await answer.textContent()) ?? "", /lunch is \$5 or \$6\./);
    await answer.locator('[data-token="keyword"]', { hasText: "const" }).waitFor();
    const picture = answer.getByRole("img", { name: /^Diagram/ });
    await picture.waitFor();
    assert.match((await picture.getAttribute("src")) ?? "", /^data:image\/svg\+xml/);
    await until(page, "document.querySelector('[role=log] img').naturalWidth > 0");
    await answer.getByRole("button", { name: "Source" }).click();
    await answer.getByText("A[Start] --> B[End]").waitFor();
    const code = answer.locator("figure").first();
    const wide =
      "document.querySelector('figure pre').scrollWidth > document.querySelector('figure pre').clientWidth + 1";
    assert.equal(await page.evaluate(wide), true);
    await code.getByRole("button", { name: "Wrap" }).click();
    assert.equal(await page.evaluate(wide), false);
    await code.getByRole("button", { name: "Wrap" }).click();
    if (isPhone) await fitsPhone(page);
  });
});

test("[UX] while text streams in, what is finished is not drawn again", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(
    window,
    String.raw`pace 15
say first *paragraph*\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n` + "word ".repeat(60),
  );
  const first = page.locator('[data-item="text"] p em');
  await first.waitFor();
  await page.locator('[data-item="text"]').getByText("word word").waitFor();
  await page.evaluate(
    "document.querySelector('[data-item=text] p').mark = document.querySelector('[data-item=text] table').mark = 1",
  );
  await runIs(page, "completed");
  assert.equal(
    await page.evaluate(
      "document.querySelector('[data-item=text] p').mark + document.querySelector('[data-item=text] table').mark",
    ),
    2,
  );
  assert.deepEqual(window.problems, []);
  await page.context().close();
});
