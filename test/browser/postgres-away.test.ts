// A page while the server's database is away: it says so, keeps what it shows, and goes on by itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call } from "../support/http.ts";
import { startPostgres } from "../support/postgres/postgres.ts";
import { startServe } from "../support/processes.ts";
import { newTestHome, quarterdeck } from "../support/program.ts";
import { launchBrowser } from "./support/browser.ts";

test("[V4, D5] the pill says that the database is away, also to a page that comes meanwhile, and that it is back", async () => {
  await using postgres = await startPostgres({ fsync: false });
  using place = newTestHome({ database_patience_ms: 500 });
  const env = { QUARTERDECK_DATABASE_URL: await postgres.database() };
  await using server = await startServe(place, { env });
  await call(server, "POST", "/api/sessions", { session_id: "kept" });
  const link = (
    await quarterdeck(["token", "--link", "--home", place.home], { env })
  ).stdout.trim();
  const browser = await launchBrowser();
  await using _closing = { [Symbol.asyncDispose]: () => browser.close() };
  const page = await (await browser.newContext()).newPage();
  await page.goto(link);
  await page.getByRole("navigation", { name: "Sessions" }).waitFor(); // logged in
  await page.goto(`${server.url}/s/kept`);
  const says = (text: string) => page.locator("header [data-status]", { hasText: text }).waitFor();
  await says("Live");
  await postgres.kill();
  await says("The database is away");
  await page.reload();
  await says("The database is away");
  await postgres.restart();
  await says("Live");
  assert.equal(await page.getByText("Not allowed").count(), 0);
});
