// Nothing on the page moves by itself: not while a session opens, whatever part of it comes first, and not
// while somebody scrolls.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openWindow, runIs, say } from "./support/browser.ts";
import { PHONE } from "./support/layout.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

let path: string; // of a session that is longer than any screen
inBrowser({}, async () => {
  const window = await openWindow(browser, program);
  await say(window, ["pace 0", ...SCRIPT, "say the end"].join("\n"));
  await runIs(window.page, "completed");
  path = new URL(window.page.url()).pathname;
  await window.page.context().close();
});

/** Each move that no doing of a person explains, with what moved and from where to where. */
const OBSERVE = `
  window.moved = [];
  const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(" ");
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      for (const { node, previousRect, currentRect } of sources) {
        const what = (node?.outerHTML ?? node?.textContent ?? "something").slice(0, 160);
        moved.push(what + ": " + place(previousRect) + " became " + place(currentRect));
      }
    }
  }).observe({ type: "layout-shift", buffered: true });`;

const SCROLL_UP = `(async () => {
  const log = document.querySelector('[role="log"]');
  log.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, bubbles: true }));
  while (log.scrollTop > 0) {
    log.scrollTop -= 120;
    await new Promise(requestAnimationFrame);
  }
})()`;

const SCRIPT = Array.from({ length: 16 }, (_, at) => [
  `think about ${at}`,
  `say ${"so many words ".repeat(at * 6)}${at}`,
  "list .",
  "list .",
  "list .",
]).flat();

const SIZES: Record<string, BrowserContextOptions> = {
  "1280 px": {},
  "900 px": { viewport: { width: 900, height: 800 } },
  "390 px": PHONE,
};

for (const [size, options] of Object.entries(SIZES)) {
  for (const late of ["the server's status", "the session"] as const) {
    test(`[UX] nothing moves while a session opens and is scrolled, ${late} last (${size})`, async () => {
      const window = await openWindow(browser, program, options);
      const { page } = window;
      await page.addInitScript(OBSERVE);
      const { release, waits } = await holdBack(page, late);
      await page.goto(`${program.url}${path}`);
      await waits;
      if (late === "the session") await page.locator('header [data-status="connecting"]').waitFor();
      else await runIs(page, "completed");
      release();
      await page.locator('header [data-status="live"]').waitFor();
      await page.locator('header [data-status="model"]').waitFor();
      await page.getByRole("log").getByText("the end").waitFor();
      await page.evaluate(SCROLL_UP);
      await page.locator('[role="log"] [data-index="0"]').waitFor();
      assert.deepEqual(await page.evaluate("moved"), []);
      assert.deepEqual(window.problems, []);
      await page.context().close();
    });
  }
}

/** One part of what the page asks for comes only when it is released. */
async function holdBack(page: Page, what: "the server's status" | "the session") {
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  if (what === "the session") {
    await page.routeWebSocket(/\/api\/feed/, (socket) => {
      asked.resolve();
      const server = socket.connectToServer();
      server.onMessage((message) => void held.promise.then(() => socket.send(message)));
    });
    await page.route(/\/past$/, async (route) => {
      await held.promise;
      await route.continue();
    });
  } else {
    await page.route("**/api/status", async (route) => {
      asked.resolve();
      await held.promise;
      await route.continue();
    });
  }
  return { release: held.resolve, waits: asked.promise };
}
