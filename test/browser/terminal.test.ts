// A person's own terminal beside the run: it is there after a reload, in several windows, and says honestly
// when it ended with the server.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { openWindow, say, type Window } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

async function withPanel(options = {}): Promise<Window> {
  const window = await openWindow(browser, program, options);
  await say(window, "say Hello.");
  await openPanel(window.page);
  return window;
}

async function openPanel(page: Page): Promise<void> {
  const address = new URL(page.url());
  address.searchParams.set("panel", "terminal");
  await page.goto(address.href);
  await page.locator('[data-panel="terminal"]').waitFor();
}

const panel = (page: Page) => page.locator('[data-panel="terminal"]');
const rows = (page: Page) => panel(page).locator(".xterm-rows");
const newTerminal = (page: Page) => panel(page).getByRole("button", { name: "New terminal" });
const input = (page: Page) => panel(page).getByRole("textbox", { name: "Terminal input" });
const stands = (page: Page, status: string) =>
  panel(page).locator(`[role="status"] [data-status="${status}"]`).waitFor();

async function type(page: Page, line: string): Promise<void> {
  await input(page).focus();
  await page.keyboard.type(line);
  await page.keyboard.press("Enter");
}

test("[UX, PT2] what is typed runs, keys stay in the terminal, and a reload finds it as it was", async () => {
  const { page, problems } = await withPanel();
  await panel(page)
    .getByText(/In the sandbox|runs in the sandbox|runs with your rights/)
    .waitFor();
  await newTerminal(page).click();
  await stands(page, "open");
  await page.keyboard.type("echo zero-$((3+4))\n"); // the keys are the new terminal's: 3 is no view of the page
  await rows(page).getByText("zero-7").waitFor();
  await type(page, "echo one-$((40+2))");
  await rows(page).getByText("one-42").waitFor();
  await page.keyboard.press("Escape"); // a program's key, and no way out
  await page.keyboard.type("?");
  assert.equal(await panel(page).count(), 1);
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.keyboard.press("Backspace");
  await type(page, `printf '\\033[31mred\\033[38;2;1;200;3mgreen\\033[0m\\n'`);
  await rows(page).getByText("green").last().waitFor();

  await page.reload();
  await stands(page, "open");
  await rows(page).getByText("one-42").waitFor();
  await type(page, "echo two-$((40+4)); tput cols");
  await rows(page).getByText("two-44").waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX, PT5] a terminal ended with the server is said to be, while it is watched and after a reload", async () => {
  const { page } = await withPanel();
  await newTerminal(page).click();
  await stands(page, "open");
  await type(page, "echo before-$((1+1))");
  await rows(page).getByText("before-2").waitFor();
  await program.killServer();
  const ended = panel(page).locator('[data-vanished="server"]');
  await ended.getByText(/The server was restarted, and the terminal ended with it/).waitFor();
  await newTerminal(page).click();
  await stands(page, "open");
  await type(page, "echo after-$((1+2))");
  await rows(page).getByText("after-3").waitFor();
  assert.equal(await ended.count(), 0);

  await program.killServer();
  await program.serves();
  await page.reload();
  await ended.waitFor();
  await newTerminal(page).waitFor();
  await page.context().close();
});

test("[UX, PT4] on a phone the sheet fits, has the keys a phone lacks, and exits are told", async () => {
  const { page, problems } = await withPanel(PHONE);
  await newTerminal(page).click();
  await stands(page, "open");
  await fitsPhone(page);
  await type(page, "cat");
  await panel(page).getByRole("button", { name: "Control C" }).click();
  await type(page, "exit 7");
  await panel(page).getByText("Exited 7").waitFor();
  await panel(page)
    .getByRole("button", { name: /Close this terminal/ })
    .click();
  await panel(page).getByText("A shell of your own").waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX, S] titles, links and the clipboard: a program asks, a person decides", async () => {
  const { page, problems } = await withPanel();
  await newTerminal(page).click();
  await stands(page, "open");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate("navigator.clipboard.writeText('mine')");
  await type(
    page,
    `printf '\\033]52;c;c3RvbGVu\\007\\033]2;a\\342\\200\\256title\\007'; echo done-$((1+1))`,
  );
  await rows(page).getByText("done-2").waitFor();
  await panel(page).getByRole("button", { name: "a\\u{202e}title" }).waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), "mine");
  await type(
    page,
    `clear; printf '\\033]8;;https://example.org/x\\033\\\\pressme\\033]8;;\\033\\\\\\n'`,
  );
  const link = rows(page).getByText("pressme", { exact: true }).last();
  await link.waitFor();
  const place = await link.boundingBox(); // what is pressed lies over the letters
  assert.ok(place);
  await page.mouse.move(place.x + 5, place.y + 5);
  await panel(page).locator(".xterm-cursor-pointer").waitFor();
  await page.mouse.click(place.x + 5, place.y + 5);
  await panel(page)
    .getByRole("group", { name: "Open the link?" })
    .getByText("https://example.org/x")
    .waitFor();
  await panel(page).getByRole("button", { name: "Not now" }).click();
  assert.equal(page.context().pages().length, 1);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX, PT3] two windows show the same, and the one that is used decides the size", async () => {
  const { page } = await withPanel();
  await newTerminal(page).click();
  await stands(page, "open");
  const second = await page.context().newPage();
  await second.setViewportSize({ width: 700, height: 500 });
  await second.goto(page.url());
  await stands(second, "open");
  await type(second, "echo both-$((2+3)); stty size");
  for (const one of [page, second]) await rows(one).getByText("both-5").waitFor();
  const fit = panel(page).getByRole("button", { name: "Fit this window" });
  await fit.click();
  await fit.waitFor({ state: "detached" });
  await panel(second).getByRole("button", { name: "Fit this window" }).waitFor();
  await page.context().close();
});
