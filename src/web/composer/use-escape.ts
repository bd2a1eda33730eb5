// Esc stops; a second Esc right after it opens the list of what was said, to go back to.
import { useRef } from "react";
import { useOpenSheet } from "../session/sheets.ts";

const TWICE_MS = 1_000; // as long as every sequence of keys (keys/dispatch.ts)

export function useEscape(stop: (() => void) | null): () => void {
  const open = useOpenSheet();
  const last = useRef(-TWICE_MS);
  return () => {
    const now = performance.now();
    const twice = now - last.current < TWICE_MS;
    last.current = twice ? -TWICE_MS : now;
    if (twice) open({ kind: "turns" });
    else stop?.();
  };
}
