// Files with a message: by picker, drop and paste; kept, refused, lost and found again.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { openWindow, runIs, say } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { foldedTranscript, hashOf, sessionEvents, shownTranscript } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const sessionOf = (page: Page) => decodeURIComponent(new URL(page.url()).pathname.slice(3));
const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
const answers = (page: Page) => page.locator('[data-item="text"]');
const chips = (page: Page) =>
  page.getByRole("list", { name: "Files to send" }).getByRole("listitem");
const sent = (page: Page) => page.getByRole("log").getByRole("list", { name: "Attachments" });
const file = (name: string, body: Buffer | string, mimeType = "text/plain") => ({
  name,
  mimeType,
  buffer: Buffer.from(body),
});
const pick = (page: Page, ...files: ReturnType<typeof file>[]) =>
  page.locator('input[type="file"]').setInputFiles(files);
const attached = async (page: Page) =>
  (await sessionEvents(program, sessionOf(page)))
    .filter(({ type }) => type === "message.user")
    .map(({ payload }) => (payload as { attachments: { name: string }[] }).attachments)
    .map((files) => files.map(({ name }) => name));

/** As a drag from the desktop does it. */
async function dropOn(page: Page, selector: string, name: string, folder = false): Promise<void> {
  await page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File(["dropped words"], ${JSON.stringify(name)}, { type: "text/plain" }));
    if (${folder}) DataTransferItem.prototype.webkitGetAsEntry = () => ({ isDirectory: true });
    for (const type of ["dragenter", "dragover", "drop"]) {
      const event = { dataTransfer: data, bubbles: true, cancelable: true };
      document.querySelector(${JSON.stringify(selector)}).dispatchEvent(new DragEvent(type, event));
    }
  }`);
}

async function paste(page: Page, name: string, words = ""): Promise<void> {
  await page.evaluate(`{
    const data = new DataTransfer();
    data.items.add(new File(["pasted"], ${JSON.stringify(name)}, { type: "image/png" }));
    if (${words !== ""}) data.setData("text/plain", ${JSON.stringify(words)});
    const event = { clipboardData: data, bubbles: true, cancelable: true };
    document.querySelector("#composer").dispatchEvent(new ClipboardEvent("paste", event));
  }`);
}

for (const [where, options] of [["wide", {}] as const, ["390 px", PHONE] as const]) {
  test(`[UX, V1] files picked, dropped and pasted go with the message and stand in the transcript (${where})`, async () => {
    const window = await openWindow(browser, program, options);
    const { page, problems } = window;
    await say(window, "say hello");
    await runIs(page, "completed");
    await pick(page, file("dot.png", PNG, "image/png"), file("remove me.txt", "x"));
    await dropOn(page, '[role="log"]', "dropped\u202etxt.exe");
    await paste(page, "pasted.png");
    await paste(page, "not this.png", "words are meant");
    await chips(page).nth(3).waitFor();
    assert.equal(await chips(page).count(), 4);
    await page.locator('[data-file="done"]').nth(3).waitFor();
    await chips(page).nth(0).locator("img").waitFor();
    assert.match(await chips(page).nth(2).innerText(), /^dropped\\u\{202e\}txt\.exe/);
    if (where !== "wide") await fitsPhone(page);
    await page.getByRole("button", { name: "Remove remove me.txt" }).press("Enter");
    await page.keyboard.press("Tab");
    await field(page).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("Describe what to do with the files.").waitFor();
    await page.keyboard.type("say I have seen them");
    await page.keyboard.press("Enter");
    await answers(page).getByText("I have seen them").waitFor();
    await runIs(page, "completed");
    assert.equal(await chips(page).count(), 0);
    const items = sent(page).getByRole("listitem");
    assert.equal(await items.count(), 3);
    await items.nth(0).locator('[data-picture="shown"] img').waitFor();
    await items.nth(2).locator('[data-picture="none"]').waitFor(); // "pasted" is no picture, whatever it says
    if (where !== "wide") await fitsPhone(page);
    const folded = await foldedTranscript(program, sessionOf(page));
    assert.equal(
      hashOf(await shownTranscript(page)),
      hashOf(folded),
      "the words are the same as ever",
    );
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      items.nth(0).getByRole("link").click(),
    ]);
    assert.equal(download.suggestedFilename(), "dot.png");
    assert.deepEqual((await attached(page)).at(-1), [
      "dot.png",
      "dropped\u202etxt.exe",
      "pasted.png",
    ]);
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test(`[UX] a draft keeps its files through a reload; a file that was not uploaded says so (${where})`, async () => {
    const window = await openWindow(browser, program, options);
    const { page, problems } = window;
    await say(window, "say hello");
    await runIs(page, "completed");
    await pick(page, file("kept.txt", "kept"));
    await page.locator('[data-file="done"]').waitFor();
    await page.context().setOffline(true);
    await pick(page, file("late.txt", "late"));
    await chips(page).getByText("Uploads when the server answers").waitFor();
    await field(page).fill("say both");
    if (where !== "wide") await fitsPhone(page);
    await page.context().setOffline(false);
    await page.locator('[data-file="done"]').nth(1).waitFor();
    await page.route("**/api/attachments", (route) => route.abort());
    await pick(page, file("never.txt", "never"));
    await chips(page).getByText("Uploads when the server answers").waitFor();
    await page.reload();
    await page.locator('[data-file="lost"]').getByText("add it again").waitFor();
    assert.equal(await page.locator('[data-file="done"]').count(), 2);
    assert.equal(await field(page).inputValue(), "say both");
    if (where !== "wide") await fitsPhone(page);
    await page.getByRole("button", { name: "Remove never.txt" }).click();
    await field(page).press("Enter");
    await answers(page).getByText("both").waitFor();
    assert.deepEqual((await attached(page)).at(-1), ["kept.txt", "late.txt"]);
    assert.deepEqual(
      problems.filter((text) => !/ERR_INTERNET|ERR_FAILED/.test(text)),
      [],
    );
    await page.context().close();
  });
}

test("[UX, X2] a message sent without a server takes its files along when it is back, once", async () => {
  const window = await openWindow(browser, program, PHONE);
  const { page } = window;
  await say(window, "say hello");
  await runIs(page, "completed");
  await page.context().setOffline(true);
  await pick(page, file("a.txt", "A"));
  await field(page).fill("say from offline");
  await page.keyboard.press("Enter");
  await page.getByText("Uploading its files…").waitFor();
  await page.getByText("With a.txt").waitFor();
  await fitsPhone(page);
  await page.context().setOffline(false);
  await answers(page).getByText("from offline").waitFor();
  assert.deepEqual(await attached(page), [[], ["a.txt"]]);

  await page.route("**/api/attachments", (route) => route.abort());
  await pick(page, file("b.txt", "B"));
  await field(page).fill("say after the reload");
  await page.keyboard.press("Enter");
  await page.getByText("Uploading its files…").waitFor();
  await page.unroute("**/api/attachments");
  await page.route("**/api/attachments", (route) => route.abort());
  await page.reload();
  await page
    .getByText(
      "“b.txt” was not uploaded before the page was reloaded or closed. Add the file again.",
    )
    .waitFor();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  assert.equal(await field(page).inputValue(), "say after the reload");
  await page.locator('[data-file="lost"]').waitFor();
  await page.context().close();
});

test("[UX] what cannot be attached is refused by name, and an upload that failed can be tried again", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "say hello");
  await runIs(page, "completed");
  const alert = page.getByRole("alert");
  await pick(page, file("huge.bin", Buffer.alloc(20_000_001)));
  await alert.getByText("huge.bin is too large: at most 20.0 MB.").waitFor();
  assert.equal(await chips(page).count(), 0);
  await dropOn(page, "main", "folder", true);
  await alert.getByText("Folders cannot be attached").waitFor();
  assert.equal(await chips(page).count(), 0);
  await pick(page, ...Array.from({ length: 21 }, (_, at) => file(`f${at}.txt`, `${at}`)));
  await alert.getByText("At most 20 files go with one message.").waitFor();
  assert.equal(await chips(page).count(), 20);
  for (let at = 0; at < 20; at += 1) {
    await page.getByRole("button", { name: `Remove f${at}.txt` }).click();
  }
  const refusal = { ok: false, error: { code: "too_large", message: "No room.", details: {} } };
  await page.route("**/api/attachments", (route) => route.fulfill({ status: 413, json: refusal }));
  await pick(page, file("again.txt", "again"));
  await chips(page).getByText("Not uploaded: No room.").waitFor();
  await page.unroute("**/api/attachments");
  await page.getByRole("button", { name: "Upload again.txt again" }).click();
  await page.locator('[data-file="done"]').waitFor();
  await page.context().close();
});

test("[UX] a session begins with files, and a beginning that is refused gives the words back", async () => {
  const { page, problems } = await openWindow(browser, program, PHONE);
  await pick(page, file("first.txt", "first"));
  await field(page).fill("say with a file");
  await fitsPhone(page);
  const refusal = {
    ok: false,
    error: { code: "invalid_request", message: "Not so.", details: {} },
  };
  await page.route("**/api/runs", (route) => route.fulfill({ status: 400, json: refusal }));
  await page.keyboard.press("Enter");
  await page.getByText("Not so.").waitFor();
  assert.equal(await field(page).inputValue(), "say with a file");
  assert.equal(await chips(page).count(), 1);
  problems.splice(0); // the browser reports the refusal
  await page.unroute("**/api/runs");
  await field(page).press("Enter");
  await page.waitForURL(/\/s\//);
  await answers(page).getByText("with a file").waitFor();
  assert.deepEqual(await attached(page), [["first.txt"]]);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("[UX, X2] a second tab leaves a message alone whose file the first still uploads, until that is closed", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  const unsent = (tab: Page) => tab.getByRole("log").locator("li[data-status]");
  const kept = (tab: Page) =>
    tab.evaluate(
      `Object.keys(localStorage).filter((key) => key.startsWith("quarterdeck.outbox."))`,
    );
  await say(window, "say hello");
  await runIs(page, "completed");
  await page.route("**/api/attachments", (route) => route.abort());
  await pick(page, file("slow.txt", "slow"));
  await field(page).fill("say it came");
  await page.keyboard.press("Enter");
  await page.getByText("Uploading its files…").waitFor();

  const second = await page.context().newPage();
  await second.goto(page.url());
  await runIs(second, "completed");
  await field(second).fill("say from the second tab");
  await second.keyboard.press("Enter");
  await answers(second).getByText("from the second tab").waitFor();
  assert.equal(await unsent(second).count(), 0, "nothing is lost, and nothing is said to be");
  await page.unroute("**/api/attachments");
  await answers(second).getByText("it came").waitFor();
  assert.deepEqual(await attached(second), [[], [], ["slow.txt"]]);
  assert.equal(await unsent(second).count(), 0);
  assert.deepEqual(await kept(second), []);

  await page.route("**/api/attachments", (route) => route.abort());
  await pick(page, file("never.txt", "never"));
  await field(page).fill("say it never came");
  await page.keyboard.press("Enter");
  await page.getByText("Uploading its files…").waitFor();
  await page.close();
  await second
    .getByText("“never.txt” was not uploaded before the page was reloaded or closed")
    .waitFor();
  await second.getByRole("button", { name: "Edit", exact: true }).click();
  assert.equal(await field(second).inputValue(), "say it never came");
  assert.deepEqual(await kept(second), []);
  await second.context().close();
});
