// The agents' browser in a real browser: chosen, refused, used and taken away, and what it saw is shown.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { chromiumPath } from "../../../src/features/browser/host/test-support.ts";
import { webServer } from "../../support/servers/web-server.ts";
import { openWindow, runIs, say } from "../support/browser.ts";
import { fitsPhone, PHONE } from "../support/layout.ts";
import { browser, inBrowser, program } from "../support/suite.ts";

const web = await webServer((_, response) => {
  response.setHeader("content-type", "text/html");
  response.end("<title>Harbour</title><h1>Ships come and go</h1>");
});
after(() => web[Symbol.asyncDispose]());
const settings = {
  demo_delay_ms: 2,
  browser_executable: await chromiumPath(),
  allow_private_hosts: ["127.0.0.1"],
};
inBrowser({ "config.json": settings });

test("[BR1, BR5] a browser is started, used and taken away; every window sees it, and the picture is shown", async () => {
  const { page, problems } = await openWindow(browser, program);
  await page.goto(`${program.url}/browser`);
  const status = page.locator('[data-part="status"]');
  await status.getByText("Not connected").waitFor();
  const phone = await openWindow(browser, program, PHONE);
  await phone.page.goto(`${program.url}/browser`);
  await phone.page.getByText("Not connected").waitFor();
  await fitsPhone(phone.page);

  await page.getByLabel("Address").fill("127.0.0.1:1");
  await page.getByRole("button", { name: "Connect" }).click();
  await page.getByRole("alert").getByText("No browser answers at http://127.0.0.1:1").waitFor();
  await page.getByLabel("Address").fill("http://example.org:9222");
  await page.getByRole("button", { name: "Connect" }).click();
  await page
    .getByRole("alert")
    .getByText(/only on this machine/)
    .waitFor();
  await status.getByText("Not connected").waitFor();

  await page.getByRole("button", { name: "Start a browser" }).click();
  await status.locator('[data-status="connected"]').getByText("Ready").waitFor();
  await phone.page.getByText("Ready").waitFor(); // nobody reloaded
  await fitsPhone(phone.page);

  const other = await openWindow(browser, program);
  await say(other, `browse ${web.origin}/\nscreenshot\nsay done`);
  await other.page.getByRole("button", { name: "Allow once" }).first().click();
  await runIs(other.page, "completed");
  const group = other.page.getByRole("button", { name: /used the browser/ });
  if (await group.isVisible()) await group.click();
  const picture = other.page.locator('figure[data-picture="shown"] img');
  await picture.waitFor();
  const width = await picture.evaluate(
    (image) => (image as unknown as { naturalWidth: number }).naturalWidth,
  );
  assert.equal(width, 1280);
  await other.page.getByText(/^1280 × 800/).waitFor();

  await page.getByRole("button", { name: "Disconnect" }).click();
  await status.getByText("Not connected").waitFor();
  await page.goto(`${program.url}/audit`);
  await page.getByText("Agents may use a browser of their own").waitFor();
  await page.getByText("Agents have no browser any more").waitFor();
  const unexpected = [...problems, ...other.problems].filter(
    (each) => !/status of 4\d\d/.test(each),
  );
  assert.deepEqual(unexpected, []);
});
