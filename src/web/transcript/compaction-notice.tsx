// From here on the model reads a summary. What it stands for is still above, and the summary can be read.
import type { NoticeItem } from "../../protocol/run-items.ts";
import type { RunState } from "../../protocol/run-state.ts";
import { get } from "../../protocol/vector.ts";
import { LazyMarkdown } from "../markdown/lazy-markdown.tsx";
import { useRun } from "../session/use-session.ts";
import { visibleText } from "../text/visible-text.ts";
import { Icon } from "../ui/icon.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./items.module.css";

export function CompactionNotice({ item, runId }: { item: NoticeItem; runId: string }) {
  const summary = useRun(runId, (run) =>
    isNewest(run, item) ? run.compaction?.summary : undefined,
  );
  return (
    <div className={styles.compaction} data-status={item.tone} data-code={item.code}>
      <details>
        <summary className={styles.notice}>
          <Icon name="squeeze" />
          <span>{visibleText(item.text)} What was compressed stays above.</span>
          <span className={styles.when}>
            <Time at={item.at} />
          </span>
        </summary>
        <div className={styles.summary}>
          <p>{summary ? "The model reads this instead:" : "A later summary took its place."}</p>
          {summary && <LazyMarkdown text={summary} />}
        </div>
      </details>
    </div>
  );
}

/** A run keeps the summary that holds now: of several, the newest. */
function isNewest(run: RunState, item: NoticeItem): boolean {
  for (let at = run.items.length - 1; at >= 0; at -= 1) {
    const other = get(run.items, at);
    if (other?.kind === "notice" && other.code === "compaction") return other === item;
  }
  return false;
}
