// The only key listener. Plain letters work only outside of fields; mod chords work everywhere; sequences wait
// for a second key.
import type { Action } from "./actions.ts";
import { isComposing } from "./composing.ts";

const SEQUENCE_MS = 1_000;
const WRITING =
  'input:not([type="range"], [type="radio"], [type="checkbox"]), textarea, select, [contenteditable]';

/** The name of a key event in `Action.keys`. */
export function chordOf(event: KeyboardEvent): string {
  const key = keyOf(event);
  const mod = event.ctrlKey || event.metaKey ? "mod+" : "";
  const alt = event.altKey ? "alt+" : "";
  // Shift is part of a typed character ("?"), except for keys that type nothing.
  const shift = event.shiftKey && (key.length > 1 || mod !== "" || alt !== "") ? "shift+" : "";
  return `${mod}${alt}${shift}${key}`;
}

/** With Alt some keyboards type another letter ("å" for Option+A), so use the physical key. */
function keyOf({ key, altKey, code }: KeyboardEvent): string {
  const [, letter, digit] = (altKey && /^(?:Key([A-Z])|Digit(\d))$/.exec(code)) || [];
  if (key === " ") return "space";
  return (letter ?? digit ?? key).toLowerCase();
}

export function listenForKeys(target: Window, list: () => readonly Action[]): () => void {
  let before = { chord: "", at: -SEQUENCE_MS };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isComposing(event)) return;
    const chord = chordOf(event);
    const plain = !chord.startsWith("mod+") && !chord.startsWith("alt+");
    if (plain && isWritten(event.target)) return;
    if (plain && target.document.querySelector("dialog[open], [data-overlay]")) return; // it has keys of its own
    const sequence =
      event.timeStamp - before.at < SEQUENCE_MS ? `${before.chord} ${chord}` : undefined;
    before = { chord, at: event.timeStamp };
    const wanted = (keys: string | undefined) =>
      list().findLast(
        (action) => keys !== undefined && action.keys?.includes(keys) && !action.unavailable,
      );
    const action = wanted(sequence) ?? wanted(chord);
    if (!action) return;
    event.preventDefault();
    before = { chord: "", at: -SEQUENCE_MS };
    action.run(event);
  };
  target.addEventListener("keydown", onKeyDown);
  return () => target.removeEventListener("keydown", onKeyDown);
}

function isWritten(target: EventTarget | null): boolean {
  return Boolean((target as Partial<Element> | null)?.closest?.(WRITING));
}
