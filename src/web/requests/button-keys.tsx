// The key of a button, shown on it and for screen readers.
import { Keys } from "../keys/keys.tsx";
import styles from "./requests.module.css";

/** As in `Action.keys`; null: no key. */
export function ButtonKeys({ keys }: { keys: string | null }) {
  if (keys === null) return null;
  return (
    <span className={styles.keys} aria-hidden="true">
      <Keys keys={keys} />
    </span>
  );
}

export function shortcutOf(keys: string | null): { "aria-keyshortcuts"?: string } {
  if (keys === null) return {};
  return { "aria-keyshortcuts": keys.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()) };
}
