// Measurements inside the page: when it is ready, what blocked it, and how it scrolled.
import type { Browser, BrowserContext, Page } from "playwright-core";

const MAX_MS = 60_000;
export const END = "The end of a long piece of work.";

/** Runs before any script of the page. Stored as text, because the browser executes it. */
const OBSERVE = `
  window.bench = { long: [], shift: 0, shown: null };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) bench.long.push({ startTime, duration });
  }).observe({ type: "longtask", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) bench.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  const look = () => {
    const log = document.querySelector('[role="log"]');
    if (log?.textContent.includes(${JSON.stringify(END)})) {
      requestAnimationFrame(() => setTimeout(() => { bench.shown = performance.now(); }));
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);`;

export type Opened = {
  readonly shownMs: number; // until the end of the transcript is painted
  readonly interactiveMs: number; // until no long task is running either
  readonly longestTaskMs: number;
  readonly shift: number;
  readonly heapMb: number;
};

export const newContext = (browser: Browser) =>
  browser.newContext({ viewport: { width: 1280, height: 800 } });

export async function openBench(
  context: BrowserContext,
  url: string,
): Promise<{ page: Page; opened: Opened }> {
  const page = await context.newPage();
  await page.addInitScript(OBSERVE);
  await page.goto(url);
  await untilInPage(page, "bench.shown !== null && performance.now() > bench.shown + 1500");
  const { shown, long, shift } = await page.evaluate<{
    shown: number;
    long: { startTime: number; duration: number }[];
    shift: number;
  }>("bench");
  const ends = long.map(({ startTime, duration }) => startTime + duration);
  const opened = {
    shownMs: shown,
    interactiveMs: Math.max(shown, ...ends),
    longestTaskMs: Math.max(0, ...long.map(({ duration }) => duration)),
    shift,
    heapMb: await heapMb(page),
  };
  return { page, opened };
}

export async function heapMb(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("HeapProfiler.enable");
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  await devtools.detach();
  return usedSize / 1_048_576;
}

export type Scrolled = { readonly p99FrameMs: number; readonly longestTaskMs: number };

/** Up through the whole transcript as fast as a wheel turns, then down. */
export async function scrollBench(page: Page, seconds: number): Promise<Scrolled> {
  return page.evaluate<Scrolled>(`(async () => {
    const log = document.querySelector('[role="log"]');
    log.dispatchEvent(new WheelEvent("wheel", { deltaY: -100, bubbles: true }));
    bench.long.length = 0;
    const frames = [];
    const began = performance.now();
    let before = await new Promise(requestAnimationFrame); // the frame's own time, not the time of the callback
    let step = -120;
    while (performance.now() - began < ${seconds * 1_000}) {
      const now = await new Promise(requestAnimationFrame);
      frames.push(now - before);
      before = now;
      if (log.scrollTop <= 0) step = 120;
      log.scrollTop += step;
    }
    frames.sort((a, b) => a - b);
    await new Promise((resolve) => setTimeout(resolve, 100));
    return {
      p99FrameMs: frames[Math.floor(frames.length * 0.99)],
      longestTaskMs: Math.max(0, ...bench.long.map(({ duration }) => duration)),
    };
  })()`);
}

/** Not `waitForFunction`: it evaluates code in the page, which the page's CSP forbids. */
export async function untilInPage(page: Page, condition: string): Promise<void> {
  const held = await page.evaluate<boolean>(`(async () => {
    const until = performance.now() + ${MAX_MS};
    while (!(${condition})) {
      if (performance.now() > until) return false;
      await new Promise(requestAnimationFrame);
    }
    return true;
  })()`);
  if (!held) throw new Error(`not within a minute: ${condition}`);
}
