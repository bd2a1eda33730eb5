// A terminal window on one session: the same store as the page, drawn in lines. Leaving it changes nothing: the run
// goes on.
import {
  Editor,
  TuiMainScreen,
  type Component,
  type EditorTheme,
  type Terminal,
  matchesKey,
  type KeyId,
  truncateToWidth,
} from "@earendil-works/pi-tui";
import type { Api } from "../../kernel/client/api.ts";
import {
  openSession,
  type SessionStore,
  type SessionView,
} from "../../kernel/client/sessions/store.ts";
import {
  act,
  intentOfText,
  type Acting,
  type Intent,
  type Mode,
  intentOfKey,
  pendingOf,
  activeRun,
} from "./act.ts";
import { accent, block, dim, bad, good, warn } from "./style.ts";
import { createTranscript } from "./transcript.ts";
import { get } from "../../kernel/state/vector.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";

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

// Which key does what. What allows something needs Alt, or a word and Enter: the first letter of a sentence
// must never be a yes.
type Keyboard = {
  readonly view: () => SessionView;
  readonly typed: () => string;
  readonly carryOut: (intent: Intent) => void;
  readonly switchMode: () => void;
  readonly leave: () => void;
};

const ANSWERS = "ysan123456789".split("");

/** True when the key was for us and not for the editor. */
function press(data: string, keyboard: Keyboard): boolean {
  const { view, typed, carryOut, switchMode, leave } = keyboard;
  const empty = typed() === "";
  if (matchesKey(data, "ctrl+c") || (matchesKey(data, "ctrl+d") && empty)) leave();
  else if (matchesKey(data, "escape")) carryOut({ kind: "stop" });
  else if (matchesKey(data, "tab") && empty) switchMode();
  else {
    const key = ANSWERS.find((letter) => matchesKey(data, `alt+${letter}` as KeyId));
    const intent = key === undefined ? undefined : intentOfKey(view(), key);
    if (!intent || intent.kind === "none") return false;
    carryOut(intent);
  }
  return true;
}

// Nobody allows what they have not had before their eyes. An answer is meant for what stood first when its first
// key was pressed; what came only just then, because another window answered the one before it, nobody has read.
/** Longer than a key takes that was already on its way. */
const READ_MS = 500;

function readRequests({ getState, subscribe }: SessionStore, readMs: number) {
  let first: { readonly id: string | undefined; readonly since: number } = {
    id: undefined,
    since: 0,
  };
  let aimedAt: string | undefined;
  const look = () => {
    const id = pendingOf(getState())[0]?.request.id;
    if (id !== first.id) first = { id, since: performance.now() };
  };
  subscribe(look); // for as long as there is a store
  return {
    /** With the first key of an answer: of words, or the only one. */
    aim(): void {
      look();
      aimedAt = performance.now() - first.since >= readMs ? first.id : undefined;
    },
    /** If not, the person is told so, and the same words once more are meant for what stands there now. */
    isMeant(intent: Intent): boolean {
      if (intent.kind !== "approve" && intent.kind !== "answer") return true;
      const { id } = intent.request.request;
      const isMeant = id === aimedAt;
      aimedAt = id;
      return isMeant;
    },
  };
}

const JUST_CAME = "This question has only just come. Read it, and answer again.";

// The lines under the transcript: where we are, whether what is shown is current, and what keys do.
const CONNECTION: Record<SessionView["connection"]["state"], string> = {
  connecting: dim("connecting"),
  live: good("● live"),
  reconnecting: warn("◌ reconnecting"),
  offline: bad("○ offline"),
  denied: bad("○ refused"),
};

function statusLines(view: SessionView, mode: Mode, width: number): string[] {
  const { session, connection } = view;
  const run = activeRun(view);
  const waiting = pendingOf(view).length;
  const parts = [
    CONNECTION[connection.state],
    nameOf(session),
    session.model,
    run ? accent(run.status.replaceAll("_", " ")) : dim("idle"),
    ...(waiting > 0 ? [warn(`${waiting} waiting for you`)] : []),
    ...(session.queue.length > 0 ? [dim(`${session.queue.length} queued`)] : []),
    ...(session.yolo ? [bad("YOLO")] : []),
    ...(run?.sandbox === "none" ? [warn("no sandbox")] : []),
    ...(session.goal?.status === "active" ? [dim("goal")] : []),
  ];
  const lines = [parts.join(dim(" · ")), keys(run !== undefined, mode)];
  return lines.map((line) => truncateToWidth(line, width));
}

/** Its title, or the words it began with. */
function nameOf({ title, sessionId, runs }: SessionView["session"]): string {
  return visibleLine(title || get(runs, 0)?.prompt || sessionId).slice(0, 40);
}

function keys(running: boolean, mode: Mode): string {
  const enter = running
    ? `Enter ${mode === "steer" ? "steers" : "queues"} (Tab) · Esc stops`
    : "Enter sends";
  return dim(`${enter} · /help · Ctrl+C leaves`);
}
