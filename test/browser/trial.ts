// One trial: two windows on one session, and a random sequence of what people, networks and crashes do to
// them while it runs. At the end both windows show exactly what the journal folds to, and a draft that was
// being written is still there.
import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { seeded, type Random } from "../support/random.ts";
import { openWindow, say, type Window } from "./support/browser.ts";
import { PHONE } from "./support/layout.ts";
import { startProgram, type Program } from "./support/program.ts";
import { sessionOf } from "./support/screens.ts";
import { foldedTranscript, shownTranscript } from "./support/transcript.ts";

const DRAFT = "words nobody has sent";
const MESSAGES = [
  "pace 15\ncount 120",
  "think hm\nsay first\nexec echo one\nsay after one",
  "delegate Look: say looked\nsay delegated",
  "plan Go; one; two\nstep 1\nsay one\nstep 2\nplan done",
  "write a.txt hello\nread a.txt\nexec cat a.txt\nsay written",
  "clarify Which?|left|right\nsay chosen",
];
const STEPS = 10;

type Scene = {
  readonly program: Program;
  readonly windows: readonly Window[];
  readonly random: Random;
};
type Step = { readonly name: string; readonly act: (page: Page, scene: Scene) => Promise<void> };

const path = (page: Page, query: string) => `${new URL(page.url()).pathname}${query}`;

const FAULTS: readonly Step[] = [
  { name: "reload", act: async (page) => void (await page.reload()) },
  {
    name: "away and back",
    act: async (page) => {
      await page.evaluate(
        `history.pushState(null, "", "/"); dispatchEvent(new PopStateEvent("popstate"))`,
      );
      await page.locator('[data-page="start"]').waitFor();
      await page.goBack();
    },
  },
  { name: "kill serve", act: async (_page, { program }) => program.killServer() },
  { name: "kill work", act: async (_page, { program }) => program.killRunner() },
  {
    name: "offline for a moment",
    act: async (page) => {
      await page.context().setOffline(true);
      await page.evaluate("new Promise(requestAnimationFrame)");
      await page.context().setOffline(false);
    },
  },
  ...["?view=tree", "?view=timeline", "?view=events", "?panel=hud", "?at=5", ""].map(
    (query): Step => ({
      name: `look at ${query || "chat"}`,
      act: async (page) => {
        await page.evaluate(
          `history.pushState(null, "", ${JSON.stringify(path(page, query))}); dispatchEvent(new PopStateEvent("popstate"))`,
        );
      },
    }),
  ),
  {
    name: "say more",
    act: async (page, { random }) => {
      const field = page.getByRole("textbox", { name: "Message" });
      await field.fill(pick(random, MESSAGES));
      await field.press("Enter");
    },
  },
  { name: "answer", act: (page) => answer(page) },
];

export async function runTrial(browser: Browser, seed: number): Promise<string[]> {
  const random = seeded(seed);
  await using program = await startProgram();
  const narrow: BrowserContextOptions = random.below(2) === 0 ? PHONE : {};
  const [first, second] = [
    await openWindow(browser, program),
    await openWindow(browser, program, narrow),
  ];
  const windows = [first, second];
  const done: string[] = [];
  try {
    await say(first, pick(random, MESSAGES));
    await second.page.goto(first.page.url());
    for (let step = 0; step < STEPS; step += 1) {
      const { name, act } = pick(random, FAULTS);
      const which = random.below(2);
      done.push(`${which + 1}: ${name}`);
      await act((windows[which] ?? first).page, { program, windows, random });
    }
    await settle(windows, program);
    await compare(windows, program);
  } catch (error) {
    throw new Error(`seed ${seed}, after ${done.join(", ")}`, { cause: error });
  } finally {
    for (const { page } of windows) await page.context().close();
  }
  return done;
}

function pick<Value>(random: Random, values: readonly Value[]): Value {
  return values[random.below(values.length)] as Value;
}

async function answer(page: Page): Promise<void> {
  const allow = page.getByRole("button", { name: "Allow in this session" }).first();
  // Exactly: the session is called after its first message, and its name is a button too.
  const left = page.getByRole("button", { name: "left", exact: true }).first();
  for (const button of [allow, left]) {
    // It may have been answered in the other window in this very moment.
    if (await button.isVisible()) await button.click({ timeout: 2_000 }).catch(() => undefined);
  }
}

/** Answers whatever is asked until all that was said is sent and nothing of the session goes on any more. */
async function settle(windows: readonly Window[], program: Program): Promise<void> {
  const [{ page }] = windows as [Window, Window];
  const sessionId = sessionOf(page);
  await page.goto(`${program.url}/s/${encodeURIComponent(sessionId)}`);
  while ((await hasUnsent(windows)) || (await isGoingOn(program, sessionId))) {
    await answer(page);
    await page.evaluate("new Promise(requestAnimationFrame)");
  }
}

/** Words that were said while no server answered go out later, from the window they were said in. */
async function hasUnsent(windows: readonly Window[]): Promise<boolean> {
  const kept = `Object.keys(localStorage).some((key) => key.startsWith("quarterdeck.outbox."))`;
  for (const { page } of windows) if (await page.evaluate<boolean>(kept)) return true;
  return false;
}

async function isGoingOn(program: Program, sessionId: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${program.token}` };
  try {
    const response = await fetch(`${program.url}/api/sessions/${sessionId}`, { headers });
    const { data } = (await response.json()) as { data: { session: { active_run_id: unknown } } };
    return data.session.active_run_id !== null;
  } catch {
    return true; // the server was killed and is on its way back
  }
}

async function compare(windows: readonly Window[], program: Program): Promise<void> {
  const [{ page: one }] = windows as [Window, Window];
  const sessionId = sessionOf(one);
  const expected = await foldedTranscript(program, sessionId);
  for (const { page } of windows) {
    await page.goto(`${program.url}/s/${encodeURIComponent(sessionId)}`);
    await page.getByRole("textbox", { name: "Message" }).fill(DRAFT);
    await page.reload();
    await page.locator('[data-status="live"]').first().waitFor();
    assert.equal(await page.getByRole("textbox", { name: "Message" }).inputValue(), DRAFT);
    assert.deepEqual(await shownTranscript(page), expected);
  }
}
