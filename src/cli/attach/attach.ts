// A terminal as a window on one session: the same store as the page, drawn in lines. Leaving it changes
// nothing: the run goes on without it.
import {
  Editor,
  TuiMainScreen,
  type Component,
  type EditorTheme,
  type Terminal,
} from "@earendil-works/pi-tui";
import type { Api } from "../../kernel/client/api.ts";
import { openSession, type SessionStore } from "../../kernel/client/session-store.ts";
import { act, intentOfText, type Acting, type Intent, type Mode } from "./act.ts";
import { press, type Keyboard } from "./keys.ts";
import { JUST_CAME, READ_MS, readRequests } from "./read-requests.ts";
import { statusLines } from "./status-line.ts";
import { accent, block, dim } from "./style.ts";
import { createTranscript } from "./transcript.ts";

export type AttachOptions = {
  readonly api: Api;
  readonly sessionId: string;
  readonly terminal: Terminal;
  readonly newId: () => string;
  readonly readMs?: number; // what stood there for less nobody has read
};

const THEME: EditorTheme = {
  borderColor: dim,
  selectList: {
    selectedPrefix: accent,
    selectedText: accent,
    description: dim,
    scrollInfo: dim,
    noMatch: dim,
  },
};

/** Settles when the person leaves. */
export async function attach(options: AttachOptions): Promise<void> {
  const { api, sessionId, terminal, newId, readMs = READ_MS } = options;
  const tui = new TuiMainScreen(terminal);
  const store = openSession(sessionId, { api, schedule: (flush) => setImmediate(flush) });
  const left = Promise.withResolvers<void>();
  let mode: Mode = "queue";
  let notice = "";
  const view = store.getState;
  const acting: Acting = { api, sessionId, view, mode: () => mode, newId, unanswered: new Map() };
  const editor = new Editor(tui, THEME);
  const requests = readRequests(store, readMs);

  const emit = (text: string) => {
    notice = text;
    tui.requestRender();
  };
  const carryOut = (intent: Intent, typed = "") => {
    const giveBack = (problem: string) => emit(givenBack(editor, typed, problem));
    if (!requests.isMeant(intent)) return giveBack(JUST_CAME);
    act(intent, acting).then(
      ({ emitted, taken }) => (taken ? emit(emitted) : giveBack(emitted)),
      (error: unknown) => giveBack(error instanceof Error ? error.message : String(error)),
    );
  };
  editor.onSubmit = (text) => {
    const intent = intentOfText(view(), text);
    if (intent.kind !== "none") carryOut(intent, text);
  };

  const keyboard: Keyboard = {
    view,
    typed: () => editor.getText(),
    carryOut: (intent) => {
      requests.aim();
      carryOut(intent);
    },
    switchMode: () => {
      mode = mode === "queue" ? "steer" : "queue";
      tui.requestRender();
    },
    leave: () => left.resolve(),
  };
  tui.addInputListener((data) => {
    if (editor.getText() === "") requests.aim();
    return press(data, keyboard) ? { consume: true } : undefined;
  });

  const parts = [
    transcriptOf(view, createTranscript()),
    (width: number) => (notice === "" ? [] : ["", ...block(notice, width, dim)]),
    (width: number) => statusLines(view(), mode, width),
  ];
  for (const part of [...parts.map(drawn), editor]) tui.addChild(part);
  tui.setFocus(editor);
  terminal.setTitle(`quarterdeck ${sessionId}`);
  await show(tui, store, left.promise);
}

async function show(tui: TuiMainScreen, store: SessionStore, left: Promise<void>): Promise<void> {
  const unsubscribe = store.subscribe(() => tui.requestRender());
  tui.start();
  try {
    await left;
  } finally {
    unsubscribe();
    store.close();
    tui.stop();
    await store.closed;
  }
}

/** Nothing typed is lost: neither what was not taken nor what was typed since. Returns what to say. */
function givenBack(editor: Editor, typed: string, problem: string): string {
  if (typed === "") return problem;
  if (editor.getText() !== "") {
    editor.addToHistory(typed);
    return `${problem}\nArrow up brings it back: ${typed}`;
  }
  editor.setText(typed);
  return problem;
}

type View = Parameters<ReturnType<typeof createTranscript>>[0];

function transcriptOf(view: () => View, lines: ReturnType<typeof createTranscript>) {
  return (width: number) => {
    const all = lines(view(), width);
    return all.length > 0 ? all : [dim(view().caughtUp ? "Nothing was said yet." : "Loading …")];
  };
}

function drawn(render: (width: number) => string[]): Component {
  return { render, invalidate: () => undefined };
}
