// The very first open: the page is on the demo by itself, once; then a model of one's own is tried and taken.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { call } from "../support/http.ts";
import {
  answer,
  finish,
  hang,
  startModelServer,
  textChunk,
  type ModelServer,
  type ReplyHandler,
} from "../support/models/model-server.ts";
import { launchBrowser, newcomersWindow, openWindow, runIs, say } from "./support/browser.ts";
import { fitsPhone, overflow, PHONE } from "./support/layout.ts";
import { startProgram, type Program } from "./support/program.ts";

let browser: Browser;
before(async () => {
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
});

type Sessions = { sessions: { session_id: string }[] };
const sessionsOf = async (program: Program) =>
  (await call<Sessions>(program, "GET", "/api/sessions")).body.data.sessions.map(
    ({ session_id }) => session_id,
  );
const demoOf = (page: Page) => new URL(page.url()).pathname.split("/")[2] ?? "";

test("[UX] a newcomer’s windows open on one demo that runs, and never again on another", async () => {
  await using program = await startProgram();
  const first = await newcomersWindow(browser, program);
  const second = await newcomersWindow(browser, program, PHONE);
  const links = [program.link, await program.newLink()];
  await Promise.all([first, second].map(({ page }, at) => page.goto(links[at] ?? "")));
  for (const { page } of [first, second]) {
    await page.waitForURL(/\/s\/ses_demo_/);
    await page.getByRole("button", { name: "Kill the runner now" }).waitFor();
    await page.getByText("Welcome aboard.").waitFor();
  }
  assert.deepEqual(await overflow(second.page), []);
  assert.equal(demoOf(first.page), demoOf(second.page));
  assert.deepEqual(await sessionsOf(program), [demoOf(first.page)], "two windows began one demo");

  await first.page.goto(program.url);
  await first.page.locator('[data-page="start"]').waitFor();
  await first.page.getByRole("button", { name: "Start the demo" }).waitFor();
  assert.deepEqual(first.problems, []);
  assert.deepEqual(second.problems, []);

  const deleted = await call(program, "POST", `/api/sessions/${demoOf(second.page)}/settings`, {
    deleted: true,
  });
  assert.equal(deleted.body.ok, true);
  const later = await newcomersWindow(browser, program);
  await later.page.goto(await program.newLink());
  await later.page.getByRole("heading", { name: "Welcome aboard" }).waitFor();
  assert.deepEqual(await sessionsOf(program), [], "whoever deleted it does not get it again");
  for (const { page } of [first, second, later]) await page.context().close();
});

test("[UX] who has a session already is not thrown into the demo", async () => {
  await using program = await startProgram();
  await call(program, "POST", "/api/runs", { message: "say Hello." });
  const { page } = await newcomersWindow(browser, program);
  await page.goto(program.link);
  await page.getByRole("heading", { name: "What would you like to work on?" }).waitFor();
  await page.reload();
  await page.locator('[data-page="start"]').waitFor();
  assert.equal((await sessionsOf(program)).length, 1);
  await page.context().close();
});

const REPLIES: Record<string, ReturnType<ReplyHandler>> = {
  good: [textChunk("Ahoy from a real model."), finish("stop")],
  denied: answer(401, { error: { message: "Incorrect API key" } }),
  slow: [hang],
};

async function withModel(name: string): Promise<AsyncDisposable & { program: Program }> {
  const model: ModelServer = await startModelServer(
    ({ body }) => REPLIES[String(body["model"])] ?? answer(404, { error: { message: "nobody" } }),
  );
  const config = { base_url: model.baseUrl, model: name, titles: false };
  const program = await startProgram({ "config.json": config });
  return {
    program,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

const row = (page: Page, name: string) => page.getByRole("listitem", { name });

test("[UX] a model is tried with one press and taken with another", async () => {
  await using here = await withModel("scripted/good");
  const window = await openWindow(browser, here.program, PHONE);
  const { page } = window;
  const found = row(page, "scripted");
  await found.getByText("set as the model").waitFor();
  await found.getByRole("button", { name: "Test scripted/good" }).click();
  await found.getByText(/Answered in .*: “Ahoy from a real model\.”/).waitFor();
  await fitsPhone(page);
  await found.getByRole("button", { name: "Use for new sessions: scripted/good" }).click();
  await page.getByText("New sessions in this browser use scripted/good.").waitFor();
  await page.reload();
  await page.getByText("New sessions in this browser use scripted/good.").waitFor();
  await say(window, "Hello");
  await runIs(page, "completed");
  await page.getByText("Ahoy from a real model.").waitFor();
  await page.goto(here.program.url);
  await page.getByRole("button", { name: "Use scripted/good instead" }).click();
  await page.getByText("In use: scripted/good").waitFor();
  assert.deepEqual(window.problems, []);
  await page.context().close();
});

test("[UX] a model that refuses says why; one that is silent can be called off", async () => {
  {
    await using here = await withModel("scripted/denied");
    const { page } = await openWindow(browser, here.program);
    const found = row(page, "scripted");
    await found.getByRole("button", { name: "Test scripted/denied" }).click();
    const emitted = found.locator('[data-status="failed"]');
    await emitted.getByText("The model's server answered 401: Incorrect API key").waitFor();
    await page.context().close();
  }
  await using here = await withModel("scripted/slow");
  const { page } = await openWindow(browser, here.program, { colorScheme: "dark" });
  const found = row(page, "scripted");
  await found.getByRole("button", { name: "Test scripted/slow" }).click();
  await found.getByText("Asking…").waitFor();
  const other = row(page, "Demo model (scripted)").getByRole("button", { name: "Test demo/demo" });
  assert.equal(await other.isDisabled(), true, "one at a time");
  await found.getByRole("button", { name: "Cancel" }).click();
  await found.getByText("Cancelled.").waitFor();
  await other.click();
  await row(page, "Demo model (scripted)").getByText("Answered in").waitFor();
  await page.context().close();
});
