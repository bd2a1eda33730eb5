// The microphone in the composer, recordings in the chat, and answers that are read aloud. The browser has a
// microphone that beeps, and the server an endpoint on this machine.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { startAudioEndpoint } from "../support/servers/audio-endpoint.ts";
import { until } from "../support/until.ts";
import { violations } from "./support/axe.ts";
import { openWindow, runIs, say } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

const endpoint = await startAudioEndpoint();
const { baseUrl } = endpoint;
inBrowser(
  { "config.json": { transcription_url: baseUrl, speech_url: baseUrl, titles: false } },
  undefined,
  ["--use-fake-device-for-media-stream"],
);
after(() => endpoint[Symbol.asyncDispose]());

const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
const microphone = (page: Page) => page.getByRole("button", { name: "Record your voice" });
const chips = (page: Page) =>
  page.getByRole("list", { name: "Files to send" }).getByRole("listitem");
const timer = (page: Page) => page.getByRole("timer");
const stop = (page: Page) => page.getByRole("button", { name: "Stop", exact: true });
const aloud = (page: Page) => page.getByRole("button", { name: "Read aloud" });
const allowed = { permissions: ["microphone"] };

async function open(options: BrowserContextOptions = allowed, script = "say hello") {
  const window = await openWindow(browser, program, options);
  await say(window, script);
  await runIs(window.page, "completed");
  return window;
}

for (const [where, options] of [["wide", {}] as const, ["390 px", PHONE] as const]) {
  test(`[UX, ME3] what is said becomes text at the cursor, and the recording goes (${where})`, async () => {
    const { page, problems } = await open({ ...options, ...allowed });
    await field(page).fill("say loud.");
    await page.evaluate("composer.setSelectionRange(4, 8)");
    const before = await page.locator("form:has(#composer)").boundingBox();
    await microphone(page).click();
    await timer(page).getByText("0:01").waitFor();
    assert.deepEqual(
      await page.locator("form:has(#composer)").boundingBox(),
      before,
      "nothing moves",
    );
    if (where !== "wide") await fitsPhone(page);
    assert.deepEqual(await violations(page), []);
    await stop(page).click();
    const written = () => field(page).inputValue();
    await until(async () => /^say Heard \d+ bytes\.\.$/.test(await written()), "the words");
    const heard = endpoint.heard.at(-1);
    assert.match(await written(), new RegExp(`Heard ${heard?.file?.bytes.length} `));
    assert.deepEqual([heard?.file?.name, heard?.file?.type], ["recording.webm", "audio/webm"]);
    assert.ok((heard?.file?.bytes.length ?? 0) > 1_000);
    await microphone(page).waitFor();
    assert.equal(await chips(page).count(), 0);
    assert.equal(await page.evaluate("document.activeElement.id"), "composer");
    assert.deepEqual(problems, []);
    await page.context().close();
  });
}

test("[UX] a recording is cancelled by a press or by Esc, by keyboard alone, and leaves nothing", async () => {
  const { page, problems } = await open();
  const asked = endpoint.heard.length;
  await microphone(page).press("Enter");
  await timer(page).waitFor();
  await page.keyboard.press("Escape"); // Stop has the focus
  await microphone(page).waitFor();
  await microphone(page).click();
  await timer(page).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await microphone(page).waitFor();
  assert.equal(await chips(page).count(), 0);
  assert.equal(endpoint.heard.length, asked);
  assert.equal(await field(page).inputValue(), "");
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX] who leaves for another session in the middle of a recording finds its words in the draft", async () => {
  const window = await open();
  const { page, problems } = window;
  const first = page.url();
  await microphone(page).click();
  await timer(page).getByText("0:01").waitFor();
  await page.getByRole("link", { name: "New session" }).click();
  await page.locator('[data-page="start"]').waitFor();
  await field(page).fill("other words");
  const kept = () => page.evaluate<string[]>(`Object.values(localStorage)`);
  await until(
    async () => (await kept()).some((text) => /^Heard \d+ bytes/.test(text)),
    "the words",
  );
  assert.equal(await field(page).inputValue(), "other words");
  assert.equal(await timer(page).count(), 0);
  await page.goto(first);
  await until(async () => /^Heard \d+ bytes/.test(await field(page).inputValue()), "the draft");
  assert.equal(await chips(page).count(), 0);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX, ME2] what cannot be turned into text stays as a recording, says why, and plays in the chat", async () => {
  const { page, problems } = await open();
  const error = { code: "endpoint_failed", message: "It answers 500.", details: {} };
  await page.route("**/api/media/transcribe", (route) =>
    route.fulfill({ status: 502, json: { ok: false, error } }),
  );
  await microphone(page).click();
  await timer(page).getByText("0:01").waitFor();
  await stop(page).click();
  const alert = page.getByRole("alert");
  await alert
    .getByText("Transcription failed: It answers 500. The recording is attached")
    .waitFor();
  await page
    .locator('[data-file="done"]')
    .getByText(/^Recording .*\.webm/)
    .waitFor();
  await page.reload(); // what was uploaded is kept
  await page.locator('[data-file="done"]').waitFor();
  await field(page).fill("say I have it");
  await field(page).press("Enter");
  await runIs(page, "completed");
  const loaded = page.waitForResponse(/\/api\/media\/[0-9a-f]{64}$/);
  await page
    .getByRole("log")
    .getByRole("button", { name: /^Play Recording/ })
    .click();
  assert.equal((await loaded).status(), 200);
  await page.getByRole("log").locator("audio").waitFor();
  assert.deepEqual(await violations(page), []);
  const played = `(async () => {
    const sound = document.querySelector('[role="log"] audio');
    await sound.play();
    return [new URL(sound.currentSrc).protocol, sound.error];
  })()`;
  assert.deepEqual(await page.evaluate(played), ["blob:", null]);
  assert.deepEqual(
    problems.filter((text) => !/502/.test(text)),
    [],
  );
  await page.context().close();
});

test("[UX, ME2] where nobody turns speech into text, a recording is simply attached; nothing is read aloud", async () => {
  const window = await openWindow(browser, program, allowed);
  const { page } = window;
  await page.route("**/api/status", async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: object };
    const media = { transcription: false, speech: false };
    await route.fulfill({ response, json: { ...body, data: { ...body.data, media } } });
  });
  await page.reload();
  await say(window, "say hello");
  await runIs(page, "completed");
  const asked = endpoint.heard.length;
  await microphone(page).click();
  await timer(page).waitFor();
  await stop(page).click();
  await page.locator('[data-file="done"]').waitFor();
  await microphone(page).waitFor();
  assert.equal(endpoint.heard.length, asked);
  assert.equal(await aloud(page).count(), 0);
  await page.context().close();
});

test("[UX] a microphone that may not be used is said in words; without one there is no button", async () => {
  const { page } = await open({});
  await microphone(page).click();
  await page.getByRole("alert").getByText("This page may not use the microphone").waitFor();
  await microphone(page).waitFor();
  assert.equal(await chips(page).count(), 0);
  await page.addInitScript("navigator.mediaDevices.enumerateDevices = async () => []");
  await page.reload();
  await runIs(page, "completed");
  assert.equal(await microphone(page).count(), 0);
  await page.context().close();
});

for (const [where, options] of [["wide", {}] as const, ["390 px", PHONE] as const]) {
  test(`[UX, ME4] an answer is read aloud, one at a time, and can be stopped (${where})`, async () => {
    const window = await open(options, "say The **first** answer.");
    const { page, problems } = window;
    await aloud(page).click();
    await page.locator('[data-reading="speaking"]').waitFor();
    assert.equal(endpoint.heard.at(-1)?.fields["input"], "The first answer.");
    await page.locator('[data-reading="none"]').waitFor(); // to its end
    await say(window, "say A second one.");
    await aloud(page).nth(1).waitFor();
    if (where !== "wide") await fitsPhone(page);
    await page.route("**/api/media/speak", () => {}); // never answered
    await aloud(page).nth(1).click();
    await page.locator('[data-reading="asking"]').waitFor();
    assert.equal(await aloud(page).count(), 1, "the other one can be read instead");
    await page.getByRole("button", { name: "Stop reading" }).click();
    assert.equal(await aloud(page).count(), 2);
    await page.unroute("**/api/media/speak");
    const error = { code: "endpoint_failed", message: "It answers 401.", details: {} };
    await page.route("**/api/media/speak", (route) =>
      route.fulfill({ status: 502, json: { ok: false, error } }),
    );
    await aloud(page).nth(0).click();
    await page.getByRole("alert").getByText("It answers 401.").waitFor();
    assert.equal(await aloud(page).count(), 2);
    if (where !== "wide") await fitsPhone(page);
    assert.deepEqual(
      problems.filter((text) => !/502/.test(text)),
      [],
    );
    await page.context().close();
  });
}
