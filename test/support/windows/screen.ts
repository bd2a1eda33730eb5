// A terminal that keeps what is drawn on it, so that tests see lines as a person would.
import type { Terminal } from "@earendil-works/pi-tui";

export type Screen = Terminal & {
  /** Everything that was ever written, without escape sequences. */
  readonly text: () => string;
  /** Keys, as a terminal sends them. */
  readonly type: (data: string) => void;
};

const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- control sequences are what is taken out
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]_P][\s\S]*?(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]/g;

export function newScreen({ columns = 100, rows = 40 } = {}): Screen {
  let written = "";
  let onInput: (data: string) => void = () => undefined;
  const ignore = () => undefined;
  return {
    columns,
    rows,
    kittyProtocolActive: false,
    start: (input) => void (onInput = input),
    stop: ignore,
    drainInput: async () => undefined,
    write: (data) => void (written += data),
    moveBy: ignore,
    hideCursor: ignore,
    showCursor: ignore,
    clearLine: ignore,
    clearFromCursor: ignore,
    clearScreen: ignore,
    setTitle: ignore,
    setProgress: ignore,
    text: () => written.replaceAll(SEQUENCE, ""),
    type: (data) => onInput(data),
  };
}
