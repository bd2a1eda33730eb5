// Programs ask a terminal questions (what are you, where is the cursor, which colours), and its answer is
// typed into the program. An answer to a question of yesterday, shown again after a reload, would be typed
// into the shell; and of several windows only one may answer. What reaches for the person's clipboard is
// never obeyed.
import type { IFunctionIdentifier, Terminal } from "@xterm/xterm";

const QUESTIONS: readonly IFunctionIdentifier[] = [
  { final: "c" },
  { prefix: ">", final: "c" },
  { prefix: "=", final: "c" },
  { final: "n" },
  { prefix: "?", final: "n" },
  { final: "t" },
  { prefix: ">", final: "q" },
  { intermediates: "$", final: "p" },
  { prefix: "?", intermediates: "$", final: "p" },
];
const COLOUR_QUESTIONS = [4, 10, 11, 12];
const CLIPBOARD = 52;

export function silenceQueries({ parser }: Terminal, silent: () => boolean): void {
  for (const id of QUESTIONS) parser.registerCsiHandler(id, silent);
  for (const code of COLOUR_QUESTIONS) {
    parser.registerOscHandler(code, (data) => data.includes("?") && silent());
  }
  parser.registerDcsHandler({ intermediates: "$", final: "q" }, silent);
  parser.registerOscHandler(CLIPBOARD, () => true);
}
