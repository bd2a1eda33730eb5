// xterm with this page's colours, keys and link prompt, and without inline styles or replies to replayed
// queries.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal, type IFunctionIdentifier } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { visibleLine } from "../../../kernel/text/visible-text.ts";
import { lettersFrom, safeDocument } from "./safe-document.ts";
import { onThemeChange, terminalTheme, wantsContrast } from "./theme.ts";

export type Size = { readonly cols: number; readonly rows: number };
export type ScreenOptions = {
  readonly onType: (text: string) => void;
  readonly onTitle: (title: string) => void;
  readonly onLink: (address: string) => void;
  readonly onFocus: () => void;
  /** The box was resized. */
  readonly onBox: () => void;
  /** Another window answers, or this output is a replay. */
  readonly silent: () => boolean;
  readonly forReaders: boolean;
};
export type Screen = {
  write(bytes: Uint8Array | string, shown?: () => void): void;
  /** The size that fits into the box. */
  fitting(): Size | undefined;
  resize(size: Size): void;
  /** Sends text as if it was typed. */
  type(text: string): void;
  focus(): void;
  readForReaders(on: boolean): void;
  dispose(): void;
};

const SCROLLBACK = 5_000;
const MAX_TITLE = 60;

export function openScreen(box: HTMLElement, options: ScreenOptions): Screen {
  const safe = safeDocument(document);
  const terminal = new Terminal({
    documentOverride: safe.document,
    ...looks(),
    scrollback: SCROLLBACK,
    screenReaderMode: options.forReaders,
    linkHandler: { activate: (_event, address) => options.onLink(address) },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  silenceQueries(terminal, options.silent);
  safe.during(() => terminal.open(box));
  lettersFrom(safe.document, terminal);
  terminal.onData(options.onType);
  terminal.onTitleChange((title) => options.onTitle(visibleLine(title).slice(0, MAX_TITLE)));
  terminal.attachCustomKeyEventHandler((event) => isForTerminal(event, terminal));
  const stopTheme = onThemeChange(() => Object.assign(terminal.options, looks()));
  const watching = new ResizeObserver(() => options.onBox());
  watching.observe(box);
  const events = new AbortController();
  keepKeys(box, events.signal);
  box.addEventListener("focusin", options.onFocus, { signal: events.signal });
  return {
    write: (bytes, shown) => terminal.write(bytes, shown),
    fitting: () => sensible(fit.proposeDimensions()),
    resize: ({ cols, rows }) => terminal.resize(cols, rows),
    type: (text) => terminal.input(text, true),
    focus: () => terminal.focus(),
    readForReaders: (on) => {
      terminal.options.screenReaderMode = on;
    },
    dispose() {
      events.abort();
      watching.disconnect();
      stopTheme();
      terminal.dispose();
      safe.dispose();
    },
  };
}

/** Undefined while the box has no usable size. */
function sensible(size: Size | undefined): Size | undefined {
  const fits = size && Number.isInteger(size.cols) && Number.isInteger(size.rows);
  return fits && size.cols >= 2 && size.rows >= 1 ? size : undefined;
}

function looks() {
  const { fontFamily } = getComputedStyle(document.documentElement);
  const mono = getComputedStyle(document.documentElement).getPropertyValue("--mono");
  return {
    theme: terminalTheme(),
    fontFamily: mono || fontFamily,
    fontSize: 13,
    minimumContrastRatio: wantsContrast() ? 7 : 4.5,
  };
}

/** mod+alt chords belong to the page; a selection is copied instead of interrupting the program. */
function isForTerminal(event: KeyboardEvent, terminal: Terminal): boolean {
  if (isWayOut(event)) return false;
  const copies = (event.ctrlKey || event.metaKey) && !event.altKey && event.key === "c";
  return !(copies && terminal.hasSelection()); // the browser copies
}

function isWayOut(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && event.altKey;
}

/** Escape and single letters belong to the program, not to the page. */
function keepKeys(box: HTMLElement, signal: AbortSignal): void {
  for (const name of ["keydown", "keyup", "keypress"] as const) {
    box.addEventListener(
      name,
      (event) => {
        if (!isWayOut(event)) event.stopPropagation();
      },
      { signal },
    );
  }
}

// Programs query the terminal (type, cursor, colours) and read the reply as input. A replayed query must not
// type into the shell, only one window may reply, and clipboard access is always refused.
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

function silenceQueries({ parser }: Terminal, silent: () => boolean): void {
  for (const id of QUESTIONS) parser.registerCsiHandler(id, silent);
  for (const code of COLOUR_QUESTIONS) {
    parser.registerOscHandler(code, (data) => data.includes("?") && silent());
  }
  parser.registerDcsHandler({ intermediates: "$", final: "q" }, silent);
  parser.registerOscHandler(CLIPBOARD, () => true);
}
