// Moves the focus from the start page to the composer of the new session. Keys typed in between are added to
// its draft.
import { changeDraft, draftOf } from "./drafts.ts";

const MAX_MS = 5_000; // a session that could not be opened has no field, and the page's keys count again
let wanted: { readonly place: string; readonly since: number } | null = null;

/** The field of that place takes the focus when it appears. */
export function wantFocus(place: string): void {
  wanted = { place, since: performance.now() };
  window.addEventListener("keydown", keep, { capture: true });
}

/** True once. */
export function takeWantedFocus(place: string): boolean {
  const isWanted = wanted?.place === place;
  stop();
  return isWanted;
}

function stop(): void {
  wanted = null;
  window.removeEventListener("keydown", keep, { capture: true });
}

function keep(event: KeyboardEvent): void {
  if (!wanted || performance.now() - wanted.since > MAX_MS) return stop();
  const { key, ctrlKey, metaKey, altKey } = event;
  if (document.activeElement !== document.body || ctrlKey || metaKey || altKey) return;
  const { text } = draftOf(wanted.place);
  const next = key === "Backspace" ? text.slice(0, -1) : `${text}${key}`;
  if (key !== "Backspace" && !/^.$/u.test(key)) return; // no letter: "Shift", "Tab", "Dead"
  changeDraft(wanted.place, { text: next });
  event.preventDefault();
  event.stopImmediatePropagation(); // of the page's own keys
}
