// npm run screenshots: every screen, light, dark and on a phone, from the real program. All of them go to
// dist/screenshots; the few the README shows also to docs/images.
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContextOptions } from "playwright-core";
import { launchBrowser } from "../test/browser/support/browser.ts";
import { PHONE } from "../test/browser/support/layout.ts";
import { startProgram } from "../test/browser/support/program.ts";
import { furnish, OVERLAYS, SCREENS, visitor } from "../test/browser/support/screens.ts";

const root = join(import.meta.dirname, "..");
const SHOWN = ["chat-light", "timeline-dark", "approval-phone"];
const WINDOWS: readonly [string, BrowserContextOptions][] = [
  ["light", { colorScheme: "light", viewport: { width: 1440, height: 900 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1440, height: 900 } }],
  ["phone", { ...PHONE, colorScheme: "light" }],
  ["phone-dark", { ...PHONE, colorScheme: "dark" }],
];

const folder = join(root, "dist/screenshots");
await mkdir(folder, { recursive: true });
await using program = await startProgram();
const browser = await launchBrowser();
try {
  const places = await furnish(browser, program);
  for (const [window, options] of WINDOWS) {
    const { page, visit } = await visitor(browser, program, options);
    const shoot = (name: string) =>
      page.screenshot({ path: join(folder, `${name}-${window}.png`) });
    for (const screen of SCREENS) {
      await visit(screen, places);
      await shoot(screen.name);
    }
    const [, chat] = SCREENS;
    for (const overlay of OVERLAYS) {
      if (chat) await visit(chat, places);
      await page.getByRole("log").focus();
      await overlay.open(page);
      await shoot(overlay.name);
    }
    await page.context().close();
  }
} finally {
  await browser.close();
}
await mkdir(join(root, "docs/images"), { recursive: true });
for (const name of SHOWN) {
  await cp(join(folder, `${name}.png`), join(root, `docs/images/${name}.png`));
}
console.log(
  `${WINDOWS.length * (SCREENS.length + OVERLAYS.length)} screenshots in dist/screenshots`,
);
