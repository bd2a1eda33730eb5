// What can be made of a message that was said: say it differently, or go on from it in another session.
import { isTerminal } from "../../kernel/state/run/run-status.ts";
import { useOpenSheet } from "../session/sheets.ts";
import { useIsPast, useRun, useSession } from "../session/use-session.ts";
import styles from "../transcript/items.module.css";
import { Button } from "../ui/button.tsx";
import type { IconName } from "../ui/icon.tsx";
import { isBusy, isRewound } from "./exchange.ts";

export function MessageActions({ runId }: { runId: string }) {
  const open = useOpenSheet();
  const busy = useSession(isBusy);
  const past = useIsPast();
  const gone = useSession((view) => isRewound(view, runId));
  const over = useRun(runId, ({ status, depth }) => depth === 0 && isTerminal(status)) ?? false;
  if (gone || !over || past) return null;
  return (
    <div className={styles.actions}>
      {!busy && (
        <Action
          icon="pencil"
          label="Edit and rerun"
          onPress={() => open({ kind: "rerun", runId })}
        />
      )}
      <Action
        icon="branch"
        label="Branch from here"
        onPress={() => open({ kind: "branch", runId })}
      />
    </div>
  );
}

type ActionProps = { icon: IconName; label: string; onPress: () => void };

function Action({ icon, label, onPress }: ActionProps) {
  return (
    <Button tone="quiet" icon={icon} aria-label={label} title={label} onClick={onPress}>
      <span>{label}</span>
    </Button>
  );
}
