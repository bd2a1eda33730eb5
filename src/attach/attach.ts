// A terminal as a window on one session: the same store as the page, drawn in lines. Leaving it changes
// nothing: the run goes on without it.
import {
  Editor,
  TuiMainScreen,
  type Component,
  type EditorTheme,
  type Terminal,
} from "@earendil-works/pi-tui";
import type { Api } from "../client/api.ts";
import { openSession } from "../client/session-store.ts";
import { act, intentOfText, type Acting, type Intent, type Mode } from "./act.ts";
import { press, type Keyboard } from "./keys.ts";
import { statusLines } from "./status-line.ts";
import { accent, block, dim } from "./style.ts";
import { createTranscript } from "./transcript.ts";

export type AttachOptions = {
  readonly api: Api;
  readonly sessionId: string;
  readonly terminal: Terminal;
  readonly newId: () => string;
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
export async function attach({ api, sessionId, terminal, newId }: AttachOptions): Promise<void> {
  const tui = new TuiMainScreen(terminal);
  const store = openSession(sessionId, { api, schedule: (flush) => setImmediate(flush) });
  const left = Promise.withResolvers<void>();
  let mode: Mode = "queue";
  let notice = "";
  const acting: Acting = {
    api,
    sessionId,
    view: store.getState,
    mode: () => mode,
    newId,
    unanswered: new Map(),
  };
  const editor = new Editor(tui, THEME);

  const tell = (text: string) => {
    notice = text;
    tui.requestRender();
  };
  const carryOut = (intent: Intent, typed = "") => {
    const giveBack = (problem: string) => tell(givenBack(editor, typed, problem));
    act(intent, acting).then(
      ({ told, taken }) => (taken ? tell(told) : giveBack(told)),
      (error: unknown) => giveBack(error instanceof Error ? error.message : String(error)),
    );
  };
  editor.onSubmit = (text) => {
    const intent = intentOfText(store.getState(), text);
    if (intent.kind !== "none") carryOut(intent, text);
  };

  const keyboard: Keyboard = {
    view: store.getState,
    typed: () => editor.getText(),
    carryOut,
    switchMode: () => {
      mode = mode === "queue" ? "steer" : "queue";
      tui.requestRender();
    },
    leave: () => left.resolve(),
  };
  tui.addInputListener((data) => (press(data, keyboard) ? { consume: true } : undefined));

  tui.addChild(drawn(transcriptOf(store.getState, createTranscript())));
  tui.addChild(drawn((width) => (notice === "" ? [] : ["", ...block(notice, width, dim)])));
  tui.addChild(drawn((width) => statusLines(store.getState(), mode, width)));
  tui.addChild(editor);
  tui.setFocus(editor);
  const unsubscribe = store.subscribe(() => tui.requestRender());
  terminal.setTitle(`quarterdeck ${sessionId}`);
  tui.start();
  try {
    await left.promise;
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
