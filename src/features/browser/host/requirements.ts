// Whether agents can have a browser here: the library, and a browser to start. Nothing is loaded to find out.
import { createRequire } from "node:module";
import { findProgram } from "../../../kernel/workspace/sandbox/find/program.ts";

export type Requirements = {
  readonly library: boolean;
  readonly executable: string | null;
  /** What is missing and how to get it, or what to know; empty when all is well. */
  readonly missing: readonly string[];
  readonly notes: readonly string[];
};

const PROGRAMS = [
  "google-chrome",
  "google-chrome-stable",
  "chromium",
  "chromium-browser",
  "microsoft-edge",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/opt/google/chrome/chrome",
  "/usr/bin/chromium",
];

export const NO_LIBRARY = "playwright-core is not installed: npm install playwright-core@1.65.0";

/** `wanted`: the setting browser_executable. */
export function browserRequirements(wanted?: string): Requirements {
  const library = hasLibrary();
  const executable = findProgram(wanted === undefined ? PROGRAMS : [wanted]) ?? null;
  const where =
    wanted === undefined
      ? "No Chrome or Chromium was found: install one, or name it with browser_executable."
      : `browser_executable (${wanted}) cannot be run.`;
  return {
    library,
    executable,
    missing: [...(library ? [] : [NO_LIBRARY]), ...(executable === null ? [where] : [])],
    notes: runsAsRoot()
      ? ["Runs as root: a browser that is started here has no sandbox of its own."]
      : [],
  };
}

function hasLibrary(): boolean {
  try {
    createRequire(import.meta.url).resolve("playwright-core");
    return true;
  } catch {
    return false;
  }
}

export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}
