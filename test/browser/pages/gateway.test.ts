// Messengers in a real browser: set one up, let somebody in with their code, send them away; live, on a phone too.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  fakeTelegram,
  TELEGRAM_TOKEN,
  type FakeTelegram,
} from "../../support/messengers/fakes/telegram.ts";
import { until } from "../../support/until.ts";
import { fitsPhone, PHONE } from "../support/layout.ts";
import { launchBrowser, openWindow } from "../support/browser.ts";
import { startProgram } from "../support/program.ts";

const CODE = /[A-Z2-9]{5}-[A-Z2-9]{5}/;
let fake: FakeTelegram;
let at: {
  program: Awaited<ReturnType<typeof startProgram>>;
  browser: Awaited<ReturnType<typeof launchBrowser>>;
};
before(async () => {
  fake = await fakeTelegram();
  const settings = { gateway_urls: { telegram: fake.url }, gateway_edit_ms: 20 };
  const program = await startProgram({ "config.json": settings });
  at = { program, browser: await launchBrowser() };
});
after(async () => {
  await at?.browser.close();
  await at?.program[Symbol.asyncDispose]();
  await fake[Symbol.asyncDispose]();
});

test("[G1, G2, U4] a messenger is set up, tested and switched on; somebody is let in and sent away", async () => {
  const { browser, program } = at;
  const { page } = await openWindow(browser, program);
  await page.goto(`${program.url}/gateway`);
  const card = page.locator('[data-platform="telegram"]');
  await card.getByText("@BotFather").waitFor();
  await card.getByRole("button", { name: "Set up" }).click();
  await card.getByLabel("Bot token").fill("1234:not-the-right-token");
  await card.getByRole("button", { name: "Save" }).click();
  await card.getByText("(is set)").waitFor();
  await card.getByRole("button", { name: "Test" }).click();
  await card.getByText(/It does not work: .*does not know this token/).waitFor();
  await card.getByLabel("Bot token").fill(TELEGRAM_TOKEN);
  await card.getByRole("button", { name: "Save" }).click();
  await until(async () => (await card.getByLabel("Bot token").inputValue()) === "", "saved");
  await card.getByRole("button", { name: "Test" }).click();
  await card.getByText("It works: @deck_bot").waitFor();
  await card.getByLabel("Who may talk").selectOption("open");
  assert.ok(await card.getByRole("button", { name: "Save" }).isDisabled(), "not without a word");
  await card.getByLabel("Who may talk").selectOption("pair");
  await card.getByRole("button", { name: "Switch on" }).click();
  await card.locator('[data-status="connected"]').waitFor();
  await page.getByText("Nobody is paired yet").waitFor();

  fake.say("hello", { user: 7, name: "Ann \u202Eevil" });
  const waiting = page.locator('[data-part="people"] [data-state="pending"]');
  await waiting.getByText("Ann \\u{202e}evil").waitFor(); // nobody reloaded
  const asked = await until(() => fake.in(7)[0], "a code");
  await waiting.getByLabel("The code they were given").fill("AAAAA-AAAAA");
  await waiting.getByRole("button", { name: "Let in" }).click();
  await waiting.getByRole("alert").getByText("No such code waits").waitFor();
  await waiting.getByLabel("The code they were given").fill(CODE.exec(asked.text)?.[0] ?? "");
  await page.keyboard.press("Enter");
  const approved = page.locator('[data-part="people"] [data-state="approved"]');
  await approved.waitFor();
  fake.say("say from the page", { user: 7 });
  await until(() => fake.in(7).some(({ text }) => text === "from the page"), "a reply");

  const phone = await openWindow(browser, program, PHONE);
  await phone.page.goto(`${program.url}/gateway`);
  await phone.page.locator('[data-state="approved"]').waitFor();
  await fitsPhone(phone.page);
  await phone.page.getByRole("button", { name: "Revoke" }).click();
  await approved.waitFor({ state: "detached" });
  await card.getByRole("button", { name: "Switch off" }).click();
  await card.locator('[data-status="off"]').waitFor();
  await page.goto(`${program.url}/audit`);
  await page.getByRole("button", { name: "Messengers" }).click();
  await page.getByText("7 lost access on telegram").waitFor();
  assert.ok(!(await page.content()).includes("telegram-token"));
});
