// Why something did not work, where it was asked for.
import styles from "./problem.module.css";

export function Problem({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p className={styles.problem} role="alert">
      {text}
    </p>
  );
}
