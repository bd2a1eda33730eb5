// A page as a model reads it: its accessible tree with refs for everything that can be acted on, bounded, and without
// what stands in password fields.
import type { Page } from "playwright-core";
import { BrowserError } from "./frames.ts";

const MAX_TEXT = 40_000;
const READ_MS = 6_000;
const TEXTBOX = /^(?<before>\s*- textbox .*\[ref=\w+\][^:]*): (?<value>.+)$/;

export type PageText = { readonly text: string; readonly truncated: boolean };

export async function pageText(page: Page, selector?: string): Promise<PageText> {
  const options = { mode: "ai", timeout: READ_MS } as const;
  let tree: string;
  try {
    if ((await page.locator("body").count()) === 0) throw new Error("It has no body.");
    tree =
      selector === undefined
        ? await page.ariaSnapshot(options)
        : await page.locator(selector).first().ariaSnapshot(options);
  } catch (error) {
    const [line = ""] = (error as Error).message.split("\n");
    if (selector === undefined) throw new BrowserError("browser_error", line.slice(0, 500));
    throw new BrowserError("no_element", `${selector}: ${line}`.slice(0, 500));
  }
  return bounded(withoutPasswords(tree, await passwordsOn(page)).toWellFormed());
}

/** Cut at a line: half of one could be taken for another. */
export function bounded(text: string): PageText {
  if (text.length <= MAX_TEXT) return { text, truncated: false };
  const end = text.lastIndexOf("\n", MAX_TEXT);
  const kept = text.slice(0, end > 0 ? end : MAX_TEXT);
  const more = `[… ${text.length - kept.length} characters more. Read a part of the page with selector.]`;
  return { text: `${kept}\n${more}`, truncated: true };
}

/** A line of a text field that holds a password of the page has its value taken out. */
export function withoutPasswords(tree: string, passwords: readonly string[]): string {
  const known = passwords.filter((each) => each !== "");
  if (known.length === 0) return tree;
  const hides = (value: string) =>
    known.some((each) => value.includes(each) || value.includes(JSON.stringify(each).slice(1, -1)));
  return tree
    .split("\n")
    .map((line) => {
      const { before, value } = TEXTBOX.exec(line)?.groups ?? {};
      return before !== undefined && value !== undefined && hides(value)
        ? `${before}: (hidden)`
        : line;
    })
    .join("\n");
}

async function passwordsOn(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const frame of page.frames().slice(0, 20)) {
    const fields = frame.locator("input[type=password]");
    const values = await fields
      .evaluateAll((all) =>
        all.slice(0, 50).map((each) => String((each as unknown as { value: string }).value)),
      )
      .catch(() => []); // a frame that went away
    found.push(...values);
  }
  return found;
}
