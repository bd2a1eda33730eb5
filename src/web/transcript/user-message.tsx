// A message of a person and its actions.
import { DIRECT_TURN, directCall } from "../../kernel/events/direct.ts";
import type { UserItem } from "../../kernel/state/run/items.ts";
import { activeRunId } from "../session/active-run.ts";
import { useIsPast, useLive, useRun, useSession } from "../session/use-session.ts";
import { exactTime } from "../text/format.ts";
import { visibleText } from "../../kernel/text/visible-text.ts";
import { harmless } from "../text/harmless.ts";
import { unreadSteers } from "../queue/unread.ts";
import { Attachments } from "./attachments.tsx";
import styles from "./items.module.css";
import { isTerminal } from "../../kernel/state/run/status.ts";
import { useOpenSheet } from "../session/sheets.ts";
import { Button } from "../ui/button.tsx";
import type { IconName } from "../ui/icon.tsx";
import { isBusy, isRewound } from "../rewind/exchange.ts";

const MODE: Record<UserItem["mode"], string | null> = {
  start: null,
  queue: "Queued message",
  steer: "Sent to the agent",
  goal: "Sent by the goal",
};

export function UserMessage({ item, runId }: { item: UserItem; runId: string }) {
  const isCommand = useRun(runId, (run) => directCall(run)?.turnId === DIRECT_TURN);
  const label = MODE[item.mode];
  const isListed = useIsListed(item, runId);
  const opensRun = item.mode === "start" || item.mode === "queue";
  if (isCommand) {
    return (
      <p
        className="flex gap-m items-baseline muted break-anywhere text-13"
        title={exactTime(item.at)}
      >
        You asked: <span data-part="text">{visibleText(item.text)}</span>
      </p>
    );
  }
  if (isListed) return <p className="hint">Sent to the agent (not read yet)</p>;
  return (
    <div className={styles.said}>
      <div className={styles.user} title={exactTime(item.at)}>
        {label && <span className="hint">{label}</span>}
        {item.retracted && <p className="muted italic">Deleted before it was read</p>}
        {!item.retracted && (
          <p className="pre-wrap" data-part="text">
            {harmless(item.text)}
          </p>
        )}
        {!item.retracted && <Attachments items={item.attachments} />}
      </div>
      {opensRun && !item.retracted && <MessageActions runId={runId} />}
    </div>
  );
}

/** Whether the queue already shows it. */
function useIsListed({ mode, messageId }: UserItem, runId: string): boolean {
  const isPast = useIsPast(); // the list is of now
  const unread = useLive((view) => {
    const run = mode === "steer" && activeRunId(view) === runId ? view.runs[runId] : undefined;
    return run !== undefined && unreadSteers(run).some((each) => each.messageId === messageId);
  });
  return unread && !isPast;
}

// Edit and rerun, or branch.
function MessageActions({ runId }: { runId: string }) {
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
