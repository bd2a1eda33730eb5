// What was used and done, as a person reads it: totals, days, groups, a file, and a phone.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { startAgent } from "../../support/models/scripted-agent.ts";
import { openWindow, runIs, say } from "../support/browser.ts";
import { fitsPhone, PHONE } from "../support/layout.ts";
import { sessionOf } from "../support/screens.ts";
import { browser, inBrowser, program } from "../support/suite.ts";

const model = await startAgent([{ say: "Aye." }]);
inBrowser({
  "config.json": { base_url: model.baseUrl, model: "scripted/agent", titles: false },
  "models.json": {
    models: [{ provider: "scripted", id: "agent", price: { input: 1, output: 5 } }],
  },
});
after(() => model[Symbol.asyncDispose]());

const total = (page: Page, measure: string) => page.locator(`[data-measure="${measure}"]`);

test("[UX, I1] a place where nothing was done says so; a run shows at once, and leads back to its session", async () => {
  const window = await openWindow(browser, program);
  const { page, problems } = window;
  await page.goto(`${program.url}/insights`);
  await page.getByText("No activity in this period").waitFor();
  await page.goto(`${program.url}/`);
  await say(window, "Name the ship");
  await runIs(page, "completed");
  const sessionId = sessionOf(page);

  await page.goto(`${program.url}/insights`);
  await total(page, "tokens").getByText("120", { exact: true }).waitFor();
  await total(page, "cost").getByText("$0.0002").waitFor();
  await total(page, "runs").getByText("new").waitFor();
  await page.getByRole("img", { name: /^Tokens by day\. The most on .*: 120\.$/ }).waitFor();
  await page.getByRole("row", { name: /^scripted\/agent 120 \$0\.0002 1 0/ }).waitFor();

  await total(page, "cost").press("Enter");
  await page.getByRole("img", { name: /^Cost by day\. .*: \$0\.0002\.$/ }).waitFor();
  await page.getByText("Show as table").click();
  const days = page.getByRole("region", { name: "Numbers by day" });
  assert.equal(await days.getByRole("row").count(), 31);
  await days.getByRole("row", { name: /120 \$0\.0002 1 0 0/ }).waitFor();

  await page.getByLabel("Group by").selectOption("session");
  await page.getByRole("link", { name: "Name the ship" }).last().click();
  await page.waitForURL(`**/s/${sessionId}`);
  await page.goBack();
  assert.equal(new URL(page.url()).search, "?by=session&days=30", "the address says what is shown");
  await page.getByRole("heading", { name: "By session" }).waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX, I2] other days, a price nobody knows, tools, and a file for a spreadsheet", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await page.goto(`${program.url}/`);
  await say(window, "Hello");
  await runIs(page, "completed");
  await page.getByRole("button", { name: "Session settings" }).click();
  await page.getByLabel("Model, as provider/model").fill("scripted/unpriced");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.locator("header").getByText("scripted/unpriced").waitFor();
  await page.keyboard.press("Escape");
  await say(window, "Hello again");
  await runIs(page, "completed");

  await page.goto(`${program.url}/insights?by=model&days=7`);
  await total(page, "cost").getByText("+ unknown").waitFor();
  await page.getByRole("row", { name: /^scripted\/unpriced 120 unknown 1/ }).waitFor();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download by model as CSV" }).click();
  const file = await saved;
  assert.match(
    file.suggestedFilename(),
    /^quarterdeck-model-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/,
  );
  const lines = (await readFile(await file.path(), "utf8")).split("\r\n");
  assert.match(lines[0] ?? "", /^model,total_tokens,/);
  assert.ok(
    lines.some((line) => line.startsWith("scripted/unpriced,120,100,20,,1,1,")),
    lines.join("\n"),
  );

  await page.getByLabel("Group by").selectOption("tool");
  await page.getByText("None in these days.").waitFor();
  await page.getByLabel("Period").selectOption("other");
  await page.getByLabel("First day").fill("2020-01-01");
  await page.getByRole("alert").getByText("at most 366 days").waitFor();
  await page.getByLabel("Last day").fill("2020-01-31");
  await page.getByText("No activity in this period").waitFor();
  assert.match(page.url(), /by=tool&from=2020-01-01&to=2020-01-31$/);
  await page.context().close();
});

test("[UX] on a phone everything is within reach, also in the dark", async () => {
  const { page } = await openWindow(browser, program, { ...PHONE, colorScheme: "dark" });
  await page.goto(`${program.url}/insights?by=session`);
  await page.getByRole("heading", { name: "By session" }).waitFor();
  await fitsPhone(page);
  await page.context().close();
});
