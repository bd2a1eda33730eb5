// One browser and one program for all tests of a file. Each file runs in a process of its own, so these
// are its own, too.
import { after, before } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { startProgram, type Program } from "./program.ts";

export let browser: Browser;
export let program: Program;

export function inBrowser(...place: Parameters<typeof startProgram>): void {
  before(async () => {
    program = await startProgram(...place);
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await program?.[Symbol.asyncDispose]();
  });
}
