// Memory in a real browser: a person, an agent and an editor change the same entries, and none of it is lost.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openWindow, runIs, say } from "../support/browser.ts";
import { fitsPhone, PHONE } from "../support/layout.ts";
import { browser, inBrowser, program } from "../support/suite.ts";

inBrowser();

test("[M1, M2, M3] entries are added, edited, removed and brought back; agents and editors are seen at once", async () => {
  const { page } = await openWindow(browser, program);
  const file = join(program.workspace, "home/profiles/default/memory/MEMORY.md");
  await page.goto(`${program.url}/memory`);
  const memory = page.locator('[data-target="memory"]');
  const entries = memory.locator('[data-part="entries"] li');
  await memory.getByText("Nothing yet.").waitFor();
  await memory.getByLabel("New entry").fill("- Tests run with npm test.");
  await memory.getByRole("button", { name: "Add" }).click();
  await entries.getByText("Tests run with npm test.").waitFor();
  assert.equal(await memory.getByLabel("New entry").inputValue(), "");
  assert.equal(await readFile(file, "utf8"), "- Tests run with npm test.\n");

  await entries.getByRole("button", { name: "Edit" }).click();
  await entries.getByLabel("Entry").fill("Tests run with make.");
  await entries.getByRole("button", { name: "Save" }).click();
  await entries.getByText("Tests run with make.").waitFor();
  await memory.getByRole("button", { name: "Undo" }).click();
  await entries.getByText("Tests run with npm test.").waitFor();
  await entries.getByRole("button", { name: "Remove" }).click();
  await memory.getByText("Nothing yet.").waitFor();
  await memory.getByRole("button", { name: "Undo" }).click();
  await entries.getByText("Tests run with npm test.").waitFor();

  const other = await openWindow(browser, program, PHONE);
  await say(other, "remember Uses tabs");
  await runIs(other.page, "completed");
  await entries.getByText("Uses tabs").waitFor(); // nobody reloaded
  await memory.getByText(/added by an agent/).waitFor();

  await entries.filter({ hasText: "Uses tabs" }).getByRole("button", { name: "Edit" }).click();
  await writeFile(file, "- Tests run with npm test.\n- Uses tabs, eight wide\n");
  await memory.getByLabel(/^Entry/).fill("Uses spaces");
  await memory.getByRole("button", { name: "Save" }).click();
  await memory
    .getByRole("alert")
    .getByText(/not there any more/)
    .waitFor();
  assert.match(await readFile(file, "utf8"), /eight wide/);
  await entries.getByText("Uses tabs, eight wide").waitFor();
  await memory.getByText(/by somebody with an editor/).waitFor();

  const user = page.locator('[data-target="user"]');
  await user.getByLabel("New entry").fill("x".repeat(1_400));
  await user.getByRole("button", { name: "Add" }).click();
  await user.getByRole("alert").waitFor();
  assert.equal(
    (await user.getByLabel("New entry").inputValue()).length,
    1_400,
    "nothing typed is lost",
  );

  await page.goto(`${program.url}/audit`);
  await page.getByRole("button", { name: "Memory and skills" }).click();
  await page.getByText("Memory of default: edited").first().waitFor();
  await other.page.goto(`${program.url}/memory`);
  await other.page.getByText("eight wide").waitFor();
  await fitsPhone(other.page);
});
