// axe on every screen, in both themes, wide and on a phone: no violation.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContextOptions } from "playwright-core";
import { violations } from "./support/axe.ts";
import { PHONE } from "./support/layout.ts";
import { furnish, OVERLAYS, SCREENS, visitor, type Places } from "./support/screens.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

let places: Places;
inBrowser({}, async () => {
  places = await furnish(browser, program);
});

const WINDOWS: readonly [string, BrowserContextOptions][] = [
  ["light", { colorScheme: "light" }],
  ["dark", { colorScheme: "dark" }],
  ["light, 390 px", { ...PHONE, colorScheme: "light" }],
  ["dark, 390 px", { ...PHONE, colorScheme: "dark" }],
];

for (const [name, options] of WINDOWS) {
  test(`[UX] axe finds nothing on any screen (${name})`, async () => {
    const { page, problems, visit } = await visitor(browser, program, options);
    const wrong: string[] = [];
    for (const screen of SCREENS) {
      await visit(screen, places);
      wrong.push(...(await violations(page)).map((text) => `${screen.name}: ${text}`));
    }
    const [, chat] = SCREENS;
    for (const overlay of OVERLAYS) {
      if (chat) await visit(chat, places);
      await page.getByRole("log").focus();
      await overlay.open(page);
      wrong.push(...(await violations(page)).map((text) => `${overlay.name}: ${text}`));
    }
    assert.deepEqual(wrong, []);
    assert.deepEqual(problems, []);
    await page.context().close();
  });
}
