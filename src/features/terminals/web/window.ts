// One terminal in this window: screen, connection, and leadership. The window used last sets the size and
// answers queries.
import { openTerminalLink, type TerminalEnd, type TerminalGone } from "../client/link.ts";
import { openSocket } from "../../../web/auth/login-proof.ts";
import { newId } from "../../../web/new-id.ts";
import { bytes as formatBytes } from "../../../web/text/format.ts";
import { openScreen, type Size } from "./screen.ts";

export type TerminalShown = {
  readonly link: "connecting" | "open";
  readonly title: string;
  readonly exit: TerminalEnd | null;
  readonly gone: TerminalGone | null;
  /** A link that the person clicked. */
  readonly asked: string | null;
  /** Another window sets the size. */
  readonly elsewhere: boolean;
  readonly problem: string | null;
};
export const NOTHING_YET: TerminalShown = {
  link: "connecting",
  title: "",
  exit: null,
  gone: null,
  asked: null,
  elsewhere: false,
  problem: null,
};
export type TerminalWindow = {
  readonly type: (text: string) => void;
  readonly focus: () => void;
  /** Makes this window set the size. */
  readonly lead: () => void;
  readonly readForReaders: (on: boolean) => void;
  readonly close: () => void;
};
type Change = (change: Partial<TerminalShown>) => void;
type Options = {
  readonly terminalId: string;
  readonly forReaders: boolean;
  readonly onChange: Change;
};

export function openTerminalWindow(box: HTMLElement, options: Options): TerminalWindow {
  const { terminalId, onChange } = options;
  const name = newId("page");
  let leads = true; // whoever comes is the one that is used
  let old = true; // what is shown was printed before
  let emitted: Size | undefined;
  const screen = openScreen(box, {
    onType: (text) => link.type(text),
    onTitle: (title) => onChange({ title }),
    onLink: (address) => onChange({ asked: address }),
    onFocus: () => lead(),
    onBox: () => leads && fit(),
    silent: () => old || !leads,
    forReaders: options.forReaders,
  });
  const link = openTerminalLink({
    connect: (offset) => openSocket(pathOf(terminalId, { offset, name })),
    onOutput: (data, shown) => screen.write(data, shown),
    onDropped: (count) => screen.write(gapMark(count)),
    onCaughtUp: () => screen.write("", () => (old = false)),
    onSize({ cols, rows, by }) {
      leads = by === name;
      screen.resize({ cols, rows });
      onChange({ elsewhere: !leads && by !== "" });
    },
    onState(state) {
      onChange({ link: state });
      if (state === "open" && leads) fit(); // where there was no room to measure before
    },
    onExit: (exit) => onChange({ exit }),
    onGone: (gone) => onChange({ gone }),
    onRefused: (problem) => onChange({ problem }),
  });
  function fit(): void {
    const size = screen.fitting();
    if (!size || (emitted?.cols === size.cols && emitted.rows === size.rows)) return;
    emitted = size;
    screen.resize(size);
    link.resize(size);
  }
  function lead(): void {
    if (!leads) emitted = undefined;
    leads = true;
    fit();
  }
  fit();
  const unlisten = listenForHints(() => link.retryNow());
  return {
    type: (text) => screen.type(text),
    focus: () => screen.focus(),
    lead,
    readForReaders: (on) => screen.readForReaders(on),
    close() {
      unlisten();
      link.close();
      screen.dispose();
    },
  };
}

function pathOf(terminalId: string, { offset, name }: { offset: number; name: string }): string {
  return `/api/terminals/${encodeURIComponent(terminalId)}/ws?offset=${offset}&window=${name}`;
}

/** Starts with a soft reset: the dropped output may have ended a colour or mode. */
function gapMark(count: number): string {
  return `\u001b[!p\u001b[0m\r\n\u001b[7m ${formatBytes(count)} are no longer kept \u001b[0m\r\n`;
}

function listenForHints(retry: () => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  window.addEventListener("online", retry, { signal });
  document.addEventListener("visibilitychange", retry, { signal });
  return () => stop.abort();
}
