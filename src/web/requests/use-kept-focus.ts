// Where the focus goes when a card is answered and its buttons are gone: to what was decided. A person who
// was somewhere else in the meantime stays there.
import { useEffect, useRef, type FocusEvent } from "react";

export function useKeptFocus(requestId: string, answered: boolean) {
  const note = useRef<HTMLDivElement>(null);
  const here = useRef(false); // the focus was in the card, or somebody answered with it
  useEffect(() => {
    if (!answered || !here.current) return;
    here.current = false;
    const active = document.activeElement;
    // Its entry in the inbox is about to go, too.
    const leaving = active instanceof HTMLElement && active.dataset["entry"] === requestId;
    if (active === null || active === document.body || leaving) {
      note.current?.focus({ preventScroll: true });
    }
  }, [answered, requestId]);
  return {
    note,
    onAct: () => {
      here.current = true;
    },
    within: {
      onFocus: () => {
        here.current = !answered;
      },
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) here.current = false;
      },
    },
  };
}
