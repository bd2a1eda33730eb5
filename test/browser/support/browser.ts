// A real Chromium and windows that are logged in. Every window collects what must never happen:
// policy violations, page errors, requests that leave the server.
import { existsSync } from "node:fs";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { bundledChromium } from "../../support/bundled-chromium.ts";
import type { Program } from "./program.ts";

const ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Of the machine, or the one that comes with the tests. */
export async function executable(): Promise<string> {
  const named = process.env["CHROMIUM"];
  if (named !== undefined && named !== "") return named;
  if (existsSync("/usr/bin/chromium")) return "/usr/bin/chromium";
  return bundledChromium();
}

export async function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: await executable(), args: [...ARGS, ...more] });
}

export type Window = { readonly page: Page; readonly problems: string[] };

/** A window on the start page, logged in. */
export async function openWindow(
  browser: Browser,
  program: Program,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const window = await blankWindow(browser, program, options);
  await window.page.goto(await program.newLink());
  await window.page.locator('[data-page="start"]').waitFor();
  return window;
}

/** Of somebody who has been here before. */
export async function blankWindow(
  browser: Browser,
  program: Program,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const window = await newcomersWindow(browser, program, options);
  await window.page.addInitScript(
    `try { localStorage.setItem("quarterdeck.welcomed", "yes"); } catch {} // about:blank has none`,
  );
  return window;
}

/** Of somebody who never was: where there is no session, the page opens on the demo. */
export async function newcomersWindow(
  browser: Browser,
  program: Program,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", (event) =>
       console.error("violation of", event.violatedDirective, event.blockedURI))`,
  );
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== "data:" && origin !== program.url) problems.push(`left for ${origin}`);
  });
  return { page, problems };
}

/** Sends a message from wherever the window is and waits for the session's page. */
export async function say({ page }: Window, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/s\//);
}

/** Waits until the run of the window's session has that status. */
export async function runIs(page: Page, status: string): Promise<void> {
  const run = page.getByRole("status", { name: "Run" });
  await run.locator(`[data-status="${status}"]`).waitFor();
}
