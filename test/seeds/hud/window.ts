// The activity feed in a real Chromium: one window, opened when the first row asks for it, which all rows about the
// panel look at. Where no Chromium starts, these rows are skipped, and say why.
import { execFile } from "node:child_process";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { launchBrowser } from "../../browser/support/browser.ts";
import { startRun } from "../../support/http.ts";
import { CHROMIUM, notHere } from "../../support/needing.ts";
import { ROOT, type Program } from "../../support/program.ts";
import type { World } from "./world.ts";

export type Panel = {
  readonly page: Page;
  /** Shows the feed of a session, as somebody sees it who comes later. */
  open(sessionId: string): Promise<void>;
  /** The same, and work that goes on in it: many calls that are done and one that is not. */
  openAndGoOn(sessionId: string): Promise<void>;
};

/** Or why there is none. */
export async function openPanel(
  program: Program,
  stack: AsyncDisposableStack,
): Promise<Panel | string> {
  await promisify(execFile)(process.execPath, [join(ROOT, "scripts/build-web.ts")]); // a moment, unless it changed
  const browser = await launchBrowser().catch((error) => String(error).split("\n", 1).join());
  if (typeof browser === "string") return browser;
  stack.defer(() => browser.close());
  const page = await browser.newPage();
  await page.goto(/http:\S+#login=\S+/.exec(program.output())?.[0] ?? "");
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  const rows = page.locator("[data-hud] [data-row][data-type]");
  let shown = "";
  const open = async (sessionId: string) => {
    if (shown === sessionId) return;
    shown = sessionId;
    await page.goto(`${program.url}/s/${encodeURIComponent(sessionId)}?panel=hud`);
    await rows.first().waitFor();
  };
  let goesOn: Promise<void> | undefined;
  const goOn = async (session_id: string) => {
    await startRun(program, "Go on here.", { session_id });
    await page.locator('[data-type="tool"][data-pulse]').getByText("sleep 300").waitFor();
  };
  return {
    page,
    open,
    openAndGoOn: async (sessionId) => {
      await open(sessionId);
      await (goesOn ??= goOn(sessionId));
    },
  };
}

/** A check of what the window shows. */
export const seen =
  (look: (panel: Panel, world: World) => Promise<void>) => async (world: World, t: TestContext) => {
    const panel = await world.panel();
    if (typeof panel === "string") notHere(t, `${CHROMIUM}: ${panel}`);
    else await look(panel, world);
  };
