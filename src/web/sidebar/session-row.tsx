// One session in the list: its name, what it is doing now, and whether it needs someone.
import type { SessionRecord } from "../../client/records.ts";
import { YoloBadge } from "../session/safety-badges.tsx";
import { RUN_STATUS } from "../session/run-status-label.ts";
import { plural } from "../text/format.ts";
import { visibleLine } from "../../protocol/visible-text.ts";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./sidebar.module.css";

type SessionRowProps = { session: SessionRecord; current: boolean; onOpen: () => void };

export function SessionRow({ session, current, onOpen }: SessionRowProps) {
  const status = session.active_status;
  const needsYou = session.pending > 0;
  return (
    <li>
      <Link
        className={styles.row}
        to={{ page: "session", sessionId: session.session_id }}
        aria-current={current ? "page" : undefined}
        data-status={needsYou ? "needs-you" : (status ?? "idle")}
        onClick={onOpen}
      >
        <span className={styles.title}>{visibleLine(session.title) || "Untitled session"}</span>
        <span className={styles.time}>
          <Time at={session.updated_at} />
        </span>
        <span className={styles.subtitle}>
          {needsYou ? (
            <>
              <Icon name="alert" /> {plural(session.pending, "thing needs", "things need")} you
            </>
          ) : status ? (
            <>
              <span className={styles.dot} aria-hidden="true" /> {RUN_STATUS[status].label}
            </>
          ) : (
            "Idle"
          )}
          {session.parent_session_id !== null && (
            <span className={styles.mark} title="A branch of another session">
              <Icon name="branch" /> branch
            </span>
          )}
          {session.yolo && (
            <span className={styles.mark}>
              <YoloBadge size="short" />
            </span>
          )}
        </span>
      </Link>
    </li>
  );
}
