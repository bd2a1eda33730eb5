// npm run bench:web: the page in a real Chromium. Ours, the floor in the same run, and the ratio.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../../test/browser/support/browser.ts";
import { tempDir } from "../place.ts";
import { serveOnly } from "../serve-only.ts";
import { median, print, quantile, type Line } from "../stats.ts";
import { bigSession, type Size } from "./big-session.ts";
import { floorMs } from "./floor.ts";
import { newContext, openBench, scrollBench, type Opened, type Scrolled } from "./page.ts";
import { tokensToPixels } from "./tokens.ts";

const REPEATS = 6;
const SIZES: readonly (Size & { readonly goals: Goals })[] = [
  {
    events: 18_474,
    calls: 601,
    subagents: 19,
    goals: { interactive: "≤ 500 ms", heap: "≤ 150 MB", task: "≤ 50 ms" },
  },
  {
    events: 100_000,
    calls: 601,
    subagents: 19,
    goals: { interactive: "usable", heap: "–", task: "–" },
  },
];
type Goals = { readonly interactive: string; readonly heap: string; readonly task: string };

const browser = await launchBrowser();
console.log(
  `${"".padEnd(48)} ${"ours".padStart(18)} ${"floor".padStart(18)} ${"ratio".padStart(8)}`,
);
try {
  print(initialJs());
  for (const size of SIZES) print(await big(browser, size));
  print(await tokens(browser));
} finally {
  await browser.close();
}

async function big(of: Browser, { goals, ...size }: Size & { goals: Goals }): Promise<Line[]> {
  using dir = tempDir();
  const sessionId = await bigSession(dir.path, size);
  await using server = await serveOnly(dir.path, ["--no-auth"]);
  const floor = await floorMs(of, await eventsOf(server, sessionId, size.events));
  const url = `${server.url}/s/${sessionId}`;
  const unseen = await once(of, url); // it was never watched, so the server has no stored fold of it
  const runs: (Opened & { scrolled: Scrolled })[] = [];
  const again: Opened[] = [];
  await using known = await newContext(of); // a browser with a warm cache
  for (let time = 0; time <= REPEATS; time += 1) {
    runs.push(await once(of, url));
    const { page, opened } = await openBench(known, url);
    if (time > 0) again.push(opened);
    await page.close();
  }
  const of_ = (pick: (run: (typeof runs)[number]) => number) => median(runs.map(pick));
  const what = (measure: string) => `${size.events.toLocaleString("en")} events: ${measure}`;
  const lower = { better: "lower", floor: undefined } as const;
  return [
    {
      ...lower,
      what: what("interactive"),
      ours: median(again.map((each) => each.interactiveMs)),
      floor,
      unit: "ms",
      goal: goals.interactive,
    },
    {
      ...lower,
      what: what("interactive, new browser"),
      ours: of_((r) => r.interactiveMs),
      floor,
      unit: "ms",
      goal: goals.interactive,
    },
    {
      ...lower,
      what: what("interactive, never watched"),
      ours: unseen.interactiveMs,
      floor,
      unit: "ms",
      goal: "≤ 3×",
    },
    {
      ...lower,
      what: what("longest task while opening"),
      ours: of_((r) => r.longestTaskMs),
      unit: "ms",
      goal: "–",
    },
    {
      ...lower,
      what: what("scrolling, p99 frame"),
      ours: of_((r) => r.scrolled.p99FrameMs),
      unit: "ms",
      goal: "≤ 17 ms",
    },
    {
      ...lower,
      what: what("scrolling, longest task"),
      ours: of_((r) => r.scrolled.longestTaskMs),
      unit: "ms",
      goal: goals.task,
    },
    { ...lower, what: what("heap"), ours: of_((r) => r.heapMb), unit: "MB", goal: goals.heap },
    { ...lower, what: what("layout shift"), ours: of_((r) => r.shift), unit: "", goal: "0" },
  ];
}

async function once(of: Browser, url: string): Promise<Opened & { scrolled: Scrolled }> {
  await using context = await newContext(of);
  const { page, opened } = await openBench(context, url);
  return { ...opened, scrolled: await scrollBench(page, 4) };
}

async function eventsOf(
  { url }: { url: string },
  sessionId: string,
  count: number,
): Promise<string[]> {
  const stop = new AbortController();
  const response = await fetch(`${url}/api/sessions/${sessionId}/events`, { signal: stop.signal });
  const events: string[] = [];
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const data = /^data: (\{"event_id.*\})$/m.exec(frame)?.[1];
      if (data) events.push(data);
    }
    if (events.length >= count) break;
  }
  stop.abort();
  return events;
}

async function tokens(of: Browser): Promise<Line[]> {
  const latencies = await tokensToPixels(of);
  const line = (q: number, goal: string): Line => ({
    what: `token to pixels, 5 sessions streaming, p${q * 100}`,
    ours: quantile(latencies, q),
    floor: undefined,
    unit: "ms",
    better: "lower",
    goal,
  });
  return [line(0.5, "–"), line(0.99, "≤ 50 ms")];
}

/** The bytes that the first screen waits for: the entry and its static imports. */
function initialJs(): Line[] {
  const root = join(import.meta.dirname, "../../dist/web");
  const html = readFileSync(join(root, "index.html"), "utf8");
  const named = html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g);
  const files = new Set([...named].map(([, path]) => path ?? ""));
  const bytes = [...files].reduce(
    (sum, path) => sum + gzipSync(readFileSync(join(root, path))).length,
    0,
  );
  return [
    {
      what: "initial JavaScript, gzip",
      ours: bytes / 1_000,
      floor: undefined,
      unit: "KB",
      better: "lower",
      goal: "≤ 180 KB",
    },
  ];
}
