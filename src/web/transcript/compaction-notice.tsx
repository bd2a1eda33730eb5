// From here on the model reads a summary. What it stands for is still above, and the summary can be read.
import type { NoticeItem } from "../../kernel/state/run/run-items.ts";
import { LazyMarkdown } from "../markdown/lazy-markdown.tsx";
import { visibleText } from "../../kernel/text/visible-text.ts";
import { Icon } from "../ui/icon.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./items.module.css";

export function CompactionNotice({ item }: { item: NoticeItem }) {
  return (
    <div className={styles.compaction} data-status={item.tone} data-code={item.code}>
      <details>
        <summary className={styles.notice}>
          <Icon name="squeeze" />
          <span>{visibleText(item.text)} What was compressed stays above.</span>
          <span className="ml-auto small nowrap">
            <Time at={item.at} />
          </span>
        </summary>
        <div className={styles.summary}>
          <p>From here on the model reads this instead:</p>
          <LazyMarkdown text={item.detail ?? ""} />
        </div>
      </details>
    </div>
  );
}
