// Skills in a real browser: written, installed after a look into them, loaded for a session.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { zip } from "../../support/archives.ts";
import { openWindow, runIs, say } from "../support/browser.ts";
import { fitsPhone, PHONE } from "../support/layout.ts";
import { browser, inBrowser, program } from "../support/suite.ts";

inBrowser();

const MAIN =
  "---\nname: release\ndescription: How we release\ncategory: ops\n---\n\n# Release\n\n<img src=x onerror=alert(1)>\n";

test("[M4, M5] a skill is written, installed by what was seen of it, edited, loaded for a session, taken away", async () => {
  const { page, problems } = await openWindow(browser, program);
  await page.goto(`${program.url}/skills`);
  await page.getByText("No skills yet").waitFor();
  await page.getByRole("button", { name: "Write a skill" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel(/^Name/).fill("review");
  await sheet.getByLabel(/^Description/).fill("How we review");
  await sheet.getByLabel(/^Text/).fill("# Review\n\nRead it **twice**.");
  await sheet.getByRole("button", { name: "Save" }).click();
  await sheet.locator('[data-part="skill-text"] strong', { hasText: "twice" }).waitFor();
  await sheet.getByRole("button", { name: "Close" }).click();

  await page.getByRole("button", { name: "Install…" }).click();
  await sheet.getByRole("button", { name: "Archive from this device" }).click();
  const buffer = zip([
    { name: "release/SKILL.md", data: MAIN },
    { name: "release/run.sh", data: "#!/bin/sh\n", mode: 0o100755 },
  ]);
  await sheet
    .locator("input[type=file]")
    .setInputFiles({ name: "release.zip", mimeType: "application/zip", buffer });
  await sheet.getByRole("button", { name: "Preview" }).click();
  const seen = sheet.locator('[data-part="inspection"]');
  await seen.locator("li", { hasText: "run.sh" }).getByText("Executable").waitFor();
  await seen.getByText("<img src=x onerror=alert(1)>").waitFor();
  await seen.getByRole("button", { name: "Install", exact: true }).click();
  await sheet.locator('[data-status="installed"]').waitFor();
  assert.equal(await sheet.locator('[data-part="skill-text"] img').count(), 0);
  await sheet.getByRole("button", { name: "Edit" }).click();
  await sheet.getByLabel("SKILL.md").fill(MAIN.replace("# Release", "# Release slowly"));
  await sheet.getByRole("button", { name: "Save" }).click();
  await sheet.getByRole("heading", { name: "Release slowly" }).waitFor();
  await sheet.locator('[data-status="modified"]').waitFor();
  await sheet.getByRole("button", { name: "Close" }).click();

  const list = page.locator('[data-part="skills"] li');
  await page.getByRole("button", { name: "ops (1)" }).click();
  assert.equal(await list.count(), 1);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.getByLabel("Search skills").fill("review");
  await list.filter({ hasText: "release" }).waitFor({ state: "detached" });

  const phone = await openWindow(browser, program, PHONE);
  await say(phone, "say hello");
  await runIs(phone.page, "completed");
  await phone.page.getByRole("button", { name: "Session settings" }).click();
  const choice = phone.page.getByLabel("release");
  await choice.selectOption("loaded");
  await phone.page.reload();
  await phone.page.getByRole("button", { name: "Session settings" }).click();
  await choice.waitFor();
  assert.equal(await choice.inputValue(), "loaded");
  await phone.page.goto(`${program.url}/skills`);
  await phone.page.getByText("How we release").waitFor();
  await fitsPhone(phone.page);

  await page.getByLabel("Search skills").fill("");
  await list.filter({ hasText: "review" }).getByRole("button").click();
  await sheet.getByRole("button", { name: "Take away…" }).click();
  await sheet.getByRole("button", { name: "Take it away" }).click();
  await list.filter({ hasText: "review" }).waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
});

test("[M4] what cannot be installed says why, and nothing typed is lost", async () => {
  const { page } = await openWindow(browser, program);
  const empty = join(program.workspace, "empty");
  await mkdir(empty);
  await writeFile(join(empty, "README.md"), "x");
  await page.goto(`${program.url}/skills`);
  await page.getByRole("button", { name: "Install…" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByRole("button", { name: "Folder or archive on the server" }).click();
  await sheet.getByLabel("Full path on the server").fill(empty);
  await sheet.getByRole("button", { name: "Preview" }).click();
  await sheet.getByRole("alert").getByText("There is no SKILL.md in it").waitFor();
  assert.equal(await sheet.getByLabel("Full path on the server").inputValue(), empty);
});
