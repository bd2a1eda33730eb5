// The latency from a durable token to the screen, with five sessions streaming at once that the page follows.
import type { Browser } from "playwright-core";
import { untilInPage } from "./page.ts";
import { newTestHome, startProgram } from "../../test/support/program.ts";

const SESSIONS = 5;
const WORDS = 400;
const PACE_MS = 20;

/** Milliseconds, one per number that appeared. */
export async function tokensToPixels(browser: Browser): Promise<number[]> {
  using place = newTestHome({ demo_delay_ms: PACE_MS });
  await using program = await startProgram(place, { args: ["--no-auth"] });
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${program.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${program.token}` },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
  };
  const ids = Array.from({ length: SESSIONS }, (_, at) => `bench${at}`);
  for (const session_id of ids) await post("/api/sessions", { session_id });
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${program.url}/s/${ids[0]}`);
  for (const id of ids.slice(1).concat("bench0")) {
    // The page keeps following visited sessions.
    await page.evaluate(
      `history.pushState(null, "", "/s/${id}"); dispatchEvent(new PopStateEvent("popstate"))`,
    );
    await untilInPage(page, `document.querySelector("#composer") !== null`);
  }
  await page.evaluate(`
    window.seen = [];
    let last = 0;
    const look = () => {
      const written = [...document.querySelectorAll('[role="log"] [data-item="text"] [data-part="text"]')].at(-1)?.textContent ?? "";
      const numbers = written.match(/(?<=(?:^|\\s))\\d+(?=\\s)/g) ?? [];
      const newest = Number(numbers.at(-1) ?? 0);
      if (newest > last) {
        const painted = newest;
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => seen.push([painted, performance.timeOrigin + performance.now()]);
          channel.port2.postMessage(null);
        });
        last = newest;
      }
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });`);
  await Promise.all(
    ids.map((session_id) => post("/api/runs", { session_id, message: `count ${WORDS}` })),
  );
  await untilInPage(
    page,
    `document.querySelector('[role="log"]').textContent.includes("${WORDS - 1} ${WORDS}")`,
  );
  const seen = await page.evaluate<[number, number][]>("seen");
  const written = await writtenAt(program, ids[0] ?? "");
  await page.context().close();
  return seen.flatMap(([number, at]) => {
    const from = written.get(number);
    return from === undefined ? [] : [at - from];
  });
}

async function writtenAt(program: { url: string; token: string }, sessionId: string) {
  const headers = { authorization: `Bearer ${program.token}` };
  const stop = new AbortController();
  const response = await fetch(`${program.url}/api/sessions/${sessionId}/events`, {
    headers,
    signal: stop.signal,
  });
  const times = new Map<number, number>();
  let text = "";
  let all = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) {
      const data = /^data: (\{.*\})$/m.exec(frame)?.[1];
      if (!data || /^event: /m.test(frame)) continue;
      const event = JSON.parse(data) as {
        type: string;
        created_at: number;
        payload: { delta?: string };
      };
      if (event.type !== "token.delta") continue;
      const before = all.length;
      all += event.payload.delta ?? "";
      for (const match of all.matchAll(/\d+(?=\s)/g)) {
        const number = Number(match[0]);
        if (match.index + match[0].length >= before && !times.has(number))
          times.set(number, event.created_at * 1_000);
      }
    }
    if (times.has(WORDS - 1)) break;
  }
  stop.abort();
  return times;
}
