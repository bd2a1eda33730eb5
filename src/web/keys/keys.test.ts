import assert from "node:assert/strict";
import { test } from "node:test";
import { createActions, type Action } from "./actions.ts";
import { chordOf, listenForKeys } from "./dispatch.ts";
import { wordsOf } from "./key-labels.ts";
import { ranked } from "./rank.ts";

const press = (key: string, held: Partial<KeyboardEvent> = {}) =>
  Object.assign(new Event("keydown", { cancelable: true }), { key, ...held }) as KeyboardEvent;
/** Enough of a window to press keys in. */
const keyboard = () =>
  Object.assign(new EventTarget(), { document: { querySelector: () => null } });
const action = (id: string, keys: string[], run: () => void, unavailable: string | null = null) =>
  ({ id, title: id, section: "Page", keys, unavailable, run }) satisfies Action;

test("[UX] keys are called what is typed; modifiers come first and in one order", () => {
  assert.equal(chordOf(press("k", { ctrlKey: true })), "mod+k");
  assert.equal(chordOf(press("K", { metaKey: true, shiftKey: true })), "mod+shift+k");
  assert.equal(chordOf(press("?", { shiftKey: true })), "?");
  assert.equal(chordOf(press("å", { altKey: true, code: "KeyA" })), "alt+a");
  assert.equal(chordOf(press("¡", { altKey: true, code: "Digit1" })), "alt+1");
  assert.equal(
    chordOf(press("ArrowDown", { altKey: true, shiftKey: true })),
    "alt+shift+arrowdown",
  );
});

test("[UX] the newest of two actions with the same key acts, and a sequence before its last key", () => {
  const window = keyboard();
  const actions = createActions();
  const done: string[] = [];
  const stop = listenForKeys(window as unknown as Window, actions.list);
  actions.add(action("old", ["i"], () => done.push("old")));
  const remove = actions.add(action("new", ["i"], () => done.push("new")));
  actions.add(action("inbox", ["g i"], () => done.push("inbox")));
  actions.add(action("never", ["n"], () => done.push("never"), "not now"));
  window.dispatchEvent(press("i"));
  window.dispatchEvent(press("g"));
  window.dispatchEvent(press("i"));
  remove();
  window.dispatchEvent(press("i"));
  window.dispatchEvent(press("n"));
  stop();
  window.dispatchEvent(press("i"));
  assert.deepEqual(done, ["new", "inbox", "old"]);
});

test("[UX] a few letters find what is meant, the likeliest first", () => {
  const titles = ["Show as timeline", "Stop the run", "Timeline: fit", "New session"];
  const find = (query: string) => ranked(titles, query, (title) => title);
  assert.deepEqual(find("time"), ["Timeline: fit", "Show as timeline"]);
  assert.deepEqual(find("show time"), ["Show as timeline"]);
  assert.deepEqual(find("nss"), ["New session"]);
  assert.deepEqual(find("zzz"), []);
  assert.deepEqual(find(" "), titles);
});

test("[UX] keys are written as they stand on the keyboard", () => {
  assert.deepEqual(wordsOf("mod+shift+k", "mac"), ["⌘", "⇧", "K"]);
  assert.deepEqual(wordsOf("mod+alt+1", "other"), ["Ctrl", "Alt", "1"]);
  assert.deepEqual(wordsOf("g i", "other"), ["G", "then", "I"]);
});
