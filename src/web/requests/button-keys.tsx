// The key of a button, on it and for a screen reader.
import { Keys } from "../keys/keys.tsx";
import styles from "./requests.module.css";

/** `keys` as in `Action.keys`; null: it has none. */
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
