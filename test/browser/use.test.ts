// Using the page: by keyboard alone, on a phone, offline, with hostile content, without a login.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { blankWindow, openWindow, runIs, say } from "./support/browser.ts";
import { fitsPhone, overflow, PHONE } from "./support/layout.ts";
import { sessionEvents } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const sessionOf = (page: Page) => decodeURIComponent(new URL(page.url()).pathname.slice(3));

async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    const focused = await page.evaluate<string>(
      "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''",
    );
    if (focused.trim().startsWith(name)) return; // the keys of a button stand behind its name
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab never reaches “${name}”`);
}

test("[S] without a login there is a calm page; a link works once", async () => {
  const { page } = await blankWindow(browser, program);
  await page.goto(program.url);
  await page.getByRole("heading", { name: "You’re signed out" }).waitFor();
  const link = await program.newLink();
  await page.getByLabel("Or paste the link or its code here").fill(link);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.locator('[data-page="start"]').waitFor();

  const late = await blankWindow(browser, program);
  await late.page.goto(link);
  await late.page.getByRole("alert").getByText("used already").waitFor();
  assert.equal(new URL(late.page.url()).hash, "");
  await page.context().close();
  await late.page.context().close();
});

test("[UX] everything can be done by keyboard: send, approve, break a line, stop", async () => {
  const { page, problems } = await openWindow(browser, program);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter"); // "Skip to the message field"
  await page.keyboard.type("exec echo by hand");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/s\//);
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await tabTo(page, "Allow once");
  await page.keyboard.press("Enter");
  await page.getByLabel("Output").getByText("by hand").waitFor();
  await runIs(page, "completed");

  await tabTo(page, "Message");
  await page.keyboard.type("pace 40");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("count 2000");
  await page.keyboard.press("Enter");
  await page.getByText(/1 2 3 4/).waitFor();
  await page.keyboard.press("Escape");
  await runIs(page, "cancelled");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] at 390 px nothing is wider than the screen, targets are 44 px, sessions are in a drawer", async () => {
  const { page } = await openWindow(browser, program, PHONE);
  assert.deepEqual(await overflow(page), []);
  const wide = "x".repeat(400);
  await say({ page, problems: [] }, `say ${wide} and \`${wide}\`\nexec echo ${wide}`);
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  await fitsPhone(page);
  await page.getByRole("button", { name: "Sessions" }).click();
  await page.getByRole("link", { name: "New session" }).click();
  await page.locator('[data-page="start"]').waitFor();
  await page.context().close();
});

test("[S] hostile text runs nothing, loads nothing and hides nothing", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await say(
    window,
    [
      String.raw`say <img src=x onerror="globalThis.pwned=1"> [bad](javascript:alert(1)) [good](https://example.com/) ![pic](https://example.com/p.png)`,
      "exec echo safe \u202e gnp.exe",
    ].join("\n"),
  );
  await page.getByRole("button", { name: "Allow once" }).waitFor();
  assert.equal(await page.locator('[role="log"] img').count(), 0);
  assert.equal(await page.locator('[role="log"] a[href^="javascript"]').count(), 0);
  const good = page.getByRole("link", { name: "good", exact: true });
  assert.equal(await good.getAttribute("rel"), "noopener noreferrer nofollow");
  await page.getByRole("link", { name: "[image: pic]" }).waitFor();
  const approval = page.getByRole("region", { name: "Approval" });
  assert.match((await approval.textContent()) ?? "", /echo safe \\u\{202e\} gnp\.exe/);
  await page.getByRole("button", { name: "Deny" }).click();
  await page.locator('article[data-status="denied"]').waitFor();
  assert.equal(await page.evaluate("globalThis.pwned"), undefined);
  assert.equal(problems.join("\n"), "");

  // And the check above can fail: a second way to HTML is refused and reported.
  const reported = page.waitForEvent("console", (message) => message.text().includes("violation"));
  await assert.rejects(page.evaluate("document.body.innerHTML = '<b>no</b>'"), /TrustedHTML/);
  await reported;
  await page.context().close();
});

test("[X2] a message written offline is kept and sent once, and a draft survives a reload", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "say hello");
  await runIs(page, "completed");
  await page.context().setOffline(true);
  await page.getByRole("textbox", { name: "Message" }).fill("say second");
  await page.keyboard.press("Enter");
  await page.getByText("Not sent yet").waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("a draft");
  await page.context().setOffline(false);
  await page.locator('[data-item="text"]').getByText("second").waitFor();
  await page.reload();
  await page.locator('[data-item="text"]').getByText("second").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Message" }).inputValue(), "a draft");
  const events = await sessionEvents(program, sessionOf(page));
  assert.equal(events.filter(({ type }) => type === "message.user").length, 2);
  await page.context().close();
});

// Nothing here is timed: the run waits for an answer while the reader moves, and goes on when told to.
test("[UX] the view follows the end only while the reader is there, and counts what is new", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  const steps = (from: number) =>
    Array.from({ length: 12 }, (_, at) => `say step ${from + at}\nread missing-${from + at}`);
  const script = ["pace 0", ...steps(0), "clarify Shall I go on? | yes", ...steps(12)];
  await say(window, script.join("\n"));
  await page.getByRole("button", { name: "yes", exact: true }).waitFor();
  const log = page.getByRole("log");
  await page.locator('[role="log"][data-status="following"]').waitFor();
  await log.hover();
  await page.mouse.wheel(0, -600);
  await page.locator('[role="log"][data-status="reading"]').waitFor();
  await page.getByRole("button", { name: "To the end" }).waitFor();
  const top = () => page.evaluate<number>("document.querySelector('[role=log]').scrollTop");
  const end = () =>
    page.evaluate<number>(
      "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('[role=log]'))",
    );
  let reading = await top();
  for (let before = -1; before !== reading; reading = await top()) before = reading; // the wheel has run out
  const endBefore = await end();
  assert.ok(reading < endBefore - 100, `left the end: ${reading} of ${endBefore}`);

  const second = await openWindow(browser, program);
  await second.page.goto(page.url());
  await second.page.getByRole("button", { name: "yes", exact: true }).click();
  await runIs(page, "completed");
  await page.getByRole("button", { name: /^2\d new$/ }).waitFor(); // twelve steps, two rows each, and the end
  assert.ok((await end()) > endBefore + 200, "it grew below");
  assert.equal(await top(), reading, "and the reader is where they were");
  await page.getByRole("button", { name: /\d+ new/ }).click();
  await page.locator('[role="log"][data-status="following"]').waitFor();
  await page.getByText("step 23").waitFor();
  await page.context().close();
  await second.page.context().close();
});

test("[UX] a reader who turns the wheel up while words stream in is let go", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, `pace 0\nsay ${String.raw`line\n\n`.repeat(40)}\npace 20\ncount 5000`);
  await page.getByText(/1 2 3 4/).waitFor();
  const log = page.getByRole("log");
  await page.locator('[role="log"][data-status="following"]').waitFor();
  await log.hover();
  await page.mouse.wheel(0, -300);
  await page.locator('[role="log"][data-status="reading"]').waitFor();
  await page.getByText(/ 1\d\d /).waitFor({ state: "attached" }); // and goes on without them
  assert.equal(await log.getAttribute("data-status"), "reading");
  await page.keyboard.press("Escape");
  await runIs(page, "cancelled");
  await page.context().close();
});
