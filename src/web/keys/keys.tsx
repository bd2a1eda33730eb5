import { keyboardOf, wordsOf } from "./key-labels.ts";
import styles from "./keys.module.css";

export function Keys({ keys }: { keys: string }) {
  const words = wordsOf(keys, keyboardOf(navigator));
  return (
    <span className={styles.keys}>
      {words.map((word, index) =>
        // Keys of one chord never change places.
        // oxlint-disable-next-line react/no-array-index-key
        word === "then" ? <span key={index}>then</span> : <kbd key={index}>{word}</kbd>,
      )}
    </span>
  );
}
