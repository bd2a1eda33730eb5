// Every screen of the page, on a program that has something to show on each. Used by the accessibility
// test, which looks at all of them, and by `npm run screenshots`, which photographs them.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openWindow, runIs, say, type Window } from "./browser.ts";
import type { Program } from "./program.ts";

/** Where the screens are found. */
export type Places = {
  readonly worked: string; // a finished session with a bit of everything
  readonly waiting: string; // one that needs a person
  readonly requestId: string;
  readonly runs: readonly [string, string]; // two of the finished session, to compare
};
export type Screen = {
  readonly name: string;
  readonly room?: string; // that it goes with
  readonly path: (places: Places) => string;
  /** What must be there before anyone looks. */
  readonly ready: (page: Page) => Promise<void>;
};

const CODE =
  "export const answer = 42;\\nexport function add(a: number, b: number) {\\n  return a + b;\\n}\\n";
const WORK = [
  "think The notes come first, then the code.",
  "plan Ship the notes; Write them; Check them; Tell",
  "step 1",
  "write notes.md # Notes\\n\\nThe run goes on.\\n",
  `write src/answer.ts ${CODE}`,
  "read notes.md",
  "search answer",
  "step 2",
  "exec echo checked notes.md && seq 1 20",
  "together",
  "delegate Read the sources: say I read them.",
  "delegate Count the lines: exec wc -l notes.md",
  "end",
  "background for i in $(seq 1 1000); do echo tick $i; sleep 1; done",
  "todo Tell the others; Close the issue",
  "step 3",
  "plan done",
  "say Done: the **notes** are written and `src/answer.ts` has $a^2 + b^2 = c^2$ nowhere in it.\\n\\n```ts\\nconst done: boolean = true;\\n```\\n\\n| file | lines |\\n|---|---|\\n| notes.md | 3 |",
].join("\n");

const text = (words: string | RegExp) => (page: Page) => page.getByText(words).first().waitFor();
const inPanel = (panel: string, words: string | RegExp) => (page: Page) =>
  page
    .locator(`[data-panel="${panel}"]`)
    .getByText(words)
    .locator("visible=true")
    .first()
    .waitFor();
const session = (query: string) => (places: Places) => `/s/${places.worked}${query}`;

export const SCREENS: readonly Screen[] = [
  {
    name: "start",
    path: () => "/",
    ready: (page) => page.locator('[data-page="start"]').waitFor(),
  },
  {
    name: "chat",
    path: session(""),
    ready: (page) => page.getByRole("log").locator("strong", { hasText: "notes" }).waitFor(),
  },
  {
    name: "tree",
    path: ({ worked, runs }) => `/s/${worked}/r/${runs[0]}?view=tree`,
    ready: (page) => page.getByRole("tree").first().waitFor(),
  },
  {
    name: "timeline",
    path: ({ worked, runs }) => `/s/${worked}/r/${runs[0]}?view=timeline`,
    ready: text("Fit"),
  },
  { name: "events", path: session("?view=events"), ready: text("run.queued") },
  {
    name: "compare",
    room: "features/compare",
    path: ({ worked, runs }) => `/s/${worked}/r/${runs[0]}?view=compare&with=${runs[1]}`,
    ready: (page) =>
      page.locator("#view").getByText("A second answer").locator("visible=true").first().waitFor(),
  },
  { name: "files", path: session("?panel=files"), ready: inPanel("files", "notes.md") },
  {
    name: "file",
    path: session("?panel=files&path=src/answer.ts&line=2"),
    ready: inPanel("files", "answer = 42"),
  },
  { name: "changes", path: session("?panel=changes"), ready: inPanel("changes", "notes.md") },
  { name: "processes", path: session("?panel=processes"), ready: inPanel("processes", /tick \d/) },
  {
    name: "activity",
    path: session("?panel=hud"),
    ready: (page) => page.locator(`[data-panel="hud"] li`).first().waitFor(),
  },
  {
    name: "details",
    path: session("?panel=details"),
    ready: inPanel("details", /tokens/i),
  },
  {
    name: "terminal",
    path: session("?panel=terminal"),
    async ready(page) {
      const panel = page.locator('[data-panel="terminal"]');
      const open = panel.locator('[data-link="open"]');
      const empty = panel.getByText("A shell of your own");
      await open.or(empty).waitFor();
      if (await empty.isVisible())
        await panel.getByRole("button", { name: "New terminal" }).click();
      await open.locator(".xterm-rows").getByText(/[#$]/).first().waitFor();
    },
  },
  { name: "past", path: session("?at=40"), ready: text("Back to now") },
  {
    name: "files-past",
    path: session("?panel=files&at=90"),
    ready: inPanel("files", "notes.md"),
  },
  { name: "approval", path: ({ waiting }) => `/s/${waiting}`, ready: text("Allow once") },
  {
    name: "logs",
    path: () => "/logs",
    ready: (page) => page.locator('[data-page="logs"]').waitFor(),
  },
  {
    name: "memory",
    path: () => "/memory",
    ready: (page) =>
      page.locator('[data-target="user"] [data-part="entries"]').waitFor({ state: "attached" }),
  },
  { name: "skills", path: () => "/skills", ready: text("Write a skill") },
  {
    name: "audit",
    path: () => "/audit",
    ready: (page) => page.locator('[data-part="audit"]').waitFor(),
  },
  {
    name: "cron",
    room: "features/schedules",
    path: () => "/cron",
    ready: (page) => page.locator('[data-part="schedules"]').waitFor(),
  },
  {
    name: "gateway",
    path: () => "/gateway",
    ready: (page) => page.locator('[data-platform="telegram"]').waitFor(),
  },
  { name: "browser", path: () => "/browser", ready: text("Connect to a running Chrome") },
  {
    name: "inbox",
    path: () => "/inbox",
    ready: (page) => page.getByRole("main").getByText("make all").first().waitFor(),
  },
  { name: "approve", path: ({ requestId }) => `/approve/${requestId}`, ready: text("Allow once") },
  {
    name: "insights",
    path: () => "/insights?by=session",
    ready: (page) => page.getByRole("img", { name: /^Tokens by day/ }).waitFor(),
  },
  { name: "settings", path: () => "/settings", ready: text("Appearance") },
];

export const OVERLAYS: readonly { name: string; open: (page: Page) => Promise<void> }[] = [
  {
    name: "palette",
    async open(page) {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "What to do or where to go" }).waitFor();
    },
  },
  {
    name: "help",
    async open(page) {
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    },
  },
  { name: "export", open: (page) => byName(page, "Export this session") },
  { name: "import", open: (page) => byName(page, "Import a session") },
  {
    name: "search",
    async open(page) {
      const drawer = page.getByRole("button", { name: "Sessions", exact: true });
      if (await drawer.isVisible()) await drawer.click();
      await page.getByRole("searchbox", { name: "Search sessions and messages" }).fill("notes");
      await page
        .getByRole("region", { name: "Found in messages" })
        .locator("mark")
        .first()
        .waitFor();
    },
  },
  {
    name: "session-settings",
    async open(page) {
      await page.getByRole("button", { name: "Session settings" }).click();
      await page.getByRole("dialog", { name: "Session settings" }).waitFor();
    },
  },
];

/** A sheet by the name of its action, from the palette. */
async function byName(page: Page, name: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "What to do or where to go" }).fill(name);
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name }).waitFor();
}

export async function furnish(browser: Browser, program: Program): Promise<Places> {
  await writeFile(join(program.workspace, "README.md"), "# A workspace\n");
  await schedule(program);
  const window = await openWindow(browser, program);
  await say(window, WORK);
  const worked = sessionOf(window.page);
  await allowUntilDone(window, program, worked);
  await say(window, "say A second answer, to compare the first with.");
  await window.page.getByText("A second answer, to compare").last().waitFor();
  await runIs(window.page, "completed");
  const runs = await rootRuns(program, worked);
  await window.page.goto(`${program.url}/`);
  await say(window, "exec rm -rf build && make all");
  const waiting = sessionOf(window.page);
  await window.page.getByRole("button", { name: "Allow once" }).waitFor();
  const requestId = await firstRequest(program);
  await window.page.context().close();
  const [first = "", second = ""] = runs;
  return { worked, waiting, requestId, runs: [first, second] };
}

/** Paused: it starts nothing while somebody looks. */
async function schedule({ url, token }: Program): Promise<void> {
  const job = { name: "Digest", schedule: "0 9 * * 1-5", prompt: "Sum it up.", paused: true };
  await fetch(`${url}/api/cron/jobs`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ ...job, deliver: "telegram" }),
  });
}

/** Says yes to whatever is asked until the session's run is over. */
async function allowUntilDone(
  { page }: Window,
  program: Program,
  sessionId: string,
): Promise<void> {
  type Session = { session: { active_run_id: string | null } };
  while (
    (await ask<Session>(program, `/api/sessions/${sessionId}`)).session.active_run_id !== null
  ) {
    const { pending } = await ask<Pending>(program, "/api/pending");
    for (const { run_id, request_id } of pending) {
      await fetch(`${program.url}/api/runs/${run_id}/approvals/${request_id}`, {
        method: "POST",
        headers: { authorization: `Bearer ${program.token}`, "content-type": "application/json" },
        body: JSON.stringify({ choice: "once" }),
      });
    }
    await page.evaluate("new Promise(requestAnimationFrame)");
  }
  await runIs(page, "completed");
}

type Pending = { readonly pending: readonly { run_id: string; request_id: string }[] };

export function sessionOf(page: Page): string {
  return decodeURIComponent(new URL(page.url()).pathname.split("/")[2] ?? "");
}

async function ask<Data>(program: Program, path: string): Promise<Data> {
  const headers = { authorization: `Bearer ${program.token}` };
  const { data } = (await (await fetch(`${program.url}${path}`, { headers })).json()) as {
    data: Data;
  };
  return data;
}

async function rootRuns(program: Program, sessionId: string): Promise<string[]> {
  type Runs = { runs: { run_id: string; depth: number }[] };
  const { runs } = await ask<Runs>(program, `/api/sessions/${sessionId}`);
  return runs.filter(({ depth }) => depth === 0).map(({ run_id }) => run_id);
}

async function firstRequest(program: Program): Promise<string> {
  const { pending } = await ask<Pending>(program, "/api/pending");
  return pending[0]?.request_id ?? "";
}

/** A window that walks through screens. */
export async function visitor(browser: Browser, program: Program, options: BrowserContextOptions) {
  const window = await openWindow(browser, program, options);
  const visit = async (screen: Screen, places: Places) => {
    await window.page.goto(`${program.url}${screen.path(places)}`);
    await screen.ready(window.page);
  };
  return { ...window, visit };
}
