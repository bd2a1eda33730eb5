// What a card keeps folded away: a line of names, one open at a time.
import { useId, useState, type ReactNode } from "react";
import styles from "./folds.module.css";

export type Fold = { readonly name: string; readonly content: () => ReactNode };

export function useFolds(folds: readonly Fold[]): { names: ReactNode; content: ReactNode } {
  const [open, setOpen] = useState<string | null>(null);
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
