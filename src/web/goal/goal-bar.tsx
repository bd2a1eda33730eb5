// The session's goal in one line above the transcript.
import { useLive } from "../session/use-session.ts";
import { useOpenSheet } from "../session/sheets.ts";
import { visibleLine } from "../../kernel/text/visible-text.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { GoalButtons } from "./goal-buttons.tsx";
import styles from "./goal-bar.module.css";

const STATUS = {
  active: { label: "Active", tone: "busy", title: "Checked whenever a run is about to end" },
  paused: { label: "Paused", tone: "warning", title: "Not checked until it is resumed" },
} as const;

export function GoalBar({ sessionId }: { sessionId: string }) {
  const goal = useLive(({ session }) => session.goal);
  const open = useOpenSheet();
  if (!goal) return null;
  const { label, tone, title } = STATUS[goal.status];
  const text = visibleLine(goal.text);
  return (
    <section className={styles.bar} aria-label="Goal" data-status={goal.status}>
      <div className={styles.inner}>
        <Icon name="flag" />
        <p className={styles.text} title={text}>
          {text}
        </p>
        <Badge tone={tone} status={goal.status} title={title}>
          {label}
        </Badge>
        <span className={styles.actions}>
          <Button tone="quiet" onClick={() => open({ kind: "settings" })}>
            Edit
          </Button>
          <GoalButtons sessionId={sessionId} status={goal.status} />
        </span>
      </div>
    </section>
  );
}
