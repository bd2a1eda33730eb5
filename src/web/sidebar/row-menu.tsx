// The menu of a session row, as a native popover.
import { useEffect, useRef, type KeyboardEvent } from "react";
import type { SessionRecord } from "../../kernel/client/records.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import styles from "./row-menu.module.css";

export type MenuItem = {
  readonly room?: string; // that it goes with
  readonly label: string;
  readonly icon: IconName;
  readonly tone?: "danger";
  readonly run: () => void;
};
type RowMenuProps = {
  readonly session: SessionRecord;
  readonly anchor: Element;
  readonly items: readonly MenuItem[];
  readonly onClose: () => void;
};

const WIDTH = 208;
const EDGE = 8;

export function RowMenu({ session, anchor, items, onClose }: RowMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = menu.current;
    if (!box) return;
    box.showPopover();
    place(box, anchor);
    box.querySelector("button")?.focus();
    return () => {
      const button = anchor.matches("button") ? anchor : anchor.querySelector("a");
      if (button instanceof HTMLElement && document.activeElement === document.body) button.focus();
    };
  }, [anchor]);
  const choose = (run: () => void) => {
    onClose();
    run();
  };
  return (
    <div
      ref={menu}
      popover="auto"
      role="menu"
      tabIndex={-1}
      className={styles.menu}
      aria-label={visibleLine(session.title) || "Untitled session"}
      onKeyDown={onKeyDown}
      onToggle={(event) => {
        if (event.newState === "closed") onClose();
      }}
    >
      {items.map(({ label, icon, tone, run }) => (
        <button
          key={label}
          type="button"
          role="menuitem"
          className={styles.item}
          data-tone={tone}
          onClick={() => choose(run)}
        >
          <Icon name={icon} /> {label}
        </button>
      ))}
    </div>
  );
}

function place(box: HTMLElement, anchor: Element): void {
  const at = anchor.getBoundingClientRect();
  const below = at.bottom + 4 + box.offsetHeight <= innerHeight;
  const left = Math.max(EDGE, Math.min(at.right - WIDTH, innerWidth - WIDTH - EDGE));
  box.style.left = `${left}px`;
  box.style.top = `${Math.max(EDGE, below ? at.bottom + 4 : at.top - 4 - box.offsetHeight)}px`;
}

function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
  if (event.key === "Escape") event.stopPropagation(); // it closes the menu, not what is behind it
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll("button")];
  const at = items.indexOf(document.activeElement as HTMLButtonElement);
  items.at((at + step) % items.length)?.focus();
}
