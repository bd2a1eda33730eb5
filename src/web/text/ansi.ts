// Terminal output: colours and weight are kept; other control sequences are dropped, so that output cannot hide
// or overwrite other output.
import { visibleText } from "../../kernel/text/visible-text.ts";

export type AnsiRun = {
  readonly text: string;
  readonly color: string | null;
  readonly bold: boolean;
};

// Colour and weight (captured), other CSI, strings such as OSC (to BEL or ST), two-character escapes.
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /\u001b\[([0-9;:]*)m|\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][\s\S]*?(?:\u0007|\u001b\\|$)|\u001b[ -/]*[0-~]?/g;
const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

type Style = { color: string | null; bold: boolean };

export function ansiRuns(output: string): AnsiRun[] {
  const runs: AnsiRun[] = [];
  const style: Style = { color: null, bold: false };
  let from = 0;
  const add = (text: string) => {
    if (text !== "") runs.push({ text: visibleText(settleLines(text)), ...style });
  };
  for (const match of output.matchAll(SEQUENCE)) {
    add(output.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[1] !== undefined) applyCodes(style, match[1]);
  }
  add(output.slice(from));
  return runs;
}

/** A carriage return overwrites its line (progress bars); the last version remains. */
function settleLines(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(/^.*\r(?=[^\n])/gm, "")
    .replaceAll("\r", "");
}

function applyCodes(style: Style, list: string): void {
  const codes = list === "" ? [0] : list.split(/[;:]/).map(Number);
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) Object.assign(style, { color: null, bold: false });
    else if (code === 1) style.bold = true;
    else if (code === 22) style.bold = false;
    else if (code === 39) style.color = null;
    else if (code >= 30 && code <= 37) style.color = COLORS[code - 30] ?? null;
    else if (code >= 90 && code <= 97) style.color = COLORS[code - 90] ?? null;
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4; // its own colour table: skipped
  }
}
