// The start page and the tour, from its beginning to its end, with the runner killed on the way. How a
// newcomer gets there is in first-run.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openWindow, runIs, say } from "./support/browser.ts";
import { foldedTranscript, hashOf, sessionEvents, shownTranscript } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

test("[UX] the start page says what this is, offers the demo and how to bring a model", async () => {
  const { page, problems } = await openWindow(browser, program);
  assert.equal(new URL(page.url()).hash, "", "the login code stays in no address");
  await page.getByRole("heading", { name: "Welcome aboard" }).waitFor();
  await page.getByRole("button", { name: "Start the demo" }).waitFor();
  await page.getByText("QUARTERDECK_BASE_URL").waitFor();
  await page.locator("header").getByText("Demo model (scripted)").waitFor();
  await page.getByText("No API key or local model server found yet.").waitFor();
  const demo = page.getByRole("listitem", { name: "Demo model (scripted)" });
  await demo.getByRole("button", { name: "Test demo/demo" }).click();
  await demo.getByText(/Answered in \d+ ms: “The demo model answers\./).waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[V1] [X6] the tour streams, survives its runner and a reload, and ends as the journal says", async () => {
  const watched = await openWindow(browser, program);
  const { page } = watched;
  await page.getByRole("button", { name: "Start the demo" }).click();
  await page.waitForURL(/\/s\//);
  const sessionId = decodeURIComponent(new URL(page.url()).pathname.slice(3));
  const run = page.getByRole("status", { name: "Run" });

  await page.getByText("I write it slowly on purpose").waitFor();
  assert.equal(await run.textContent(), "Running");
  const kill = page.getByRole("button", { name: "Kill the runner now" });
  await kill.click();
  await page.getByText(/Runner pid \d+ killed · back after [\d.]+ m?s/).waitFor();
  await page.getByText("The process crashed. The run resumed automatically.").waitFor();
  await page.getByText("Interrupted. The answer continues below.").waitFor();

  const second = await openWindow(browser, program);
  await second.page.goto(page.url());
  await second.page.reload(); // in the middle of the run

  await page.getByRole("button", { name: "The timeline" }).click({ timeout: 60_000 });
  await page.getByText("Answer: The timeline").waitFor();
  await second.page.getByRole("button", { name: "Allow once" }).click({ timeout: 60_000 });
  await page.getByText("Allowed once").waitFor();
  await page.getByLabel("Output").getByText("notes.md").waitFor();
  for (const each of [page, second.page]) {
    await runIs(each, "completed");
  }
  await page.getByRole("status", { name: "Milestones" }).getByText("The run is done.").waitFor();
  for (const each of [page, second.page]) {
    await each.getByRole("heading", { name: "That was the demo. Now connect a model." }).waitFor();
  }

  const events = await sessionEvents(program, sessionId);
  const roots = events.filter(
    ({ type, payload }) =>
      type === "run.queued" && (payload as { parent_run_id: unknown }).parent_run_id === null,
  );
  assert.equal(roots.length, 1, "one run from beginning to end");
  const folded = await foldedTranscript(program, sessionId);
  for (const window of [watched, second]) {
    const shown = await shownTranscript(window.page);
    assert.deepEqual(shown, folded);
    assert.equal(hashOf(shown), hashOf(folded));
    assert.deepEqual(window.problems, []);
  }
  await page.getByRole("button", { name: "Later" }).click();
  await page.reload();
  await runIs(page, "completed");
  assert.deepEqual(await shownTranscript(page), folded);
  assert.equal(
    await page.locator("[data-demo-card]").count(),
    0,
    "once it was put off, it stays away",
  );
  await page.context().close();
  await second.page.context().close();
});

test("[V5] a killed server is a moment of “Reconnecting”, and the transcript has neither hole nor repeat", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "pace 20\ncount 300");
  await page.getByText(/1 2 3 4 5/).waitFor();
  await page.locator('header [data-status="live"]').waitFor();
  const away = page.locator('header [data-status="reconnecting"], header [data-status="offline"]');
  await Promise.all([away.waitFor(), program.killServer()]);
  await page.locator('header [data-status="live"]').waitFor();
  await runIs(page, "completed");
  const sessionId = decodeURIComponent(new URL(page.url()).pathname.slice(3));
  const folded = await foldedTranscript(program, sessionId);
  assert.deepEqual(await shownTranscript(page), folded);
  assert.match(folded.at(-1)?.[2] ?? "", /^1 2 3 .* 299 300$/);
  await page.context().close();
});
