// The transcript twice: as the page shows it, and as the reducers fold it from the server's bytes. They
// must be the same (V1). The fold reads the stream by itself: no code of the client has a part in it.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Page } from "playwright-core";
import type { RunEvent } from "../../../src/kernel/events/events.ts";
import type { Item } from "../../../src/kernel/state/run/items.ts";
import { applyEvent, emptyRun, type RunState } from "../../../src/kernel/state/run/state.ts";
import { toArray } from "../../../src/kernel/state/vector.ts";
import type { Program } from "./program.ts";

export type Line = readonly [kind: string, status: string, text: string];

const normal = (text: string) => text.replaceAll(/\s+/g, " ").trim();
export const hashOf = (lines: readonly Line[]) =>
  createHash("sha256").update(JSON.stringify(lines)).digest("hex");

const SHUT = '[role="log"] [data-group][aria-expanded="false"]';

/** Opens every group of calls, the nested ones too. What a head claims to stand for must be behind it. */
export async function openGroups(page: Page): Promise<void> {
  for (let shut = page.locator(SHUT).first(); (await shut.count()) > 0;) {
    const shown = await page.locator('[role="log"] [data-item="tool"]').count();
    const claimed = Number(await shut.getAttribute("data-group"));
    await shut.click();
    const all = page.locator('[role="log"] [data-item="tool"]');
    await all.nth(shown + claimed - 1).waitFor({ state: "attached" });
    assert.equal(await all.count(), shown + claimed, "a group stands for as many calls as it says");
  }
}

/** All rows: the window is made tall enough that none is left out, and every group is opened. */
export async function shownTranscript(page: Page): Promise<Line[]> {
  const before = page.viewportSize() ?? { width: 1280, height: 800 };
  await page.setViewportSize({ width: before.width, height: 12_000 });
  await page.locator('[role="log"][data-status="following"] [data-index="0"]').waitFor();
  await openGroups(page);
  const lines = (await page.evaluate(`
    [...document.querySelectorAll('[role="log"] [data-item]')]
      .filter((item) => !item.parentElement.closest("[data-item]"))
      .map((item) => [
        item.dataset.item,
        item.querySelector("[data-status]")?.dataset.status ?? "",
        item.querySelector('[data-part="text"]')?.textContent ?? "",
      ])`)) as [string, string, string][];
  await page.setViewportSize(before);
  return lines.map(([kind, status, text]) => [kind, status, normal(text)]);
}

export async function foldedTranscript(program: Program, sessionId: string): Promise<Line[]> {
  const runs = new Map<string, RunState>();
  for (const event of await sessionEvents(program, sessionId)) {
    if (event.run_id === event.session_id) continue;
    runs.set(event.run_id, applyEvent(runs.get(event.run_id) ?? emptyRun(event.run_id), event));
  }
  return [...runs.values()]
    .filter(({ depth }) => depth === 0)
    .flatMap(({ items }) => toArray(items).map(lineOf));
}

export async function sessionEvents(program: Program, sessionId: string): Promise<RunEvent[]> {
  const headers = { authorization: `Bearer ${program.token}` };
  const base = `${program.url}/api/sessions/${encodeURIComponent(sessionId)}`;
  const details = (await (await fetch(base, { headers })).json()) as {
    data: { session: { seq: number } };
  };
  const { seq: head } = details.data.session;
  const stop = new AbortController();
  const response = await fetch(`${base}/events`, { headers, signal: stop.signal });
  const events: RunEvent[] = [];
  let buffer = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    buffer += chunk;
    const frames = buffer.split("\n\n");
    buffer = frames.pop() ?? "";
    events.push(...frames.flatMap(eventIn));
    if (events.length >= head) break;
  }
  stop.abort();
  return events.slice(0, head);
}

function eventIn(frame: string): RunEvent[] {
  if (/^event: (?!message)/m.test(frame)) return [];
  const data = /^data: ?(.*)$/m.exec(frame)?.[1];
  return data === undefined ? [] : [JSON.parse(data) as RunEvent];
}

const LINES: { [Kind in Item["kind"]]: (item: Extract<Item, { kind: Kind }>) => Line } = {
  user: ({ text }) => ["user", "", normal(text)],
  text: ({ text, status, superseded }) => [
    "text",
    superseded ? "superseded" : status,
    normal(text),
  ],
  reasoning: ({ text, status, superseded }) => [
    "reasoning",
    superseded ? "superseded" : status,
    normal(text),
  ],
  tool: ({ status }) => ["tool", status, ""],
  notice: ({ tone }) => ["notice", tone, ""],
};

function lineOf(item: Item): Line {
  return (LINES[item.kind] as (item: Item) => Line)(item);
}
