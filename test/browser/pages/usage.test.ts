// What a run costs and how full its window is, the summary that takes the place of what was said, and a
// goal that is looked at: with a model whose words the test writes.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startAgent } from "../../support/models/scripted-agent.ts";
import { openWindow, runIs, say } from "../support/browser.ts";
import { fitsPhone, PHONE } from "../support/layout.ts";
import { browser, inBrowser, program } from "../support/suite.ts";

const SUMMARY = "They talked about **ships** and decided nothing.";
const known = { provider: "scripted", id: "agent", context_window: 1_000 };
const model = await startAgent([{ say: "Aye." }], ({ body }) =>
  JSON.stringify(body).includes("Ships are named")
    ? JSON.stringify({ decision: "met", reason: "a ship has its name" })
    : SUMMARY,
);
inBrowser({
  "config.json": { base_url: model.baseUrl, model: "scripted/agent", titles: false },
  "models.json": { models: [{ ...known, price: { input: 1, output: 5 } }] },
});
after(() => model[Symbol.asyncDispose]());

test("[UX] tokens, price and window are shown; a price nobody knows is said to be unknown", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page, problems } = window;
  await say(window, "Hello");
  await runIs(page, "completed");
  await page.getByText("120 tokens").waitFor();
  await page.getByText("$0.0002").waitFor(); // 100 in for 1 and 20 out for 5 dollars a million
  await page.getByText("12 % of the window").waitFor();
  await page.locator("header").getByText("Context 12 %").waitFor();
  await fitsPhone(page);

  await page.getByRole("button", { name: "Session settings" }).click();
  await page.getByLabel("Model, as provider/model").fill("scripted/other");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.locator("header").getByText("scripted/other").waitFor();
  await page.keyboard.press("Escape");
  await say(window, "Hello again");
  await page.getByText("price unknown").waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] after compressing, the summary can be read and what it stands for is still there", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page } = window;
  await say(window, "Let us talk about ships");
  await runIs(page, "completed");
  await page.getByRole("button", { name: "Session settings" }).click();
  await page.getByRole("button", { name: "Compact now" }).click();
  await page.getByText("Started; see the transcript.").waitFor();
  await page.keyboard.press("Escape");
  const notice = page.getByText("The original stays above.");
  await notice.waitFor();
  await notice.click();
  await page.getByText("ships", { exact: true }).waitFor(); // the bold word of the summary
  await page.locator('[data-item="user"]').getByText("Let us talk about ships").waitFor();
  await fitsPhone(page);
  await page.context().close();
});

test("[UX] a goal that is met is said in the transcript and leaves the bar", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "Good day");
  await runIs(page, "completed");
  await page.getByRole("button", { name: "Session settings" }).click();
  await page.getByLabel("What should the agent achieve?").fill("Ships are named");
  await page.getByRole("button", { name: "Set the goal" }).click();
  await page.getByRole("button", { name: "Change the goal" }).waitFor();
  await page.keyboard.press("Escape");
  const bar = page.getByRole("region", { name: "Goal" });
  await bar.getByText("Active").waitFor();
  await say(window, "Name one");
  await page.getByText("The goal is met: a ship has its name").waitFor();
  await bar.waitFor({ state: "detached" });
  await page.context().close();
});
