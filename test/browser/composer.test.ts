// Speaking: keys, commands, what was said before, and words that must not get lost.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openWindow, runIs, say } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { sessionEvents } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const PLACES: Readonly<Record<string, BrowserContextOptions>> = { wide: {}, "390 px": PHONE };
const fits = async (page: Page) =>
  (page.viewportSize()?.width ?? 0) > 400 || (await fitsPhone(page));
const sessionOf = (page: Page) => decodeURIComponent(new URL(page.url()).pathname.slice(3));
const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
const answers = (page: Page) => page.locator('[data-item="text"]');
const waiting = (page: Page) => page.getByRole("region", { name: "Queued messages" });
const commands = (page: Page) => page.getByRole("listbox", { name: "Commands" });
const dialog = (page: Page) => page.getByRole("dialog");
const escapeTwice = ({ keyboard }: Page) =>
  Promise.all([keyboard.press("Escape"), keyboard.press("Escape")]);
const modesOf = async (page: Page) =>
  (await sessionEvents(program, sessionOf(page)))
    .filter(({ type }) => type === "message.user")
    .map(({ payload }) => (payload as { mode: string }).mode);

test("[UX] a message that is too long stays in its field, which says how long it may be", async () => {
  const { page, problems } = await openWindow(browser, program, {});
  const words = "a line of a log ".repeat(9_000).trim();
  await field(page).fill(words);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("alert").getByText("at most 131,072 can be sent").waitFor();
  assert.equal(await field(page).inputValue(), words);
  assert.equal(await page.getByText("Not accepted").count(), 0);
  assert.deepEqual(problems, []);
  await page.context().close();
});

for (const [where, options] of Object.entries(PLACES)) {
  test(`[UX] the field grows and is bounded, keeps its words through a reload, and recalls what was said (${where})`, async () => {
    const window = await openWindow(browser, program, options);
    const { page, problems } = window;
    await say(window, "say first");
    await runIs(page, "completed");
    await say(window, "say second");
    await answers(page).getByText("second").waitFor();
    await runIs(page, "completed");
    const low = (await field(page).boundingBox())?.height ?? 0;
    await field(page).focus();
    await page.keyboard.type("one");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two");
    assert.equal(await field(page).inputValue(), "one\ntwo");
    assert.ok(((await field(page).boundingBox())?.height ?? 0) > low, "it grows");
    await field(page).fill("line\n".repeat(200));
    const { height = 0 } = (await field(page).boundingBox()) ?? {};
    assert.ok(height <= 0.4 * (page.viewportSize()?.height ?? 0) + 1, `it is bounded: ${height}`);
    await fits(page);
    await field(page).fill("half a thought");
    await page.reload();
    await runIs(page, "completed");
    assert.equal(await field(page).inputValue(), "half a thought");

    await field(page).fill("");
    await page.keyboard.press("ArrowUp");
    assert.equal(await field(page).inputValue(), "say second");
    await page.keyboard.press("ArrowUp");
    assert.equal(await field(page).inputValue(), "say first");
    await page.keyboard.press("ArrowDown");
    assert.equal(await field(page).inputValue(), "say second");
    await page.keyboard.type(", once more");
    await page.keyboard.press("Enter");
    await answers(page).getByText("second, once more").waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test(`[UX] while a run goes on Enter queues, Ctrl+Enter steers, Esc stops and says so until it has (${where})`, async () => {
    const window = await openWindow(browser, program, options);
    const { page, problems } = window;
    await say(window, "clarify Shall we? | yes\npace 400\ncount 1000");
    await page.getByRole("button", { name: "yes", exact: true }).waitFor();
    await page
      .getByText("The agent is waiting for your answer. This message will be queued.")
      .waitFor();
    await fits(page);
    await field(page).fill("say for later");
    await page.keyboard.press("Enter");
    await waiting(page).getByText("say for later").waitFor();
    await field(page).fill("for now");
    await page.keyboard.press("Control+Enter");
    await waiting(page).getByText("for now").waitFor();
    assert.deepEqual(await modesOf(page), ["start", "queue", "steer"]);
    await page.getByText("Steer", { exact: true }).click();
    await page.getByText("it reads this when it goes on").waitFor();
    await field(page).fill("say also for later");
    await page.keyboard.press("Control+Enter");
    await waiting(page).getByText("2 queued").waitFor();
    assert.deepEqual((await modesOf(page)).toSorted(), ["queue", "queue", "start", "steer"]);

    await page.getByRole("button", { name: "yes", exact: true }).click();
    await answers(page).first().waitFor();
    await field(page).focus();
    const stopping = page.getByRole("button", { name: "Stopping…" }).waitFor();
    await page.route(/\/cancel$/, async (route) => {
      await stopping; // a stop may be over before anybody sees that it is under way
      await route.continue();
    });
    await page.keyboard.press("Escape");
    await stopping;
    await answers(page).getByText("later").first().waitFor();
    await runIs(page, "completed");
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test(`[UX] Esc-Esc opens the turn list: rewind, say differently and branch, by keys alone (${where})`, async () => {
    const window = await openWindow(browser, program, options);
    const { page, problems } = window;
    for (const text of ["say one", "say two", "say three"]) {
      await say(window, text);
      await answers(page).getByText(text.slice(4)).waitFor();
      await runIs(page, "completed");
    }
    await field(page).focus();
    await escapeTwice(page);
    const rows = dialog(page).getByRole("listitem");
    await rows.nth(2).waitFor();
    assert.match(await rows.nth(0).innerText(), /say three[^]*undoes 1 exchange/);
    assert.match(await rows.nth(2).innerText(), /say one[^]*undoes 3 exchanges/);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const rewind = dialog(page).getByRole("button", {
      name: "Rewind to before it (undo 2 exchanges)",
    });
    await rewind.waitFor();
    await fits(page);
    await page.keyboard.press("Enter"); // it has the focus
    await page.getByRole("button", { name: "Undone: say three" }).waitFor();
    await page.getByRole("button", { name: "Undone: say two" }).waitFor();
    await dialog(page).waitFor({ state: "detached" });

    await field(page).focus();
    await escapeTwice(page);
    await rows.first().waitFor();
    assert.equal(await rows.count(), 1);
    await page.keyboard.press("Enter");
    await rewind.or(dialog(page).getByRole("button", { name: /undo 1 exchange/ })).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await dialog(page).getByRole("textbox", { name: "Your message" }).fill("say otherwise");
    await dialog(page).getByRole("button", { name: "Rerun" }).press("Enter");
    await answers(page).getByText("otherwise").waitFor();
    await runIs(page, "completed");

    await field(page).focus();
    await escapeTwice(page);
    await rows.first().waitFor();
    await page.keyboard.press("Enter");
    await dialog(page).getByRole("button", { name: "Branch from here" }).press("Enter");
    await dialog(page).getByRole("button", { name: "Open the branch" }).press("Enter");
    await page.getByRole("heading", { name: /^Branch of say one/ }).waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test(`[UX] a slash opens the commands: moved through, filtered, closed and carried out (${where})`, async () => {
    const window = await openWindow(browser, program, options);
    const { page, problems } = window;
    await say(window, "clarify Shall we? | yes");
    await page.getByRole("button", { name: "yes", exact: true }).waitFor();
    await field(page).focus();
    await page.keyboard.type("/");
    await commands(page).waitFor();
    await fits(page);
    const active = () =>
      page.evaluate<string>(
        `document.getElementById(document.querySelector("#composer").getAttribute("aria-activedescendant"))?.textContent ?? ""`,
      );
    assert.match(await active(), /^\/stop/);
    await page.keyboard.press("ArrowDown");
    assert.match(await active(), /^\/steer <message>/);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    assert.match(await active(), /^\/help/);
    await page.keyboard.type("ti");
    assert.equal(await commands(page).getByRole("option").count(), 1);
    await page.keyboard.press("Escape");
    await commands(page).waitFor({ state: "detached" });
    assert.equal(await field(page).inputValue(), "/ti");
    await runIs(page, "awaiting_clarify"); // nothing was stopped
    await page.keyboard.type("t");
    await page.keyboard.press("Tab");
    assert.equal(await field(page).inputValue(), "/title ");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("/title needs <title>.").waitFor();
    assert.equal(await field(page).inputValue(), "/title ", "the text is kept");
    await page.keyboard.type("By slash");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "By slash" }).waitFor();
    assert.equal(await field(page).inputValue(), "");

    await field(page).fill("/steer quickly");
    await page.keyboard.press("Enter");
    await waiting(page).getByText("quickly").waitFor();
    await field(page).fill("/undo");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("A run is active: stop it first.").waitFor();
    await field(page).fill("/sto");
    await page.keyboard.press("Enter");
    await runIs(page, "cancelled");
    await field(page).fill("/deploy now");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("There is no command /deploy.").waitFor();
    assert.deepEqual(await modesOf(page), ["start", "steer"], "nothing was sent");
    await page.keyboard.press("Enter");
    await page.getByRole("log").getByText("/deploy now", { exact: true }).waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });
}

test("[UX] commands for goal, model, yolo, undo, retry and branch do what their buttons do", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  const type = async (text: string) => {
    await field(page).fill(text);
    await page.keyboard.press("Enter");
  };
  await say(window, "say hello");
  await runIs(page, "completed");
  await type("/goal every test passes");
  const bar = page.getByRole("region", { name: "Goal" });
  await bar.getByText("every test passes").waitFor();
  await type("/goal pause");
  await bar.getByText("Paused").waitFor();
  await type("/goal clear");
  await bar.waitFor({ state: "detached" });

  await field(page).fill("/model dem");
  const choices = page.getByRole("listbox", { name: "Choices" });
  await choices.getByRole("option", { name: "demo/demo" }).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await field(page).inputValue(), "/model demo/demo");
  await page.keyboard.press("Enter");
  await page.getByText("The next run uses demo/demo.").first().waitFor();

  await type("/yolo on");
  const question = page.getByRole("alertdialog");
  await question.getByText("Nothing in this session will wait for you").waitFor();
  await page.keyboard.press("Enter"); // the safe answer has the focus
  await question.waitFor({ state: "detached" });
  assert.equal(await page.locator('[data-status="yolo"]').count(), 0);
  await type("/yolo on");
  await question.getByRole("button", { name: "Stop asking" }).click();
  await page.locator('header [data-status="yolo"]').waitFor();
  await type("/yolo off");
  await page.locator('[data-status="yolo"]').first().waitFor({ state: "detached" });

  await type("/retry");
  await page.getByRole("button", { name: "Undone: say hello" }).waitFor();
  await runIs(page, "completed");
  await type("/undo");
  await page.getByRole("button", { name: "Undone: say hello" }).nth(1).waitFor();
  await type("/undo");
  await page.getByRole("alert").getByText("There is nothing to undo.").waitFor();
  assert.equal(await field(page).inputValue(), "/undo");
  await type("/branch");
  await page.getByRole("alert").getByText("There is nothing to branch from yet.").waitFor();
  await type("/new");
  await page.locator('[data-page="start"]').waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] without a server words wait, come back to be edited, and are sent once; the past takes no words away", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page, problems } = window;
  await say(window, "say hello");
  await runIs(page, "completed");
  await page.context().setOffline(true);
  await field(page).fill("say wrong");
  await page.keyboard.press("Enter");
  await page.getByText("Not sent yet").waitFor();
  await page.getByText("Offline. It will be sent when the server is back.").waitFor();
  await fits(page);
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  assert.equal(await field(page).inputValue(), "say wrong");
  assert.equal(await page.getByText("Not sent yet").count(), 0);
  await field(page).fill("say right");
  await page.keyboard.press("Enter");
  await page.getByText("Not sent yet").waitFor();
  await page.context().setOffline(false);
  await answers(page).getByText("right").waitFor();
  await runIs(page, "completed");
  problems.splice(0); // that nobody answered was said in the console, too

  await page.goto(`${page.url()}?at=3`);
  await page.getByText("You’re viewing the past. New messages go to the live session.").waitFor();
  await field(page).fill("say from the past");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Back to now" }).click();
  await answers(page).getByText("from the past").waitFor();
  const said = (await sessionEvents(program, sessionOf(page))).filter(
    ({ type }) => type === "run.queued",
  );
  assert.equal(said.length, 3, "each once");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] who writes on while the session opens loses no letter, however fast", async () => {
  const letters = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (const delay of [0, 5, 20, 0, 5, 20]) {
    const { page, problems } = await openWindow(browser, program);
    await field(page).click();
    await page.keyboard.type("say hello");
    await page.keyboard.press("Enter");
    await page.keyboard.type(letters, { delay });
    await page.waitForURL(/\/s\//);
    await page.locator("#composer:focus").waitFor();
    assert.equal(await field(page).inputValue(), letters, `a letter every ${delay} ms`);
    assert.deepEqual(problems, []);
    await page.context().close();
  }
});
