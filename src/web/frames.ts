// Batches change notifications: once per frame, or once a second in a hidden tab.

const HIDDEN_MS = 1_000;
const waiting = new Set<() => void>();
let frame: number | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

export function oncePerFrame(flush: () => void): void {
  waiting.add(flush);
  plan();
}

function plan(): void {
  if (waiting.size === 0) return;
  if (document.visibilityState === "visible") frame ??= requestAnimationFrame(run);
  else timer ??= setTimeout(run, HIDDEN_MS);
}

function run(): void {
  if (frame !== undefined) cancelAnimationFrame(frame);
  clearTimeout(timer);
  frame = undefined;
  timer = undefined;
  const now = [...waiting];
  waiting.clear();
  for (const flush of now) flush();
}

/** Hidden pages get no frames; flush when the page becomes visible. */
document.addEventListener("visibilitychange", () => {
  if (frame !== undefined) cancelAnimationFrame(frame);
  clearTimeout(timer);
  frame = undefined;
  timer = undefined;
  plan();
});

const IDLE_MS = 2_000; // a page that is never idle does it all the same

/** For browsers without requestIdleCallback. */
export function whenIdle(work: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: IDLE_MS });
  else setTimeout(work, 200);
}
