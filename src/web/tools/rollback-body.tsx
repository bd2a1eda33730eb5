// What a rollback did. A preview is one line: it was looked at where it was asked for.
import type { ToolItem } from "../../kernel/state/run/run-items.ts";
import { isPreview, rollbackResult } from "../files/rollback-result.ts";
import { RollbackWords } from "../files/rollback-words.tsx";
import styles from "./tool-card.module.css";

export function RollbackBody({ item }: { item: ToolItem }) {
  const result = isPreview(item) ? null : rollbackResult(item);
  if (!result) return null;
  return (
    <div className={styles.rollback}>
      <RollbackWords result={result} tense="did" />
    </div>
  );
}
