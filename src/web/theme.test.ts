import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const css = readFileSync(new URL("theme.css", import.meta.url), "utf8");
const [usual = "", contrast = ""] = css.split(':root[data-contrast="more"]');

type Theme = Record<string, string>;
/** `--name: #rrggbb` or `--name: light-dark(#rrggbb, #rrggbb)`. */
const colours = (text: string, scheme: "light" | "dark"): Theme =>
  Object.fromEntries(
    [
      ...text.matchAll(/--([\w-]+):\s*(?:light-dark\(\s*)?(#[0-9a-f]{6})(?:,\s*(#[0-9a-f]{6}))?/g),
    ].map(([, name = "", first = "", second = first]) => [
      name,
      scheme === "light" ? first : second,
    ]),
  );
const SCHEMES = ["light", "dark"] as const;
const THEMES: Record<string, Theme> = Object.fromEntries(
  SCHEMES.flatMap((scheme) => [
    [scheme, colours(usual, scheme)],
    [`${scheme}, more contrast`, { ...colours(usual, scheme), ...colours(contrast, scheme) }],
  ]),
);

const TEXT: Record<string, readonly string[]> = {
  text: ["bg", "surface", "sunken", "accent-soft", "warn-soft"],
  muted: ["bg", "surface", "sunken", "accent-soft", "warn-soft"],
  "on-accent": ["accent", "accent-strong"],
  accent: ["bg", "surface", "accent-soft"],
  ok: ["bg", "surface", "ok-soft"],
  warn: ["bg", "surface", "warn-soft", "accent-soft"],
  bad: ["bg", "surface", "bad-soft", "warn-soft"],
  "terminal-text": ["terminal", "terminal-selection"],
  ...Object.fromEntries(
    ["red", "green", "yellow", "blue", "magenta", "cyan", "white"].flatMap((name) => [
      [`ansi-${name}`, ["terminal"]],
      [`ansi-bright-${name}`, ["terminal"]],
    ]),
  ),
  ...Object.fromEntries(
    ["keyword", "string", "number", "comment", "title", "type", "name", "variable"].map((kind) => [
      `code-${kind}`,
      ["bg", "surface", "sunken"],
    ]),
  ),
};
const EDGES: Record<string, readonly string[]> = {
  "line-strong": ["bg", "surface"],
  accent: ["bg", "surface"],
};

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrastOf(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function tooFaint(pairs: Record<string, readonly string[]>, least: number): string[] {
  return Object.entries(THEMES).flatMap(([name, theme]) =>
    Object.entries(pairs).flatMap(([front, backs]) =>
      backs
        .filter((back) => contrastOf(theme[front] ?? "#000000", theme[back] ?? "#000000") < least)
        .map((back) => `${front} on ${back} (${name})`),
    ),
  );
}

test("[UX] text has a contrast of 4.5 and the edges of controls 3, in every theme (WCAG AA)", () => {
  assert.deepEqual(tooFaint(TEXT, 4.5), []);
  assert.deepEqual(tooFaint(EDGES, 3), []);
});

test("[UX] more contrast is more: text has at least 7 (WCAG AAA)", () => {
  const asked = Object.entries(THEMES).filter(([name]) => name.includes("more"));
  assert.equal(asked.length, 2);
  assert.deepEqual(
    tooFaint(TEXT, 7).filter((pair) => pair.includes("more")),
    [],
  );
});
