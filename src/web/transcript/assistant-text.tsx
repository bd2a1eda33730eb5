// What the model said. Text of a turn that was cut is folded into one line: the answer below says it again.
import type { TextItem } from "../../kernel/state/run/run-items.ts";
import { LazyMarkdown } from "../markdown/lazy-markdown.tsx";
import { useFold } from "./folds.ts";
import styles from "./items.module.css";

export function AssistantText({ item, runId }: { item: TextItem; runId: string }) {
  const [open, setOpen] = useFold(`cut ${runId} ${item.messageId}`, false);
  const text = (
    <div data-part="text">
      <LazyMarkdown text={item.text} streaming={item.status === "streaming"} />
    </div>
  );
  if (!item.superseded) {
    return (
      <div className={styles.assistant} data-status={item.status}>
        {text}
      </div>
    );
  }
  return (
    <details
      className={styles.assistant}
      data-status="superseded"
      open={open}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== open) setOpen(currentTarget.open);
      }}
    >
      <summary className="hint">Interrupted. The answer continues below.</summary>
      {text}
    </details>
  );
}
