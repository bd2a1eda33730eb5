// What the model said. Text of a turn that was cut stays readable, marked as what it is.
import type { TextItem } from "../../protocol/run-items.ts";
import { LazyMarkdown } from "../markdown/lazy-markdown.tsx";
import styles from "./items.module.css";

export function AssistantText({ item }: { item: TextItem }) {
  const status = item.superseded ? "superseded" : item.status;
  return (
    <div className={styles.assistant} data-status={status}>
      {item.superseded && <span className={styles.label}>interrupted, started again</span>}
      <div data-part="text">
        <LazyMarkdown text={item.text} streaming={item.status === "streaming"} />
      </div>
    </div>
  );
}
