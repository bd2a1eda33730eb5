// Logs in a real browser: live, filtered, on a phone too.
import { join } from "node:path";
import { test } from "node:test";
import { openLog } from "../../../src/kernel/home/log.ts";
import { openWindow } from "../support/browser.ts";
import { fitsPhone, PHONE } from "../support/layout.ts";
import { browser, inBrowser, program } from "../support/suite.ts";

inBrowser();

test("[O2] a line appears while one looks; levels, words and an empty log", async () => {
  const { page } = await openWindow(browser, program, PHONE);
  await page.goto(`${program.url}/logs`);
  await page.getByText("No errors.").waitFor();
  const log = openLog({ home: join(program.workspace, "home"), kind: "serve" });
  log.write("error", "the mast <b>broke</b>", { error: new Error("in the storm") });
  const lines = page.locator('[data-part="log"] li');
  await lines.filter({ hasText: "the mast <b>broke</b>" }).waitFor();
  await lines.getByText("Where it happened").click();
  await lines.getByText("Error: in the storm").waitFor();
  await page.getByRole("combobox").first().selectOption("serve");
  log.write("info", "calm again");
  await lines.filter({ hasText: "calm again" }).waitFor();
  await page.getByLabel("Filter").fill("MAST");
  await lines.filter({ hasText: "calm again" }).waitFor({ state: "detached" });
  await page.getByLabel("Filter").fill("dolphins");
  await page.getByText("No lines match.").waitFor();
  await page.getByLabel("Filter").fill("");
  await page.getByRole("combobox").last().selectOption("error");
  await lines.filter({ hasText: "calm again" }).waitFor({ state: "detached" });
  await lines.filter({ hasText: "the mast" }).waitFor();
  await fitsPhone(page);
});
