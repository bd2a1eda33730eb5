// The audit in a real browser: what a person did is there, at once, and leads back to where it was done.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openWindow, runIs, say } from "../support/browser.ts";
import { fitsPhone, PHONE } from "../support/layout.ts";
import { browser, inBrowser, program } from "../support/suite.ts";

inBrowser();

test("[U2, U3, U4] a login and an approval are in the audit, live, by group, on a phone too", async () => {
  const { page } = await openWindow(browser, program);
  await page.goto(`${program.url}/audit`);
  const entries = page.locator('[data-part="audit"] li');
  await entries.filter({ hasText: "Logged in from 127.0.0.1" }).first().waitFor();

  const other = await openWindow(browser, program, PHONE);
  await say(other, "exec echo noted");
  await other.page.getByRole("button", { name: "Allow once" }).first().click();
  await runIs(other.page, "completed");
  const allowed = entries.filter({ hasText: "Allowed once" });
  await allowed.waitFor(); // nobody reloaded
  await page.getByRole("button", { name: "Approvals" }).click();
  await entries.filter({ hasText: "Logged in" }).first().waitFor({ state: "detached" });
  await allowed.waitFor();
  assert.equal(await entries.count(), 1);
  await page.getByRole("button", { name: "Exports" }).click();
  await page.getByText("No entries yet.").waitFor();
  await page.getByRole("button", { name: "Everything" }).click();
  await allowed.getByRole("link", { name: "Open the session" }).click();
  await page.getByText("noted").first().waitFor();

  await other.page.goto(`${program.url}/audit`);
  await other.page.getByText("Allowed once").waitFor();
  await fitsPhone(other.page);
});
