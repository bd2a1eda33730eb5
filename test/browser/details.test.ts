// The details of a run in a real browser: what it used, turn by turn and at any moment, what it means to do,
// and the session around it. Costs come from a model whose words and prices the test writes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { startAgent } from "../support/models/scripted-agent.ts";
import type { ModelServer } from "../support/models/model-server.ts";
import { launchBrowser, openWindow, runIs, say, type Window } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { startProgram, type Program } from "./support/program.ts";
import { sessionEvents } from "./support/transcript.ts";

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
});

async function priced(): Promise<AsyncDisposable & { program: Program }> {
  const list = { name: "list_files", args: { path: "." } };
  const model: ModelServer = await startAgent([
    { say: "Looking.", calls: [list], promptTokens: 100 },
    { say: "Aye.", promptTokens: 300 },
  ]);
  const known = { provider: "scripted", id: "agent", context_window: 1_000 };
  const program = await startProgram({
    "config.json": { base_url: model.baseUrl, model: "scripted/agent", titles: false },
    "models.json": { models: [{ ...known, price: { input: 1_000, output: 5_000 } }] },
  });
  return {
    program,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

async function openDetails({ page }: Window): Promise<void> {
  await page.getByRole("button", { name: "Side panel" }).click();
  await page.getByRole("complementary", { name: "Details" }).waitFor();
}

const used = (page: Page, what: string) => page.locator(`[data-usage="${what}"] td`).first();
const text = async (page: Page, what: string) => (await used(page, what).textContent()) ?? "";

test("[UX] tokens, cost, window and turns are those of the moment that is shown", async () => {
  await using here = await priced();
  const window = await openWindow(browser, here.program);
  const { page, problems } = window;
  await say(window, "Look around");
  await runIs(page, "completed");
  await openDetails(window);
  const panel = page.locator("[data-details]");
  assert.equal(await text(page, "input_tokens"), "400");
  assert.equal(await text(page, "output_tokens"), "40");
  assert.equal(await text(page, "total_tokens"), "440");
  assert.equal(await text(page, "cost_usd"), "$0.6000"); // 400 in for 1,000 and 40 out for 5,000 a million
  const meter = panel.getByRole("meter", { name: "Context window" });
  assert.equal(await meter.getAttribute("aria-valuetext"), "320 of 1,000 tokens, 32 %");
  const cells = await panel.locator("[data-turn] td").allTextContents();
  assert.deepEqual(
    [cells.slice(1, 4), cells.slice(5, 8)],
    [
      ["100", "20", "$0.2000"],
      ["300", "20", "$0.4000"],
    ],
  );
  await panel.getByRole("img", { name: /^Tokens per turn, most in turn 2: 320/ }).waitFor();
  await panel.getByRole("img", { name: /^Cost per turn, most in turn 2: \$0\.4000/ }).waitFor();

  const sessionId = new URL(page.url()).pathname.split("/")[2] ?? "";
  const events = await sessionEvents(here.program, sessionId);
  const first = events.find(({ type }) => type === "usage.updated")?.session_seq ?? 0;
  for (const [moment, tokens, cost] of [
    [first - 1, "—", "—"],
    [first, "120", "$0.2000"],
  ] as const) {
    await page.goto(`${here.program.url}/s/${sessionId}?panel=details&at=${moment}`);
    await page.getByText(`Event ${moment} of`).waitFor();
    await used(page, "total_tokens").getByText(tokens).waitFor();
    assert.equal(await text(page, "cost_usd"), cost);
    await panel.getByText("not yet").first().waitFor(); // at that moment it had not ended
  }
  await panel.getByRole("button", { name: "1", exact: true }).click();
  await page.waitForURL(/seq=\d+/);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] the session’s runs are listed with what they cost, linked and comparable; a phone shows it too", async () => {
  await using here = await priced();
  const window = await openWindow(browser, here.program, PHONE);
  const { page, problems } = window;
  await say(window, "One");
  await runIs(page, "completed");
  await say(window, "Two");
  await page.locator('[data-item="user"]').getByText("Two").waitFor();
  await runIs(page, "completed");
  await openDetails(window);
  const runs = page.getByRole("list", { name: "Runs" }).getByRole("listitem");
  await runs.filter({ hasText: "$0.6000" }).nth(1).waitFor();
  assert.equal(await runs.nth(1).getAttribute("data-selected"), "true");
  await page.getByText("in 2 runs, subagents and undone ones too").waitFor();
  await fitsPhone(page);
  const compare = page.getByRole("button", { name: "Compare with One" });
  await runs.nth(0).getByRole("link", { name: "One" }).click();
  await page.waitForURL(/\/r\/[^?]+\?panel=details/);
  const shown = new URL(page.url()).pathname.split("/")[4] ?? "";
  await page.locator("[data-details] dd code").first().getByText(shown).waitFor();
  assert.equal(await runs.nth(0).getAttribute("data-selected"), "true");
  assert.equal(await compare.count(), 0);
  await page.getByRole("button", { name: "Compare with Two" }).click();
  await page.waitForURL(/view=compare.*with=|with=.*view=compare/);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] plan, to-dos, subagents and recoveries are there, and lead to where they happened", async () => {
  await using program = await startProgram();
  const window = await openWindow(browser, program, { colorScheme: "dark" });
  const { page, problems } = window;
  await say(
    window,
    [
      "plan Ship it; Build; Test",
      "step 1",
      "todo Buy rope; Sell rope",
      "delegate Helper: say I am done.",
      "pace 60",
      "count 40",
      "clarify Go on? | yes", // or the run might be over before anybody kills its runner
      "step 2",
      "plan done",
      "say Over.",
    ].join("\n"),
  );
  await openDetails(window);
  const panel = page.locator("[data-details]");
  await page.getByText(/^1 2 3/).waitFor();
  await page.getByRole("button", { name: "Kill the runner now" }).click();
  await panel.getByText("1 time").waitFor();
  await page.getByRole("button", { name: "yes", exact: true }).click();
  await runIs(page, "completed");
  const part = (name: string) => panel.getByRole("region", { name, exact: true });
  await part("Plan").getByText("2 of 2 steps done, completed").waitFor();
  await part("To do").getByText("Buy rope").waitFor();
  await part("Run").getByText("none right now").waitFor(); // no runner: it has ended
  await part("Usage").getByText("With 1 subagent").waitFor();
  await part("Subagents").getByRole("button", { name: "Helper" }).click();
  await page.waitForURL(/\/r\/[^?]+\..*seq=1/);
  await part("Subagents").getByText("Done").waitFor(); // still about the run that asked
  await part("Run")
    .getByRole("button", { name: /same run goes on|interrupted/ })
    .click();
  await page.waitForURL(/seq=(?!1\b)\d+/);
  assert.deepEqual(problems, []);
  await page.context().close();
});
