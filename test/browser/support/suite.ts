// One browser and one program for all tests of a file. Each file runs in a process of its own, so these
// are its own, too.
import { after, before } from "node:test";
import type { Browser } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { startProgram, type Program } from "./program.ts";

export let browser: Browser;
export let program: Program;

/** `prepare` is done when both are there: hooks of a file are not run one after the other. */
export function inBrowser(
  files: Parameters<typeof startProgram>[0] = {},
  prepare: () => Promise<void> = async () => {},
  args: readonly string[] = [], // of the browser
): void {
  before(async () => {
    program = await startProgram(files);
    browser = await launchBrowser(args);
    await prepare();
  });
  after(async () => {
    await browser?.close();
    await program?.[Symbol.asyncDispose]();
  });
}
