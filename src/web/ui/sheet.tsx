// A modal sheet: from the side on wide screens, from below on phones. The native dialog handles focus and
// Escape.
import { useEffect, useId, useRef, type ReactNode } from "react";
import { IconButton } from "./button.tsx";
import styles from "./sheet.module.css";

type SheetProps = {
  title: string;
  size?: "small" | "wide";
  onClose: () => void;
  children: ReactNode;
};

export function Sheet({ title, size = "small", onClose, children }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    // A press on what is around the sheet closes it; Escape and the button do the same by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events
    <dialog
      ref={dialog}
      className={styles.sheet}
      data-size={size}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className={styles.inside}>
        <header className={styles.head}>
          <h2 className="min-w-0 bold break-anywhere text-l" id={id}>
            {title}
          </h2>
          <IconButton icon="close" label="Close" onClick={onClose} />
        </header>
        <div className={styles.body}>{children}</div>
      </div>
    </dialog>
  );
}
