// Settings in a real browser: changed, refused, applied without a lost run, keys that never come back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openWindow } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

test("[SE1, SE2, SE3] a setting is changed, a wrong one is refused with its reason, a key goes in and stays hidden", async () => {
  const { page } = await openWindow(browser, program, PHONE);
  await page.goto(`${program.url}/settings`);
  const profile = page.locator('[data-section="default"]');
  await profile.locator("summary").click();
  const prompt = profile.getByLabel("Prompt");
  await prompt.fill("You are the cook.\nYou sing.");
  await profile.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await page.reload();
  await profile.locator("summary").click();
  assert.equal(await prompt.inputValue(), "You are the cook.\nYou sing.");

  const expires = profile.getByLabel("Approval expires s");
  await expires.fill("-5");
  await profile.getByRole("button", { name: "Save" }).click();
  await profile.getByRole("alert").filter({ hasText: "approval_expires_s" }).waitFor();
  assert.equal(await expires.inputValue(), "-5", "what was typed stays");
  await profile.getByRole("button", { name: "Leave as it was" }).click();

  const access = page.locator('[data-section="access"]');
  await access.locator("summary").click();
  await access.getByText("where the server is started").first().waitFor();
  assert.equal(await access.locator("input").count(), 0);

  const key = page.locator('[data-key="anthropic"]');
  await key.locator("input").fill("sk-never-shown");
  await key.getByRole("button", { name: "Save the key" }).click();
  await key.getByText("Set, for https://api.anthropic.com only.").waitFor();
  assert.ok(!(await page.content()).includes("sk-never-shown"));
  await fitsPhone(page);
});
