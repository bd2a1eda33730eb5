// The colours of theme.css for xterm, which needs resolved values.
import type { ITheme } from "@xterm/xterm";

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

export function terminalTheme(): ITheme {
  const colour = lookUp();
  const plain = NAMES.map((name) => [name, colour(`--ansi-${name}`)]);
  const bright = NAMES.map((name) => [
    `bright${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    colour(`--ansi-bright-${name}`),
  ]);
  const text = colour("--terminal-text");
  const background = colour("--terminal");
  return {
    background,
    foreground: text,
    cursor: text,
    cursorAccent: background,
    selectionBackground: colour("--terminal-selection"),
    scrollbarSliderBackground: colour("--terminal-selection"),
    scrollbarSliderHoverBackground: colour("--ansi-bright-black"),
    scrollbarSliderActiveBackground: colour("--ansi-bright-black"),
    ...Object.fromEntries([...plain, ...bright]),
  };
}

export function wantsContrast(): boolean {
  return document.documentElement.dataset["contrast"] === "more";
}

/** Resolves `light-dark()` values with a probe element. */
function lookUp(): (name: string) => string {
  return (name) => {
    const probe = document.createElement("span");
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

/** Calls back when the person or the system changes the colours. */
export function onThemeChange(changed: () => void): () => void {
  const attributes = new MutationObserver(changed);
  attributes.observe(document.documentElement, {
    attributeFilter: ["data-theme", "data-contrast"],
  });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", changed);
  return () => {
    attributes.disconnect();
    system.removeEventListener("change", changed);
  };
}
