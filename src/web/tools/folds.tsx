// The collapsed sections of a card: a line of names, one open at a time.
import { useId, type ReactNode } from "react";
import { useFold } from "../transcript/folds.ts";
import styles from "./folds.module.css";

export type Fold = { readonly name: string; readonly content: () => ReactNode };

/** `key` names the card, so that it reopens as it was. */
export function useFolds(
  key: string,
  folds: readonly Fold[],
): { names: ReactNode; content: ReactNode } {
  const [open, setOpen] = useFold<string | null>(`card ${key}`, null);
  const id = useId();
  const shown = folds.find(({ name }) => name === open);
  const names = (
    <span className={styles.names}>
      {folds.map(({ name }) => (
        <button
          key={name}
          type="button"
          aria-expanded={name === open}
          aria-controls={id}
          onClick={() => setOpen(name === open ? null : name)}
        >
          {name}
        </button>
      ))}
    </span>
  );
  return {
    names,
    content: (
      <div id={id} className={styles.content}>
        {shown?.content()}
      </div>
    ),
  };
}
