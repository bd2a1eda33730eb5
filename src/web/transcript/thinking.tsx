// The model's thinking: folded away, with how long it took.
import type { ReasoningItem } from "../../kernel/state/run/run-items.ts";
import { duration } from "../text/format.ts";
import { harmless } from "../text/harmless.ts";
import { Icon } from "../ui/icon.tsx";
import { useFold } from "./folds.ts";
import styles from "./items.module.css";

export function Thinking({ item, runId }: { item: ReasoningItem; runId: string }) {
  const [open, setOpen] = useFold(`thought ${runId} ${item.reasoningId}`, false);
  if (item.text === "" && item.status === "done") return null; // hidden by the provider
  const took = item.durationMs === null ? "" : ` for ${duration(item.durationMs)}`;
  const status = item.superseded ? "superseded" : item.status;
  return (
    <details
      className={styles.thinking}
      data-status={status}
      open={open}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== open) setOpen(currentTarget.open);
      }}
    >
      <summary>
        <Icon name="thought" />
        {item.status === "streaming" ? "Thinking…" : `Thought${took}`}
        {item.superseded && <span className="hint">interrupted, started again</span>}
      </summary>
      <p className="pre-wrap" data-part="text">
        {harmless(item.text)}
      </p>
    </details>
  );
}
