// The way back from a delete. The row that had the focus is gone: it is here meanwhile, and then on a row.
import { useEffect, useRef } from "react";
import { Button } from "../ui/button.tsx";
import styles from "./sidebar.module.css";
import type { Deleted } from "./use-session-doings.ts";

export function Undo({ deleted, onUndo }: { deleted: Deleted | null; onUndo: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const pane = box.current?.parentElement;
    if (!deleted || !pane) return;
    if (isLost(pane)) box.current?.querySelector("button")?.focus();
    return () => {
      if (isLost(pane) && pane.isConnected) focusRow(pane);
    };
  }, [deleted]);
  return (
    <div ref={box} className={styles.undo} role="status" data-status={deleted ? "open" : "closed"}>
      {deleted && (
        <>
          <span>
            Deleted “{deleted.title}”.{deleted.stopped && " Its run was stopped."}
          </span>
          <Button onClick={onUndo}>Undo</Button>
        </>
      )}
    </div>
  );
}

/** Nowhere, or still on the row that goes away. What somebody works with elsewhere keeps the focus. */
function isLost(pane: Element): boolean {
  return document.activeElement === document.body || pane.contains(document.activeElement);
}

function focusRow(pane: Element): void {
  const row = pane.querySelector<HTMLElement>("li a[aria-current]") ?? pane.querySelector("li a");
  if (row instanceof HTMLElement) row.focus({ preventScroll: true });
}
