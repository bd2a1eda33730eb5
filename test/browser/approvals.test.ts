// Deciding what runs: the whole plan, why it is asked, other arguments, a rule for ever, a no with words,
// and the switch that asks for nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openWindow, runIs, say } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { sessionEvents } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const sessionOf = (url: string) => decodeURIComponent(new URL(url).pathname.slice(3));

test("[S] an edited command is what runs, once; the card says why it is asked", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await say(window, "exec echo as the model wished");
  const card = page.getByRole("region", { name: "Approval" });
  await card.getByText("Runs a command that no rule allows yet").waitFor();
  await card.locator("pre").getByText("echo as the model wished").waitFor();
  await card.getByRole("button", { name: "Edit…" }).click();
  const field = card.getByRole("textbox", { name: "Command to run" });
  assert.equal(await field.inputValue(), "echo as the model wished");
  await field.fill("");
  await card.getByText("There is no command.").waitFor();
  assert.ok(await card.getByRole("button", { name: "Allow edited once" }).isDisabled());
  await field.fill("echo as I wished");
  await card.getByRole("button", { name: "Allow edited once" }).click();
  await page.getByLabel("Output").getByText("as I wished").waitFor();
  await page.getByText("Allowed once, as edited").waitFor();
  await runIs(page, "completed");
  const events = await sessionEvents(program, sessionOf(page.url()));
  const started = events.filter(({ type }) => type === "tool.started");
  assert.deepEqual(
    started.map(({ payload }) => (payload as { arguments: unknown }).arguments),
    [{ command: "echo as I wished" }],
  );
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[S] arguments with something invisible are edited as JSON that shows it", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "exec echo safe \u202e gnp.exe");
  const card = page.getByRole("region", { name: "Approval" });
  await card.getByRole("button", { name: "Edit…" }).click();
  const field = card.getByRole("textbox", { name: "Arguments as JSON" });
  assert.match(await field.inputValue(), /echo safe \\u202e gnp\.exe/);
  await field.fill('{"command": "echo only this"');
  await card.getByText("This is not JSON").waitFor();
  await field.fill('{"command": "echo only this"}');
  await card.getByRole("button", { name: "Allow edited once" }).click();
  await page.getByLabel("Output").getByText("only this").waitFor();
  await page.context().close();
});

test("[S] “always” says the rule it adds, and from then on that rule is not asked about", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page } = window;
  await say(window, "exec uname -s");
  const card = page.getByRole("region", { name: "Approval" });
  await card.getByText("“Always allow” covers").waitFor();
  await card.getByRole("radio", { name: "exactly uname -s", checked: true }).waitFor();
  await fitsPhone(page);
  await card.getByRole("button", { name: "Always allow" }).click();
  await page.getByText("Always allowed").waitFor();
  await runIs(page, "completed");
  await say(window, "exec uname -s\nexec echo something else");
  await page
    .getByRole("region", { name: "Approval" })
    .locator("pre")
    .getByText("echo something else")
    .waitFor();
  assert.equal(await page.getByLabel("Output").getByText("Linux").count(), 2);
  await page.context().close();
});

test("[P3a] a wider pattern is a choice of its own, and says what else it allows", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page } = window;
  await say(window, "exec wc -l README.md");
  const card = page.getByRole("region", { name: "Approval" });
  const wider = card.getByRole("radio", { name: /^commands that begin with wc/ });
  await wider.waitFor();
  assert.match(
    (await card.locator('[data-part="always"] small').textContent()) ?? "",
    /Every “wc …”/,
  );
  await fitsPhone(page);
  await wider.check();
  await card.getByRole("button", { name: "Always allow" }).click();
  await runIs(page, "completed");
  await say(window, "exec wc -c package.json\nexec echo asked about");
  const next = page.getByRole("region", { name: "Approval" }).locator("pre");
  await next.getByText("echo asked about").waitFor();
  await page.context().close();
});

test("[S] a no takes words to the agent", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "exec rm -rf build");
  const card = page.getByRole("region", { name: "Approval" });
  await card.getByRole("textbox", { name: "Note for the agent" }).fill("Move it away instead");
  await card.getByRole("button", { name: "Deny" }).click();
  await page.locator('article[data-status="denied"]').waitFor();
  await page.locator('article[data-status="denied"]').getByText("Move it away instead").waitFor();
  await runIs(page, "completed");
  await page.context().close();
});

test("[S] a long plan can be allowed only after all of it was shown", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, `exec echo ${"word ".repeat(400)}`);
  const card = page.getByRole("region", { name: "Approval" });
  const allow = card.getByRole("button", { name: "Allow once" });
  assert.ok(await allow.isDisabled());
  assert.ok(await card.getByRole("button", { name: "Deny" }).isEnabled());
  await card.getByRole("button", { name: "Show all of it to decide" }).click();
  assert.ok(await allow.isEnabled());
  await page.context().close();
});

test("[UX] the focus stays where the work is: on what was decided, in the field, on the name", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await say(
    window,
    "exec echo first\nexec echo second\nclarify Which?|left|right\nexec echo third",
  );
  const card = page.getByRole("region", { name: "Approval" });
  await card.locator("pre").getByText("echo first").waitFor();
  await card.getByRole("button", { name: "Allow once" }).click();
  await page.locator("[tabindex='-1']:focus").getByText("Allowed once").waitFor();
  await card.locator("pre").getByText("echo second").waitFor();
  await page.locator("#composer").focus();
  await page.keyboard.press("Alt+a");
  await page.getByRole("button", { name: "left" }).waitFor();
  assert.equal(await page.locator("#composer:focus").count(), 1, "who writes goes on writing");
  await page.getByRole("button", { name: "right" }).press("Enter");
  await page.locator("[tabindex='-1']:focus").getByText("Answer: right").waitFor();

  await card.getByRole("button", { name: "Edit…" }).click();
  await page.getByRole("textbox", { name: "Command to run" }).press("Escape");
  await card.getByRole("button", { name: "Edit…" }).waitFor();
  assert.equal(await card.getAttribute("data-status"), "open", "Esc left the editing, not the run");
  const title = page.getByRole("button", { name: /Rename/ });
  await title.click();
  await page.keyboard.press("Escape");
  await page.locator("h1 button:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Name of the session" }).fill("Another name");
  await page.keyboard.press("Enter");
  await page.locator("h1 button:focus").getByText("Another name").waitFor();
  const cut = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)";
  assert.equal(
    await page.evaluate(`${cut}(document.querySelector("h1 button"))`),
    0,
    "not cut off",
  );
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] what nobody answered before the run ended says so and cannot be answered", async () => {
  for (const script of ["exec echo never", "clarify Which way?|left|right"]) {
    const window = await openWindow(browser, program);
    const { page, problems } = window;
    await say(window, script);
    const copy = page.getByRole("button", { name: "Copy link to this" });
    await copy.waitFor();
    await page.locator("#composer").press("Escape");
    await runIs(page, "cancelled");
    await page.getByText(/Not answered: the run has ended|No longer needed/).waitFor();
    assert.equal(await page.locator('[data-part="choices"]').count(), 0);
    await page.reload();
    await page.getByText(/Not answered: the run has ended|No longer needed/).waitFor();
    const asked = (await sessionEvents(program, sessionOf(page.url()))).find(({ type }) =>
      /^(approval|clarify)\.request/.test(type),
    );
    const { approval_id, clarify_id } = (asked?.payload ?? {}) as Record<string, string>;
    await page.goto(`${program.url}/approve/${approval_id ?? clarify_id}`);
    await page.getByText(/Not answered: the run has ended|No longer needed/).waitFor();
    assert.equal(await page.locator('[data-part="choices"]').count(), 0);
    assert.deepEqual(problems, []);
    await page.context().close();
  }
});

test("[UX] the link of a card opens the same request", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  const window = await openWindow(browser, program, { permissions });
  const { page } = window;
  await say(window, "exec echo linked");
  const card = page.getByRole("region", { name: "Approval" });
  await card.getByRole("button", { name: "Copy link to this" }).click();
  await card.getByText("Copied").waitFor();
  await page.goto(await page.evaluate<string>("navigator.clipboard.readText()"));
  assert.match(page.url(), /\/approve\/ap_/);
  await page.locator('[data-page="approve"] pre').getByText("echo linked").waitFor();
  await page.context().close();
});

test("[S] yolo takes a second press, is visible wherever the session is, and asks for nothing", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page, problems } = window;
  await say(window, "say hello");
  await runIs(page, "completed");
  await page.getByRole("button", { name: "Session settings" }).click();
  const sheet = page.getByRole("dialog", { name: "Session settings" });
  await sheet.getByRole("switch", { name: /yolo/i }).click();
  await sheet.getByText("in this session will wait for you").waitFor();
  await sheet.getByRole("button", { name: "Keep asking" }).click();
  assert.equal(await page.locator('header [data-status="yolo"]').count(), 0);
  await sheet.getByRole("switch", { name: /yolo/i }).click();
  await sheet.getByRole("button", { name: "Stop asking" }).click();
  await page.locator('header [data-status="yolo"]').waitFor();
  await fitsPhone(page);
  await page.keyboard.press("Escape");
  await page.locator('nav [data-status="yolo"]').waitFor({ state: "attached" });

  await say(window, "exec echo nobody asked");
  await page.getByLabel("Output").getByText("nobody asked").waitFor();
  await runIs(page, "completed");
  await page.reload();
  await page.locator('header [data-status="yolo"]').waitFor();
  await page.getByRole("button", { name: "Session settings" }).click();
  await page.getByRole("switch", { name: /yolo/i }).click();
  await page.locator('header [data-status="yolo"]').waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
  await page.context().close();
});
