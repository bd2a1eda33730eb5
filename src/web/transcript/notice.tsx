// A notice of the run: recovered, failed, compacted, needs an answer.
import type { NoticeItem } from "../../kernel/state/run/run-items.ts";
import { RequestCard } from "../requests/request-card.tsx";
import { visibleText } from "../../kernel/text/visible-text.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./items.module.css";
import { LazyMarkdown } from "../markdown/lazy-markdown.tsx";

const ICON: Record<NoticeItem["tone"], IconName> = {
  info: "wheel",
  warning: "bolt",
  error: "alert",
};

export function Notice({ item, runId }: { item: NoticeItem; runId: string }) {
  if (item.request) return <RequestCard request={item.request} runId={runId} tool={null} />;
  const text =
    item.code === "recovery"
      ? "The process crashed. The run resumed automatically."
      : visibleText(item.text);
  if (item.code === "compaction") return <CompactionNotice item={item} />;
  return (
    <p className={styles.notice} data-status={item.tone} data-code={item.code}>
      <Icon name={item.code === "goal" ? "flag" : ICON[item.tone]} />
      <span>{text}</span>
      <span className="ml-auto small nowrap">
        <Time at={item.at} />
      </span>
    </p>
  );
}

// From here on the model gets a summary; the messages stay above.
function CompactionNotice({ item }: { item: NoticeItem }) {
  return (
    <div className={styles.compaction} data-status={item.tone} data-code={item.code}>
      <details>
        <summary className={styles.notice}>
          <Icon name="squeeze" />
          <span>{visibleText(item.text)} The original stays above.</span>
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
