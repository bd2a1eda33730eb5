// Settings in a real browser: changed, refused, applied without a lost run, keys that never come back.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startServe } from "../../support/processes.ts";
import { call } from "../../support/http.ts";
import { newTestHome, quarterdeck } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { openWindow } from "../support/browser.ts";
import { fitsPhone, PHONE } from "../support/layout.ts";
import { browser, inBrowser, program } from "../support/suite.ts";

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
  await profile.getByRole("button", { name: "Cancel" }).click();

  const access = page.locator('[data-section="access"]');
  await access.locator("summary").click();
  await access.getByText("where the server is started").first().waitFor();
  assert.equal(await access.locator("input").count(), 0);

  const key = page.locator('[data-key="anthropic"]');
  await key.locator("input").fill("sk-never-shown");
  await key.getByRole("button", { name: "Save key" }).click();
  await key.getByText("Set, for https://api.anthropic.com only.").waitFor();
  assert.ok(!(await page.content()).includes("sk-never-shown"));
  await fitsPhone(page);
});

test("[SE1, SE2] a config.json that somebody broke is said above the settings, once, and changing is refused", async () => {
  using place = newTestHome();
  await using server = await startServe(place);
  const link = await quarterdeck(["token", "--link", "--home", place.home]);
  const page = await (await browser.newContext()).newPage();
  await page.goto(link.stdout.trim());
  await page.getByRole("navigation", { name: "Sessions" }).waitFor(); // logged in
  writeFileSync(join(place.home, "config.json"), "{ not yet"); // no command could be started from here on
  await page.goto(`${server.url}/settings`);
  const said = page.getByRole("alert").filter({ hasText: "config.json cannot be used" });
  await said.waitFor();
  assert.equal(await said.count(), 1);
  const runs = page.locator('[data-section="runs"]');
  await runs.locator("summary").click();
  await runs.getByLabel("Max runs").fill("7");
  await runs.getByRole("button", { name: "Save" }).click();
  await runs.getByRole("alert").filter({ hasText: "config.json cannot be used" }).waitFor();
  assert.equal(readFileSync(join(place.home, "config.json"), "utf8"), "{ not yet");
  await page.context().close();
});

test("[SE1, UX] a setting that is changed elsewhere takes neither the words nor the focus of who changes it here", async () => {
  const served = () => call(program, "GET", "/api/status").catch(() => undefined);
  await until(async () => (await served())?.status === 200, "a server, which a new key restarts");
  const { page, problems } = await openWindow(browser, program);
  await page.goto(`${program.url}/settings`);
  const profile = page.locator('[data-section="default"]');
  await profile.locator("summary").click();
  const prompt = profile.getByLabel("Prompt");
  await prompt.fill("Half a sent");
  const changes = { prompt: "From elsewhere." };
  const place = { section: "profile", subject: "default", changes };
  const read = page.waitForResponse("**/api/settings");
  const { status } = await call(program, "POST", "/api/settings", place);
  assert.equal(status, 200);
  await (await read).finished();
  await page.keyboard.type("ence");
  assert.equal(await prompt.inputValue(), "Half a sentence");
  await profile.getByRole("button", { name: "Cancel" }).click();
  await until(async () => (await prompt.inputValue()) === "From elsewhere.", "what it is now");
  const later = { ...place, changes: { prompt: "And again." } };
  await call(program, "POST", "/api/settings", later);
  await until(
    async () => (await prompt.inputValue()) === "And again.",
    "an untouched field follows",
  );
  await page.locator('[data-section="models"] summary').click();
  const box = page.locator('[data-setting="titles"] input');
  const before = await box.isChecked();
  await box.focus();
  await page.keyboard.press("Space");
  await until(async () => (await box.isChecked()) !== before, "the switch is switched");
  assert.equal(await page.locator('[data-setting="titles"] input:focus').count(), 1);
  const restarting = "ERR_CONNECTION_REFUSED"; // the switch restarts the server
  assert.deepEqual(
    problems.filter((problem) => !problem.includes(restarting)),
    [],
  );
  await page.context().close();
});
