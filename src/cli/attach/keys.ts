// Which key does what. What allows something needs Alt, or a word and Enter: the first letter of a sentence
// must never be a yes.
import { matchesKey, type KeyId } from "@earendil-works/pi-tui";
import type { SessionView } from "../../kernel/client/session-store.ts";
import { intentOfKey, type Intent } from "./act.ts";

export type Keyboard = {
  readonly view: () => SessionView;
  readonly typed: () => string;
  readonly carryOut: (intent: Intent) => void;
  readonly switchMode: () => void;
  readonly leave: () => void;
};

const ANSWERS = "ysan123456789".split("");

/** True when the key was for us and not for the editor. */
export function press(data: string, keyboard: Keyboard): boolean {
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
