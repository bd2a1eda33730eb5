// What needs a person, in one place and by link: gone through by keyboard, answered by whoever is first,
// through kills, and with one hand.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { InboxView, SessionRecord } from "../../../src/kernel/api/records/records.ts";
import { call, startRun } from "../../support/http.ts";
import { until } from "../../support/until.ts";
import { openWindow, runIs } from "../support/browser.ts";
import { fitsPhone, PHONE } from "../support/layout.ts";
import { sessionEvents } from "../support/transcript.ts";
import { browser, inBrowser, program } from "../support/suite.ts";

inBrowser();

const inbox = async () => (await call<InboxView>(program, "GET", "/api/inbox")).body.data;
const entry = (page: Page, text: string) =>
  page.locator('[data-page="inbox"]').getByRole("listitem").filter({ hasText: text });
const detail = (page: Page) => page.getByRole("region", { name: "Selected" });

/** Starts a run that asks; the request's id. */
async function asking(session_id: string, script: string): Promise<string> {
  await startRun(program, script, { session_id });
  const request = await until(
    async () => (await inbox()).requests.find((each) => each.session_id === session_id),
    "a request",
  );
  return request.request_id;
}

async function openInbox(page: Page): Promise<void> {
  await page.goto(`${program.url}/inbox`);
  await page.locator('[data-page="inbox"]').waitFor();
}

/** The run of a session, if one goes on. */
const goingOn = async (sessionId: string) =>
  (await call<{ session: SessionRecord }>(program, "GET", `/api/sessions/${sessionId}`)).body.data
    .session.active_run_id;
const isOver = async (sessionId: string) => (await goingOn(sessionId)) === null;

async function stop(sessionId: string): Promise<void> {
  const runId = await goingOn(sessionId);
  if (runId !== null) await call(program, "POST", `/api/runs/${runId}/cancel`, {});
  await until(() => isOver(sessionId), "the end of the run");
}

const started = async (sessionId: string) =>
  (await sessionEvents(program, sessionId)).filter(({ type }) => type === "tool.started").length;

test("[UX] the inbox is gone through by keyboard: allow, deny, answer, dismiss and take that back", async () => {
  const { page, problems } = await openWindow(browser, program);
  await startRun(program, "fail no such model", { session_id: "bad" });
  await until(async () => (await inbox()).troubles.length === 1, "the failure");
  await asking("one", "say I will look.\nexec echo first");
  await asking("two", "exec echo second");
  await page.getByRole("link", { name: /Inbox/ }).getByText("3").waitFor();
  await page.keyboard.press("Tab"); // nothing is being written
  await page.getByRole("link", { name: /Inbox/ }).click();
  await entry(page, "echo second").locator('[aria-current="true"]').waitFor();
  assert.equal(await page.title(), "(3) Inbox · Quarterdeck");

  await detail(page).locator("pre").getByText("echo second").waitFor();
  await detail(page).getByText("Runs a command that no rule allows yet").waitFor();
  await page.keyboard.press("j");
  await entry(page, "echo first").locator('[aria-current="true"]').waitFor();
  await detail(page).getByText("I will look.", { exact: true }).waitFor();
  await page.keyboard.press("k");
  await detail(page).locator("pre").getByText("echo second").waitFor();
  await page.keyboard.press("a");
  await detail(page).getByText("Allowed once").waitFor();
  await detail(page)
    .getByText(/by person · now/)
    .waitFor();
  await entry(page, "echo second").waitFor({ state: "detached" });
  await page.keyboard.press("j");
  await detail(page).locator("pre").getByText("echo first").waitFor();
  await page.keyboard.press("d");
  await detail(page).getByText("Denied").waitFor();
  await entry(page, "echo first").waitFor({ state: "detached" });

  await page.keyboard.press("j");
  await detail(page).getByText("no such model", { exact: true }).first().waitFor();
  await page.keyboard.press("e");
  await page.getByText("You’re all caught up.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await entry(page, "no such model").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("e");
  await page.getByText("You’re all caught up.").waitFor();
  assert.equal((await inbox()).troubles.length, 1, "it can still be taken back");
  await page.getByRole("link", { name: "New session" }).click();
  await until(async () => (await inbox()).troubles.length === 0, "it is dismissed");
  await until(async () => (await page.title()) === "Quarterdeck", "the title");
  await until(async () => (await started("two")) === 1, "what was allowed");
  assert.equal(await started("one"), 0);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] the same with one hand: from the list to an entry, to the next, and back", async () => {
  await startRun(program, "fail gone again", { session_id: "bad-phone" });
  await until(async () => (await inbox()).troubles.length === 1, "the failure");
  await asking("hand", "exec echo in hand");
  const { page, problems } = await openWindow(browser, program, PHONE);
  await openInbox(page);
  await fitsPhone(page);
  assert.ok(await detail(page).isHidden());
  await entry(page, "echo in hand").getByRole("button").tap();
  await detail(page).getByRole("button", { name: "Deny" }).tap();
  await detail(page).getByText("Denied").waitFor();
  await detail(page).getByRole("button", { name: "Next (1)" }).tap();
  await detail(page).getByText("gone again", { exact: true }).first().waitFor();
  await fitsPhone(page);
  await detail(page).getByRole("button", { name: "Dismiss" }).tap();
  await page.getByRole("button", { name: "Undo" }).tap();
  await entry(page, "gone again").getByRole("button").tap();
  await detail(page).getByRole("button", { name: "Try again" }).tap();
  await page.waitForURL(/\/s\/bad-phone/);
  await runIs(page, "failed");
  await call(program, "POST", "/api/sessions/bad-phone/settings", { deleted: true });
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] Enter opens the session of an entry, and a question is answered by its number", async () => {
  await asking("db", "clarify Which one? | Postgres | SQLite");
  const { page, problems } = await openWindow(browser, program);
  await openInbox(page);
  await entry(page, "Which one?").getByRole("button").focus();
  await detail(page).getByRole("button", { name: "SQLite" }).waitFor();
  await page.keyboard.press("Alt+2");
  await detail(page).getByText("Answer: SQLite").waitFor();
  await asking("db2", "exec echo open me");
  await entry(page, "echo open me").getByRole("button").focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/s\/db2/);
  await page.getByRole("region", { name: "Approval" }).waitFor();
  await page.keyboard.press("Alt+d");
  await page.locator('article[data-status="denied"]').waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});

for (const [what, session_id, more] of [
  ["goes on", "race", "pace 1000\ncount 1000"],
  ["is over", "race-over", ""],
] as const) {
  test(`[C5, W5] of two windows that answer at once the first wins, and the other is told so (the run ${what})`, async () => {
    const id = await asking(session_id, `exec echo once only\n${more}`);
    const [slow, quick] = [await openWindow(browser, program), await openWindow(browser, program)];
    await openInbox(slow.page);
    await detail(slow.page).locator("pre").getByText("echo once only").waitFor();
    const held = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    await slow.page.route("**/approvals/**", async (route) => {
      sent.resolve();
      await held.promise;
      await route.continue();
    });
    await detail(slow.page).getByRole("button", { name: "Deny" }).click();
    await sent.promise;
    await quick.page.goto(`${program.url}/approve/${id}`);
    await quick.page.getByRole("button", { name: "Allow once" }).click();
    await quick.page.getByText("Allowed once").waitFor();
    await detail(slow.page).getByText("Allowed once").waitFor();
    if (what === "is over") await until(() => isOver(session_id), "the end of the run");
    held.resolve();
    await slow.page.getByText("Somebody else answered first. Their answer holds.").waitFor();
    await detail(slow.page).getByText("Allowed once").waitFor();
    await until(async () => (await started(session_id)) === 1, "the command");
    await stop(session_id);
    for (const { page, problems } of [slow, quick]) {
      assert.deepEqual(problems, []);
      await page.context().close();
    }
  });
}

test("[V5, X8] a server killed while an approval waits in the inbox costs no answer and runs nothing twice", async () => {
  await asking("kill", "exec echo survived");
  const { page } = await openWindow(browser, program, PHONE);
  await openInbox(page);
  await entry(page, "echo survived").getByRole("button").tap();
  await detail(page).locator('[data-status="live"]').waitFor();
  await program.killServer();
  await detail(page).locator('[data-status="reconnecting"], [data-status="offline"]').waitFor();
  await detail(page).locator('[data-status="live"]').waitFor();
  await fitsPhone(page);
  await detail(page).getByRole("button", { name: "Allow once" }).tap();
  await detail(page).getByText("Allowed once").waitFor();
  await until(async () => (await started("kill")) === 1, "the command");
  await detail(page).getByRole("button", { name: "Back to the inbox" }).tap();
  await page.getByText("You’re all caught up.").waitFor();
  assert.equal(await started("kill"), 1);
  await page.context().close();
});

test("[UX] a link shows what is asked and why, takes the answer, and says afterwards who gave it", async () => {
  for (const [options, session_id] of [
    [{}, "link"],
    [PHONE, "link-phone"],
  ] as const) {
    const id = await asking(session_id, "say I need to see the clock.\nexec date");
    const { page, problems } = await openWindow(browser, program, options);
    await page.goto(`${program.url}/approve/${id}`);
    const place = page.locator('[data-page="approve"]');
    await place.getByText("I need to see the clock.", { exact: true }).waitFor();
    await place.locator("pre").getByText("date", { exact: true }).waitFor();
    await place.getByText(program.workspace).waitFor();
    if (options === PHONE) {
      await fitsPhone(page);
      const deny = await place.getByRole("button", { name: "Deny" }).boundingBox();
      assert.ok((deny?.y ?? 0) > 844 / 2, "where a thumb reaches");
    }
    await place.getByRole("button", { name: "Allow once" }).click();
    await place.getByText("Allowed once").waitFor();
    await page.reload();
    await place.getByText("Allowed once").waitFor();
    await place.getByText(/by person · now/).waitFor();
    assert.equal(await place.getByRole("button", { name: "Allow once" }).count(), 0);
    await place.getByRole("link", { name: "Open the session" }).click();
    await page.waitForURL(new RegExp(`/s/${session_id}/r/`));
    await runIs(page, "completed");
    assert.deepEqual(problems, []);
    await page.context().close();
  }
});

test("[UX] a link to nothing says so and leads on", async () => {
  const { page } = await openWindow(browser, program);
  await page.goto(`${program.url}/approve/ap_nobody`);
  await page.getByRole("alert").getByText("There is no request ap_nobody.").waitFor();
  await page.getByRole("link", { name: "What needs you now" }).click();
  await page.getByText("You’re all caught up.").waitFor();
  await page.context().close();
});

test("[UX, P5] what expired says so by its link, and the composer was never locked", async () => {
  const profile = join(program.workspace, "home", "profiles", "default");
  await mkdir(profile, { recursive: true, mode: 0o700 });
  const settings = join(profile, "profile.json");
  await writeFile(settings, JSON.stringify({ approval_expires_s: 6 }));
  const { page, problems } = await openWindow(browser, program);
  const id = await asking("late", "exec echo too late");
  await page.goto(`${program.url}/s/late`);
  await page.getByText(/Expires in \d s; without an answer it is denied/).waitFor();
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill("say and yet");
  await page.getByText("Expired without an answer; nothing was run").waitFor();
  assert.equal(await field.inputValue(), "say and yet");
  await runIs(page, "completed");
  await field.press("Enter");
  await page.getByText("and yet", { exact: true }).first().waitFor();
  await page.goto(`${program.url}/approve/${id}`);
  await page.getByText("Expired without an answer; nothing was run").waitFor();
  assert.equal(await started("late"), 0);
  await writeFile(settings, "{}");
  assert.deepEqual(problems, []);
  await page.context().close();
});
