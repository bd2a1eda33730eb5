// What a person said, as they wrote it, and what can still be made of it.
import { DIRECT_TURN, directCall } from "../../protocol/direct.ts";
import type { UserItem } from "../../protocol/run-items.ts";
import { useRun } from "../session/use-session.ts";
import { MessageActions } from "../steer/message-actions.tsx";
import { exactTime } from "../text/format.ts";
import { visibleText } from "../../protocol/visible-text.ts";
import { harmless } from "../text/harmless.ts";
import { Attachments } from "./attachments.tsx";
import styles from "./items.module.css";

const MODE: Record<UserItem["mode"], string | null> = {
  start: null,
  queue: "Queued message",
  steer: "Said while it ran",
  goal: "Said by the standing goal",
};

export function UserMessage({ item, runId }: { item: UserItem; runId: string }) {
  const isCommand = useRun(runId, (run) => directCall(run)?.turnId === DIRECT_TURN);
  const label = MODE[item.mode];
  const opensRun = item.mode === "start" || item.mode === "queue";
  if (isCommand) {
    return (
      <p className={styles.command} title={exactTime(item.at)}>
        You asked: <span data-part="text">{visibleText(item.text)}</span>
      </p>
    );
  }
  return (
    <div className={styles.said}>
      <div className={styles.user} title={exactTime(item.at)}>
        {label && <span className={styles.label}>{label}</span>}
        {item.retracted && <p className={styles.back}>Taken back before it was read</p>}
        {!item.retracted && (
          <p className={styles.words} data-part="text">
            {harmless(item.text)}
          </p>
        )}
        {!item.retracted && <Attachments items={item.attachments} />}
      </div>
      {opensRun && !item.retracted && <MessageActions runId={runId} />}
    </div>
  );
}
