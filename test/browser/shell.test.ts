// The page around the session: palette, keyboard help, settings, and being an app.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openWindow, runIs, say } from "./support/browser.ts";
import { fitsPhone, PHONE } from "./support/layout.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

for (const [size, options] of [
  ["wide", {}],
  ["390 px", PHONE],
] as const) {
  test(`[UX] one box leads everywhere, by keys alone (${size})`, async () => {
    const window = await openWindow(browser, program, options);
    const { page, problems } = window;
    await say(window, `say a session for the ${size} palette`);
    await runIs(page, "completed");
    const session = page.url();
    await page.keyboard.press("Control+k");
    const box = page.getByRole("combobox", { name: "What to do or where to go" });
    await box.fill("inbox");
    if (size !== "wide") await fitsPhone(page);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/inbox$/);
    await page.keyboard.press("Control+k");
    await box.fill(`${size} palette`);
    await page.getByRole("option", { name: `a session for the ${size} palette` }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(session);
    await page.keyboard.press("Control+k");
    await box.fill("no such thing at all");
    await page.getByText("No results").waitFor();
    await page.keyboard.press("Escape");
    await box.waitFor({ state: "detached" });
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test(`[UX] the help lists the keys of what is on the screen (${size})`, async () => {
    const window = await openWindow(browser, program, options);
    const { page, problems } = window;
    await say(window, "say keys");
    await runIs(page, "completed");
    await page.getByRole("log").focus();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard" });
    await help.getByText("Show as timeline").waitFor();
    await help.getByText("One event back").waitFor();
    if (size !== "wide") await fitsPhone(page);
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.locator('[data-page="settings"]').waitFor();
    assert.deepEqual(problems, []);
    await page.context().close();
  });

  test(`[UX] colours and contrast can be chosen, and are kept (${size})`, async () => {
    const { page, problems } = await openWindow(browser, program, {
      ...options,
      colorScheme: "light",
    });
    await page.goto(`${program.url}/settings`);
    const ground = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    await page.getByRole("radio", { name: "Dark" }).check();
    assert.equal(await ground(), "rgb(15, 19, 23)");
    await page.getByRole("radio", { name: "High contrast" }).check();
    assert.equal(await ground(), "rgb(0, 0, 0)");
    await page.reload();
    await page.getByRole("radio", { name: "Dark" }).and(page.locator(":checked")).waitFor();
    assert.equal(await ground(), "rgb(0, 0, 0)");
    if (size !== "wide") await fitsPhone(page);
    assert.deepEqual(problems, []);
    await page.context().close();
  });
}

test("[S] the app keeps the page and nothing of its data; without a server it still opens", async () => {
  const window = await openWindow(browser, program);
  const { page } = window;
  await say(window, "say kept nowhere but in the journal");
  await runIs(page, "completed");
  await page.evaluate("navigator.serviceWorker.ready");
  await page.reload();
  await runIs(page, "completed");
  const kept = await page.evaluate<string[]>(`(async () => {
    const paths = [];
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
    return paths;
  })()`);
  assert.ok(kept.includes("/"), kept.join(" "));
  assert.deepEqual(
    kept.filter((path) => path !== "/" && !path.startsWith("/assets/")),
    [],
  );
  await page.context().setOffline(true);
  await page.reload();
  await page.getByText("Trying again…").waitFor();
  await page.context().setOffline(false);
  await runIs(page, "completed");
  await page.context().close();
});

/** "Ready" is a worker that still gets ready: what is pushed to it then may be lost. */
const ACTIVATED = `navigator.serviceWorker.ready.then(({ active }) => new Promise((resolve) => {
  const look = () => active.state === "activated" && resolve();
  active.addEventListener("statechange", look);
  look();
}))`;

test("[N2] what is pushed is shown, and leads to its place", async () => {
  const { page } = await openWindow(browser, program, { permissions: ["notifications"] });
  await page.evaluate(ACTIVATED);
  const devtools = await page.context().newCDPSession(page);
  const registration = new Promise<string>((resolve) => {
    devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const known = registrations.find(({ isDeleted }) => !isDeleted);
      if (known) resolve(known.registrationId);
    });
  });
  await devtools.send("ServiceWorker.enable");
  const note = { title: "Needs you", body: "exec rm", url: "/inbox", tag: "s" };
  await devtools.send("ServiceWorker.deliverPushMessage", {
    origin: program.url,
    registrationId: await registration,
    data: JSON.stringify(note),
  });
  const shown = await page.evaluate<string[]>(`(async () => {
    const worker = await navigator.serviceWorker.ready;
    for (;;) {
      const notes = await worker.getNotifications();
      if (notes.length > 0) return notes.map(({ title, body, data }) => [title, body, data.url].join("|"));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })()`);
  assert.deepEqual(shown, ["Needs you|exec rm|/inbox"]);
  await page.context().close();
});
