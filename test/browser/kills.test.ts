// The server and the runner are killed while something is on the screen: streaming text, an approval, a
// subagent. What the page shows in the end is what the journal folds to, once, and a draft is still there.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openWindow, runIs, say } from "./support/browser.ts";
import { PHONE } from "./support/layout.ts";
import { sessionOf } from "./support/screens.ts";
import { foldedTranscript, hashOf, shownTranscript } from "./support/transcript.ts";
import { browser, inBrowser, program } from "./support/suite.ts";

inBrowser();

type Moment = {
  readonly message: string;
  /** Settles when the moment to kill has come. */
  readonly reach: (page: Page) => Promise<void>;
  /** What a person does afterwards, if anything. */
  readonly finish: (page: Page) => Promise<void>;
};

const allow = (page: Page) => page.getByRole("button", { name: "Allow once" }).first();
const MOMENTS: Readonly<Record<string, Moment>> = {
  streaming: {
    message: "pace 20\ncount 150",
    reach: (page) => page.getByText(/ 20 21 /).waitFor(),
    finish: async () => undefined,
  },
  "an approval": {
    message: "say before\nexec echo allowed\nsay after",
    reach: (page) => allow(page).waitFor(),
    finish: async (page) => allow(page).click(),
  },
  "a subagent": {
    message: "delegate Count: pace 20; count 120\nsay delegated",
    reach: (page) => page.getByRole("log").getByText("Count", { exact: true }).first().waitFor(),
    finish: async () => undefined,
  },
};
const VICTIMS = { serve: () => program.killServer(), work: () => program.killRunner() };
const WIDTHS: Readonly<Record<string, BrowserContextOptions>> = { wide: {}, "390 px": PHONE };

for (const [what, { message, reach, finish }] of Object.entries(MOMENTS)) {
  for (const [victim, kill] of Object.entries(VICTIMS)) {
    for (const [width, options] of Object.entries(WIDTHS)) {
      test(`[V1, V5] ${victim} is killed during ${what} (${width}): nothing is lost or shown twice`, async () => {
        const window = await openWindow(browser, program, options);
        const { page } = window;
        await say(window, message);
        await reach(page);
        await page.getByRole("textbox", { name: "Message" }).fill("a draft");
        await kill();
        await program.serves();
        await page.locator('[data-status="live"]').first().waitFor();
        await finish(page);
        await runIs(page, "completed");
        const shown = await shownTranscript(page);
        const folded = await foldedTranscript(program, sessionOf(page));
        assert.deepEqual(shown, folded);
        assert.equal(hashOf(shown), hashOf(folded));
        assert.equal(await page.getByRole("textbox", { name: "Message" }).inputValue(), "a draft");
        await page.context().close();
      });
    }
  }
}
